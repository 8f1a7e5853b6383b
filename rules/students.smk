"""Students learn from released labels; the baseline from the private data itself."""

NETWORK_RUNS, CLASSIFIER_RUNS = by_network(
    [run for run in RUNS if RUNS[run]["student"]], lambda run: RUNS[run]["student"]
)
NETWORK_MODELS, CLASSIFIER_MODELS = by_network(MODELS, lambda name: name)


rule train_student:
    input:
        data=lambda wildcards: samples_of(RUNS[wildcards.run]["ensemble"]),
        split=lambda wildcards: split_of(RUNS[wildcards.run]["ensemble"], wildcards.repetition),
        labels=lambda wildcards: released_labels(wildcards.run, wildcards.repetition),
        code=code("train_student"),
    output:
        record=f"{PATE}/students/{{run}}/{{repetition}}.json",
        scores=f"{PATE}/students/{{run}}/{{repetition}}.npz",
    log:
        log_of("train_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("train_student", "{run}/{repetition}")
    wildcard_constraints:
        run=one_of(CLASSIFIER_RUNS),
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=0,
    params:
        classes=lambda wildcards: ensemble_of(wildcards.run)["classes"],
        model=lambda wildcards: compact(MODELS[RUNS[wildcards.run]["student"]]),
        dataset=lambda wildcards: Path(samples_of(RUNS[wildcards.run]["ensemble"])).stem,
        preset=config["preset"],
        seed=SEED,
        job="train_student",
        flags="",
    message:
        "Training the student of {wildcards.run}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.train_student --data {input.data} --split {input.split} --labels {input.labels} "
        "--model {params.model:q} --preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job {params.job} {wildcards.run} {wildcards.repetition} {params.flags} --classes {params.classes} "
        "--scores {output.scores} --output {output.record} > {log} 2>&1"


use rule train_student as train_noiseless_student with:
    input:
        data=lambda wildcards: samples_of(RUNS[wildcards.run]["ensemble"]),
        split=lambda wildcards: split_of(RUNS[wildcards.run]["ensemble"], wildcards.repetition),
        labels=f"{PRIVATE}/noiseless_labels/{{run}}/{{repetition}}.npz",
        code=code("train_student"),
    output:
        record=f"{PRIVATE}/noiseless_students/{{run}}/{{repetition}}.json",
        scores=f"{PRIVATE}/noiseless_students/{{run}}/{{repetition}}.npz",
    log:
        log_of("train_noiseless_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("train_noiseless_student", "{run}/{repetition}")
    params:
        job="train_noiseless_student",
        flags="--noiseless",
    message:
        "Training a student on noiseless labels in place of those of {wildcards.run}, repetition {wildcards.repetition}"


rule train_baseline:
    input:
        data=lambda wildcards: samples_of(wildcards.ensemble),
        split=f"{PRIVATE}/splits/{{ensemble}}/{{repetition}}.npz",
        code=code("train_baseline"),
    output:
        f"{PATE}/baselines/{{ensemble}}/{{model}}/{{repetition}}.json",
    log:
        log_of("train_baseline", "{ensemble}/{model}/{repetition}"),
    benchmark:
        benchmark_of("train_baseline", "{ensemble}/{model}/{repetition}")
    wildcard_constraints:
        model=one_of(CLASSIFIER_MODELS),
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=0,
    params:
        model=lambda wildcards: compact(MODELS[wildcards.model]),
        dataset=lambda wildcards: Path(samples_of(wildcards.ensemble)).stem,
        preset=config["preset"],
        seed=SEED,
    message:
        "Training the non-private baseline {wildcards.model} on {wildcards.ensemble}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.train_baseline --data {input.data} --split {input.split} --model {params.model:q} "
        "--preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job train_baseline {wildcards.ensemble} {wildcards.model} {wildcards.repetition} --output {output} "
        "> {log} 2>&1"


rule train_network_student:
    input:
        data=lambda wildcards: samples_of(RUNS[wildcards.run]["ensemble"]),
        split=lambda wildcards: split_of(RUNS[wildcards.run]["ensemble"], wildcards.repetition),
        labels=lambda wildcards: released_labels(wildcards.run, wildcards.repetition),
        code=code("train_network_student"),
    output:
        record=f"{PATE}/students/{{run}}/{{repetition}}.json",
        scores=f"{PATE}/students/{{run}}/{{repetition}}.npz",
    log:
        log_of("train_network_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("train_network_student", "{run}/{repetition}")
    wildcard_constraints:
        run=one_of(NETWORK_RUNS),
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
        gpu=GPU,
        gres=GRES,
    params:
        classes=lambda wildcards: ensemble_of(wildcards.run)["classes"],
        model=lambda wildcards: compact(MODELS[RUNS[wildcards.run]["student"]]),
        dataset=lambda wildcards: Path(samples_of(RUNS[wildcards.run]["ensemble"])).stem,
        checkpoint=lambda wildcards: checkpoint_of("train_network_student", *wildcards),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
        job="train_student",
        flags="",
    message:
        "Training the student of {wildcards.run}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.train_network_student --data {input.data} --split {input.split} --labels {input.labels} "
        "--model {params.model:q} --classes {params.classes} --preset {params.preset} --seed {params.seed} "
        "--dataset {params.dataset} --job {params.job} {wildcards.run} {wildcards.repetition} {params.flags} "
        "--device {params.device} --threads {threads} --checkpoint {params.checkpoint} "
        "--scores {output.scores} --output {output.record} > {log} 2>&1"


use rule train_network_student as train_noiseless_network_student with:
    input:
        data=lambda wildcards: samples_of(RUNS[wildcards.run]["ensemble"]),
        split=lambda wildcards: split_of(RUNS[wildcards.run]["ensemble"], wildcards.repetition),
        labels=f"{PRIVATE}/noiseless_labels/{{run}}/{{repetition}}.npz",
        code=code("train_network_student"),
    output:
        record=f"{PRIVATE}/noiseless_students/{{run}}/{{repetition}}.json",
        scores=f"{PRIVATE}/noiseless_students/{{run}}/{{repetition}}.npz",
    log:
        log_of("train_noiseless_network_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("train_noiseless_network_student", "{run}/{repetition}")
    params:
        checkpoint=lambda wildcards: checkpoint_of("train_noiseless_network_student", *wildcards),
        job="train_noiseless_student",
        flags="--noiseless",
    message:
        "Training a student on noiseless labels in place of those of {wildcards.run}, repetition {wildcards.repetition}"


rule train_network_baseline:
    input:
        data=lambda wildcards: samples_of(wildcards.ensemble),
        split=f"{PRIVATE}/splits/{{ensemble}}/{{repetition}}.npz",
        code=code("train_network_student"),
    output:
        f"{PATE}/baselines/{{ensemble}}/{{model}}/{{repetition}}.json",
    log:
        log_of("train_network_baseline", "{ensemble}/{model}/{repetition}"),
    benchmark:
        benchmark_of("train_network_baseline", "{ensemble}/{model}/{repetition}")
    wildcard_constraints:
        model=one_of(NETWORK_MODELS),
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
        gpu=GPU,
        gres=GRES,
    params:
        classes=lambda wildcards: ENSEMBLES[wildcards.ensemble]["classes"],
        samples=lambda wildcards: ENSEMBLES[wildcards.ensemble]["baseline_samples"],
        model=lambda wildcards: compact(MODELS[wildcards.model]),
        dataset=lambda wildcards: Path(samples_of(wildcards.ensemble)).stem,
        checkpoint=lambda wildcards: checkpoint_of("train_network_baseline", *wildcards),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Training the non-private baseline of {wildcards.ensemble}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.train_network_student --data {input.data} --split {input.split} --private {params.samples} "
        "--model {params.model:q} --classes {params.classes} --preset {params.preset} --seed {params.seed} "
        "--dataset {params.dataset} --job train_baseline {wildcards.ensemble} {wildcards.model} "
        "{wildcards.repetition} --device {params.device} --threads {threads} --checkpoint {params.checkpoint} "
        "--output {output} > {log} 2>&1"
