"""Teachers: an ensemble trained on disjoint private parts labels the public pool."""

NETWORK_ENSEMBLES, CLASSIFIER_ENSEMBLES = by_network(TRAINED, lambda name: ENSEMBLES[name]["model"])


rule train_teachers:
    input:
        data=lambda wildcards: samples_of(wildcards.ensemble),
        split=f"{PRIVATE}/splits/{{ensemble}}/{{repetition}}.npz",
        code=code("train_teachers"),
    output:
        f"{PRIVATE}/teacher_labels/{{ensemble}}/{{repetition}}/{{shard}}.npz",
    log:
        log_of("train_teachers", "{ensemble}/{repetition}/{shard}"),
    benchmark:
        benchmark_of("train_teachers", "{ensemble}/{repetition}/{shard}")
    wildcard_constraints:
        ensemble=one_of(CLASSIFIER_ENSEMBLES),
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=0,
    params:
        model=lambda wildcards: compact(MODELS[ENSEMBLES[wildcards.ensemble]["model"]]),
        teachers=lambda wildcards: shards_of(wildcards.ensemble)[int(wildcards.shard)],
        seed=SEED,
    message:
        "Training the teachers of {wildcards.ensemble}, repetition {wildcards.repetition}, shard {wildcards.shard}"
    shell:
        "python -m scripts.train_teachers --data {input.data} --split {input.split} --model {params.model:q} --teachers {params.teachers} "
        "--seed {params.seed} --job train_teachers {wildcards.ensemble} {wildcards.repetition} --output {output} "
        "> {log} 2>&1"


rule train_network_teachers:
    input:
        data=lambda wildcards: samples_of(wildcards.ensemble),
        split=f"{PRIVATE}/splits/{{ensemble}}/{{repetition}}.npz",
        code=code("train_network_teachers"),
    output:
        f"{PRIVATE}/teacher_labels/{{ensemble}}/{{repetition}}/{{shard}}.npz",
    log:
        log_of("train_network_teachers", "{ensemble}/{repetition}/{shard}"),
    benchmark:
        benchmark_of("train_network_teachers", "{ensemble}/{repetition}/{shard}")
    wildcard_constraints:
        ensemble=one_of(NETWORK_ENSEMBLES),
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=4000,
        runtime=2880,
        gpu=GPU,
        gres=GRES,
    params:
        model=lambda wildcards: compact(MODELS[ENSEMBLES[wildcards.ensemble]["model"]]),
        classes=lambda wildcards: ENSEMBLES[wildcards.ensemble]["classes"],
        teachers=lambda wildcards: shards_of(wildcards.ensemble)[int(wildcards.shard)],
        checkpoint=lambda wildcards: checkpoint_of("train_network_teachers", *wildcards),
        device=config["device"],
        seed=SEED,
    message:
        "Training the teachers of {wildcards.ensemble}, repetition {wildcards.repetition}, shard {wildcards.shard}"
    shell:
        "python -m scripts.train_network_teachers --data {input.data} --split {input.split} --model {params.model:q} "
        "--classes {params.classes} --teachers {params.teachers} --seed {params.seed} "
        "--job train_teachers {wildcards.ensemble} {wildcards.repetition} --device {params.device} "
        "--threads {threads} --checkpoint {params.checkpoint} --output {output} > {log} 2>&1"
