"""Tables: one target each."""


def runs_of(item):
    """The runs of a table or figure with all that a script needs to know of them, as text."""
    described = []
    for name in config["scalable_pate"][item]:
        ensemble = ensemble_of(name) | {"name": RUNS[name]["ensemble"]}
        described.append(
            RUNS[name] | {"name": name, "ensemble": ensemble, "moments": config["accounting"]["moments"]}
        )
    return compact(described)


def table1_records(wildcards):
    """Records of every stage of the runs in Table 1."""
    runs = config["scalable_pate"]["table1"]
    records = accounts(runs)
    records += [f"{PATE}/aggregated/{run}/{repetition}.json" for run in runs for repetition in REPETITIONS]
    for run in runs:
        if model := RUNS[run]["student"]:
            ensemble = RUNS[run]["ensemble"]
            records += [f"{PATE}/students/{run}/{repetition}.json" for repetition in REPETITIONS]
            records += [f"{PATE}/baselines/{ensemble}/{model}/{repetition}.json" for repetition in REPETITIONS]
    return sorted(set(records))


rule scalable_pate_table1:
    """Table 1 of Scalable PATE: queries, epsilon and accuracy of each aggregator."""
    message:
        "Table 1 of Scalable PATE"
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
    params:
        runs=runs_of("table1"),
    log:
        log_of("scalable_pate_table1"),
    benchmark:
        benchmark_of("scalable_pate_table1")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    conda:
        "../envs/reporting.yaml"
    shell:
        "python -m scripts.scalable_pate_table1 --runs {params.runs:q} --records {input.records} "
        "--claims {input.claims:q} --output {output.table} --privacy {output.privacy} > {log} 2>&1"


rule scalable_pate_table2:
    """Table 2 of Scalable PATE: smooth sensitivity, and the sanitised epsilon."""
    message:
        "Table 2 of Scalable PATE"
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
    params:
        runs=runs_of("table2"),
    log:
        log_of("scalable_pate_table2"),
    benchmark:
        benchmark_of("scalable_pate_table2")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    conda:
        "../envs/reporting.yaml"
    shell:
        "python -m scripts.scalable_pate_table2 --runs {params.runs:q} --records {input.records} "
        "--output {output.table} --privacy {output.privacy} > {log} 2>&1"
