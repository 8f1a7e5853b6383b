"""Aggregation: what a run costs, the run itself, and the release of its epsilon."""


rule account:
    input:
        votes=lambda wildcards: votes_of(wildcards.run, wildcards.drawn),
        earlier=lambda wildcards: first_round_files(wildcards.run, wildcards.drawn),
        code=code("account"),
    output:
        record=f"{PATE}/accounts/{{run}}/{{drawn}}.json",
        curve=f"{PATE}/accounts/{{run}}/{{drawn}}.npz",
    log:
        log_of("account", "{run}/{drawn}"),
    benchmark:
        benchmark_of("account", "{run}/{drawn}")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        earlier=lambda wildcards, input: earlier_options(input.earlier, "account"),
        run=lambda wildcards: described(wildcards.run),
        accounting=compact(config["accounting"]),
        teachers=lambda wildcards: ensemble_of(wildcards.run)["teachers"],
        dataset=lambda wildcards: ensemble_of(wildcards.run)["dataset"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Accounting for {wildcards.run}, votes {wildcards.drawn}"
    shell:
        "python -m scripts.account --votes {input.votes} --teachers {params.teachers} --run {params.run:q} {params.earlier} "
        "--accounting {params.accounting:q} --preset {params.preset} --seed {params.seed} "
        "--dataset {params.dataset} --job account {wildcards.run} {wildcards.drawn} "
        "--record {output.record} --curve {output.curve} > {log} 2>&1"


rule aggregate:
    input:
        votes=lambda wildcards: votes_of(wildcards.run, wildcards.repetition),
        earlier=lambda wildcards: first_round_files(wildcards.run, wildcards.repetition),
        code=code("aggregate"),
    output:
        record=f"{PATE}/aggregated/{{run}}/{{repetition}}.json",
        labels=f"{PATE}/aggregated/{{run}}/{{repetition}}.npz",
    log:
        log_of("aggregate", "{run}/{repetition}"),
    benchmark:
        benchmark_of("aggregate", "{run}/{repetition}")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        earlier=lambda wildcards, input: earlier_options(input.earlier, "aggregate"),
        run=lambda wildcards: described(wildcards.run),
        accounting=compact(config["accounting"]),
        teachers=lambda wildcards: ensemble_of(wildcards.run)["teachers"],
        dataset=lambda wildcards: ensemble_of(wildcards.run)["dataset"],
        preset=config["preset"],
        seed=SEED,
        noise_seed=NOISE_SEED,
    message:
        "Running {wildcards.run}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.aggregate --votes {input.votes} --teachers {params.teachers} "
        "--run {params.run:q} {params.earlier} --accounting {params.accounting:q} --preset {params.preset} --seed {params.seed} "
        "--noise-seed {params.noise_seed} --dataset {params.dataset} --job aggregate {wildcards.run} {wildcards.repetition} "
        "--record {output.record} --labels {output.labels} > {log} 2>&1"


rule inspect_selection:
    input:
        votes=lambda wildcards: votes_of(wildcards.run, wildcards.repetition),
        data=lambda wildcards: samples_of(RUNS[wildcards.run]["ensemble"]),
        split=lambda wildcards: split_of(RUNS[wildcards.run]["ensemble"], wildcards.repetition),
        labels=lambda wildcards: released_labels(wildcards.run, wildcards.repetition),
        earlier=lambda wildcards: first_round_files(wildcards.run, wildcards.repetition),
        code=code("inspect_selection"),
    output:
        record=f"{PRIVATE}/selection/{{run}}/{{repetition}}.json",
        noiseless=f"{PRIVATE}/noiseless_labels/{{run}}/{{repetition}}.npz",
    log:
        log_of("inspect_selection", "{run}/{repetition}"),
    benchmark:
        benchmark_of("inspect_selection", "{run}/{repetition}")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        earlier=lambda wildcards, input: earlier_options(input.earlier, "inspect_selection"),
        run=lambda wildcards: described(wildcards.run),
        accounting=compact(config["accounting"]),
        teachers=lambda wildcards: ensemble_of(wildcards.run)["teachers"],
        dataset=lambda wildcards: ensemble_of(wildcards.run)["dataset"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Looking at what {wildcards.run} selected, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.inspect_selection --votes {input.votes} --teachers {params.teachers} --data {input.data} "
        "--split {input.split} --labels {input.labels} {params.earlier} --run {params.run:q} "
        "--accounting {params.accounting:q} --preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job inspect_selection {wildcards.run} {wildcards.repetition} --record {output.record} "
        "--noiseless {output.noiseless} > {log} 2>&1"


rule sanitize_epsilon:
    input:
        votes=lambda wildcards: votes_of(wildcards.run, wildcards.drawn),
        code=code("sanitize_epsilon"),
    output:
        f"{PATE}/sanitized/{{run}}/{{drawn}}.json",
    log:
        log_of("sanitize_epsilon", "{run}/{drawn}"),
    benchmark:
        benchmark_of("sanitize_epsilon", "{run}/{drawn}")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
        gpu=0,
    params:
        run=lambda wildcards: described(wildcards.run),
        accounting=compact(config["accounting"]),
        sanitize=compact(config["scalable_pate"]["sanitize"]),
        teachers=lambda wildcards: ensemble_of(wildcards.run)["teachers"],
        dataset=lambda wildcards: ensemble_of(wildcards.run)["dataset"],
        preset=config["preset"],
        seed=SEED,
        noise_seed=NOISE_SEED,
    message:
        "Sanitising the epsilon of {wildcards.run}, votes {wildcards.drawn}"
    shell:
        "python -m scripts.sanitize_epsilon --votes {input.votes} --teachers {params.teachers} "
        "--run {params.run:q} --accounting {params.accounting:q} --sanitize {params.sanitize:q} "
        "--preset {params.preset} --seed {params.seed} --noise-seed {params.noise_seed} --dataset {params.dataset} "
        "--job sanitize_epsilon {wildcards.run} {wildcards.drawn} --output {output} > {log} 2>&1"
