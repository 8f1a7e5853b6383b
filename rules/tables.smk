"""Tables: one target each."""


rule scalable_pate_table1:
    """Table 1 of Scalable PATE: queries, epsilon and accuracy of each aggregator."""
    input:
        records=table1_records,
        claims=os.path.relpath(ROOT / "claims.csv"),
        code=code("scalable_pate_table1"),
    output:
        table=report(
            f"{PATE}/table1.csv",
            caption="../report/scalable_pate_table1.rst",
            category="Scalable PATE",
            labels={"item": "Table 1", "kind": "table"},
        ),
        privacy=f"{PATE}/table1_privacy.csv",
    log:
        log_of("scalable_pate_table1"),
    benchmark:
        benchmark_of("scalable_pate_table1")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        runs=runs_of("table1"),
    message:
        "Table 1 of Scalable PATE"
    shell:
        "python -m scripts.scalable_pate_table1 --runs {params.runs:q} --records {input.records} "
        "--claims {input.claims:q} --output {output.table} --privacy {output.privacy} > {log} 2>&1"


rule scalable_pate_table2:
    """Table 2 of Scalable PATE: smooth sensitivity, and the sanitised epsilon."""
    input:
        records=[
            f"{PATE}/sanitized/{run}/{drawn}.json"
            for run in config["scalable_pate"]["table2"]
            for drawn in votes_drawn(RUNS[run]["ensemble"])
        ],
        code=code("scalable_pate_table2"),
    output:
        table=report(
            f"{PATE}/table2.csv",
            caption="../report/scalable_pate_table2.rst",
            category="Scalable PATE",
            labels={"item": "Table 2", "kind": "table"},
        ),
        privacy=f"{PATE}/table2_privacy.csv",
    log:
        log_of("scalable_pate_table2"),
    benchmark:
        benchmark_of("scalable_pate_table2")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        runs=runs_of("table2"),
    message:
        "Table 2 of Scalable PATE"
    shell:
        "python -m scripts.scalable_pate_table2 --runs {params.runs:q} --records {input.records} "
        "--output {output.table} --privacy {output.privacy} > {log} 2>&1"
