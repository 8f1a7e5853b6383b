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


if config["scalable_pate"]["selection"]:

    rule scalable_pate_selection:
        """What the noisy check of Scalable PATE selects, what selecting costs, and students without it."""
        input:
            records=selection_records,
            code=code("scalable_pate_selection"),
        output:
            table=report(
                f"{PATE}/selection.csv",
                caption="../report/scalable_pate_selection.rst",
                category="Scalable PATE",
                labels={"item": "Selection", "kind": "table"},
            ),
            privacy=f"{PATE}/selection_privacy.csv",
        log:
            log_of("scalable_pate_selection"),
        benchmark:
            benchmark_of("scalable_pate_selection")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            runs=runs_of("selection"),
        message:
            "Table of what is selected"
        shell:
            "python -m scripts.scalable_pate_selection --runs {params.runs:q} --records {input.records} "
            "--output {output.table} --privacy {output.privacy} > {log} 2>&1"


if TEACHERS := inspected(config["scalable_pate"]["teachers"]):

    rule scalable_pate_teachers:
        """The ensembles of Scalable PATE: accuracy of a teacher, agreement, accuracy of the plurality."""
        input:
            votes=[votes for _, votes, _, _ in TEACHERS],
            data=sorted({data for _, _, data, _ in TEACHERS}),
            splits=[split for _, _, _, split in TEACHERS],
            code=code("scalable_pate_teachers"),
        output:
            report(
                f"{PATE}/teachers.csv",
                caption="../report/scalable_pate_teachers.rst",
                category="Scalable PATE",
                labels={"item": "Teachers", "kind": "table"},
            ),
        log:
            log_of("scalable_pate_teachers"),
        benchmark:
            benchmark_of("scalable_pate_teachers")
        conda:
            "../envs/learning.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
            gpu=0,
        params:
            ensembles=compact([ENSEMBLES[name] | {"name": name} for name, _, _, _ in TEACHERS]),
            data=[data for _, _, data, _ in TEACHERS],
        message:
            "Table of the teachers"
        shell:
            "python -m scripts.scalable_pate_teachers --ensembles {params.ensembles:q} --votes {input.votes} "
            "--data {params.data} --splits {input.splits} --output {output} > {log} 2>&1"


SEARCH = config["scalable_pate"]["search"]
if SEARCH["runs"]:
    SEARCHED = [inspected([RUNS[run]["ensemble"]])[0] for run in SEARCH["runs"]]

    rule scalable_pate_search:
        """A search by order of magnitude for the parameters of Confident-GNMax, its cost unaccounted."""
        input:
            votes=[votes for _, votes, _, _ in SEARCHED],
            data=sorted({data for _, _, data, _ in SEARCHED}),
            splits=[split for _, _, _, split in SEARCHED],
            code=code("scalable_pate_search"),
        output:
            table=report(
                f"{PATE}/search.csv",
                caption="../report/scalable_pate_search.rst",
                category="Scalable PATE",
                labels={"item": "Search for parameters", "kind": "table"},
            ),
            privacy=f"{PATE}/search_privacy.csv",
            grid=f"{PATE}/search_grid.csv",
            grid_privacy=f"{PATE}/search_grid_privacy.csv",
        log:
            log_of("scalable_pate_search"),
        benchmark:
            benchmark_of("scalable_pate_search")
        conda:
            "../envs/learning.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=30,
            gpu=0,
        params:
            runs=runs_of("search", "runs"),
            data=[data for _, _, data, _ in SEARCHED],
            search=compact(SEARCH),
            accounting=compact(config["accounting"]),
        message:
            "Searching for parameters"
        shell:
            "python -m scripts.scalable_pate_search --runs {params.runs:q} --votes {input.votes} "
            "--data {params.data} --splits {input.splits} --search {params.search:q} "
            "--accounting {params.accounting:q} --output {output.table} --privacy {output.privacy} "
            "--grid {output.grid} --grid-privacy {output.grid_privacy} > {log} 2>&1"
