"""A release: a folder that can be published, made of public files and of what mechanisms released."""


rule public_part:
    input:
        data=lambda wildcards: samples_of(wildcards.ensemble),
        split=f"{PRIVATE}/splits/{{ensemble}}/{{repetition}}.npz",
        code=code("public_part"),
    output:
        samples=f"{PUBLIC}/{{ensemble}}/{{repetition}}.npz",
        record=f"{PUBLIC}/{{ensemble}}/{{repetition}}.json",
    log:
        log_of("public_part", "{ensemble}/{repetition}"),
    benchmark:
        benchmark_of("public_part", "{ensemble}/{repetition}")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        dataset=lambda wildcards: Path(samples_of(wildcards.ensemble)).stem,
        preset=config["preset"],
        seed=SEED,
    message:
        "Taking the public part out of {wildcards.ensemble}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.public_part --data {input.data} --split {input.split} --preset {params.preset} "
        "--seed {params.seed} --dataset {params.dataset} --job public_part {wildcards.ensemble} {wildcards.repetition} "
        "--samples {output.samples} --record {output.record} > {log} 2>&1"


rule release_student:
    input:
        samples=lambda wildcards: public_of(wildcards.run, wildcards.repetition, "npz"),
        labels=f"{PATE}/aggregated/{{run}}/{{repetition}}.npz",
        code=code("release_student"),
    output:
        weights=f"{PARTS}/{{run}}/{{repetition}}.safetensors",
        record=f"{PARTS}/{{run}}/{{repetition}}.json",
    log:
        log_of("release_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("release_student", "{run}/{repetition}")
    wildcard_constraints:
        run=one_of(CLASSIFIER_RELEASED),
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
    message:
        "Training the student of {wildcards.run} on public files alone, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.release_student --samples {input.samples} --labels {input.labels} --model {params.model:q} "
        "--classes {params.classes} --preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job release_student {wildcards.run} {wildcards.repetition} --weights {output.weights} "
        "--record {output.record} > {log} 2>&1"


rule release_network_student:
    input:
        samples=lambda wildcards: public_of(wildcards.run, wildcards.repetition, "npz"),
        labels=f"{PATE}/aggregated/{{run}}/{{repetition}}.npz",
        code=code("release_network_student"),
    output:
        weights=f"{PARTS}/{{run}}/{{repetition}}.safetensors",
        record=f"{PARTS}/{{run}}/{{repetition}}.json",
    log:
        log_of("release_network_student", "{run}/{repetition}"),
    benchmark:
        benchmark_of("release_network_student", "{run}/{repetition}")
    wildcard_constraints:
        run=one_of(NETWORK_RELEASED),
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
        checkpoint=lambda wildcards: checkpoint_of("release_network_student", *wildcards),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Training the student of {wildcards.run} on public files alone, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.release_network_student --samples {input.samples} --labels {input.labels} "
        "--model {params.model:q} --classes {params.classes} --preset {params.preset} --seed {params.seed} "
        "--dataset {params.dataset} --job release_student {wildcards.run} {wildcards.repetition} "
        "--device {params.device} --threads {threads} --checkpoint {params.checkpoint} --weights {output.weights} "
        "--record {output.record} > {log} 2>&1"


rule release:
    """A student's folder that can be published; scripts/verify_release.py checks it."""
    input:
        weights=lambda wildcards: f"{PARTS}/{released_run()}/{RELEASE['repetition']}.safetensors",
        records=release_records,
        arrays=release_arrays,
        code=code("release"),
    output:
        [f"{RESULTS}/release/{name}" for name in [*release_files.CONTENT, release_files.SUMS]],
    log:
        log_of("release"),
    benchmark:
        benchmark_of("release")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        run=lambda wildcards: compact(RUNS[released_run()]),
        ensemble=lambda wildcards: compact(ensemble_of(released_run())),
        accounting=compact(config["accounting"]),
        licence=compact(RELEASE["licence"]),
        folder=lambda wildcards, output: str(Path(output[0]).parent),
    message:
        "Putting the release together"
    shell:
        "python -m scripts.release --weights {input.weights} --records {input.records} --run {params.run:q} "
        "--ensemble {params.ensemble:q} --accounting {params.accounting:q} --licence {params.licence:q} "
        "--folder {params.folder} > {log} 2>&1"
