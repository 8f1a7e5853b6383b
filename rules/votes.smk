"""Votes: one histogram a query, from teachers trained here or from votes that were published."""


rule count_votes:
    input:
        labels=labels_or_votes,
        code=code("count_votes"),
    output:
        f"{PRIVATE}/votes/{{ensemble}}/{{drawn}}.npz",
    log:
        log_of("count_votes", "{ensemble}/{drawn}"),
    benchmark:
        benchmark_of("count_votes", "{ensemble}/{drawn}")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        teachers=lambda wildcards: ENSEMBLES[wildcards.ensemble]["teachers"],
        classes=lambda wildcards: ENSEMBLES[wildcards.ensemble]["classes"],
    message:
        "Counting the votes of {wildcards.ensemble}, repetition {wildcards.drawn}"
    shell:
        "python -m scripts.count_votes --input {input.labels} --teachers {params.teachers} --classes {params.classes} --output {output} "
        "> {log} 2>&1"
