"""Figures: one target each, with the numbers behind it."""


rule scalable_pate_epsilon:
    """Epsilon against the number of answers, each mechanism on each dataset."""
    input:
        records=accounts(config["scalable_pate"]["epsilon"]),
        curves=[record.removesuffix("json") + "npz" for record in accounts(config["scalable_pate"]["epsilon"])],
        claims=os.path.relpath(ROOT / "claims.csv"),
        code=code("scalable_pate_epsilon"),
    output:
        numbers=f"{PATE}/epsilon.csv",
        png=report(
            f"{PATE}/epsilon.png",
            caption="../report/scalable_pate_epsilon.rst",
            category="Scalable PATE",
            labels={"item": "Epsilon against queries", "kind": "figure"},
        ),
        pdf=f"{PATE}/epsilon.pdf",
    log:
        log_of("scalable_pate_epsilon"),
    benchmark:
        benchmark_of("scalable_pate_epsilon")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        runs=runs_of("epsilon"),
    message:
        "Figure of epsilon against queries"
    shell:
        "python -m scripts.scalable_pate_epsilon --runs {params.runs:q} --records {input.records} "
        "--curves {input.curves} --claims {input.claims:q} --output {output.numbers} --png {output.png} "
        "--pdf {output.pdf} > {log} 2>&1"
