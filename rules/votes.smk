"""Votes: one histogram a query, from teachers trained here or from votes that were published."""


def labels_or_votes(wildcards):
    ensemble = ENSEMBLES[wildcards.ensemble]
    if ensemble["kind"] == "published":
        return f"{PRIVATE}/data/{ensemble['dataset']}.npz"
    return f"{PRIVATE}/teacher_labels/{wildcards.ensemble}/{wildcards.drawn}.npz"


rule count_votes:
    message:
        "Counting the votes of {wildcards.ensemble}, repetition {wildcards.drawn}"
    input:
        labels=labels_or_votes,
        code=code("count_votes"),
    output:
        f"{PRIVATE}/votes/{{ensemble}}/{{drawn}}.npz",
    params:
        teachers=lambda wildcards: ENSEMBLES[wildcards.ensemble]["teachers"],
    log:
        log_of("count_votes", "/{ensemble}/{drawn}"),
    benchmark:
        benchmark_of("count_votes", "/{ensemble}/{drawn}")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    conda:
        "../envs/learning.yaml"
    shell:
        "python -m scripts.count_votes --input {input.labels} --teachers {params.teachers} --output {output} "
        "> {log} 2>&1"
