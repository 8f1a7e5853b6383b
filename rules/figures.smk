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


rule label_tradeoff:
    input:
        votes=f"{PRIVATE}/votes/{{ensemble}}/{{drawn}}.npz",
        code=code("label_tradeoff"),
    output:
        f"{PATE}/tradeoffs/{{ensemble}}/{{drawn}}.csv",
    log:
        log_of("label_tradeoff", "{ensemble}/{drawn}"),
    benchmark:
        benchmark_of("label_tradeoff", "{ensemble}/{drawn}")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=0,
    params:
        teachers=lambda wildcards: ENSEMBLES[wildcards.ensemble]["teachers"],
        dataset=lambda wildcards: ENSEMBLES[wildcards.ensemble]["dataset"],
        tradeoff=compact(
            {name: value for name, value in config["scalable_pate"]["fig4"].items() if name not in ("left", "right")}
        ),
        accounting=compact(config["accounting"]),
        repetitions=config["repetitions"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Trading privacy for accuracy on {wildcards.ensemble}, votes {wildcards.drawn}"
    shell:
        "python -m scripts.label_tradeoff --votes {input.votes} --teachers {params.teachers} "
        "--tradeoff {params.tradeoff:q} --accounting {params.accounting:q} --repetitions {params.repetitions} "
        "--preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job label_tradeoff {wildcards.ensemble} {wildcards.drawn} --output {output} > {log} 2>&1"


FIG1 = config["scalable_pate"]["fig1"]
if FIG1["students"]:

    rule scalable_pate_fig1:
        """Figure 1 of Scalable PATE: accuracy of students, epsilon against answers, and consensus of the teachers."""
        input:
            records=[
                *accounts(FIG1["students"]),
                *realised("aggregated", FIG1["students"]),
                *realised("students", FIG1["students"]),
            ],
            accounts=accounts(FIG1["curves"]),
            curves=[record.removesuffix("json") + "npz" for record in accounts(FIG1["curves"])],
            votes=all_votes_of(FIG1["selection"]),
            published=os.path.relpath(ROOT / "published" / "scalable_pate_fig1_left.csv"),
            code=code("scalable_pate_fig1"),
        output:
            numbers=f"{PATE}/fig1.csv",
            privacy=f"{PATE}/fig1_privacy.csv",
            epsilon=f"{PATE}/fig1_epsilon.csv",
            histogram=f"{PATE}/fig1_histogram.csv",
            comparison=f"{PATE}/fig1_comparison.csv",
            comparison_privacy=f"{PATE}/fig1_comparison_privacy.csv",
            png=report(
                f"{PATE}/fig1.png",
                caption="../report/scalable_pate_fig1.rst",
                category="Scalable PATE",
                labels={"item": "Figure 1", "kind": "figure"},
            ),
            pdf=f"{PATE}/fig1.pdf",
        log:
            log_of("scalable_pate_fig1"),
        benchmark:
            benchmark_of("scalable_pate_fig1")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
            gpu=0,
        params:
            runs=runs_of("fig1", "students"),
            figure=compact(FIG1 | {"selection": RUNS[FIG1["selection"]]}),
        message:
            "Figure 1 of Scalable PATE"
        shell:
            "python -m scripts.scalable_pate_fig1 --runs {params.runs:q} --records {input.records} "
            "--curve-records {input.accounts} --curves {input.curves} --votes {input.votes} "
            "--figure {params.figure:q} --published {input.published:q} --output {output.numbers} "
            "--privacy {output.privacy} --epsilon {output.epsilon} --histogram {output.histogram} "
            "--comparison {output.comparison} --comparison-privacy {output.comparison_privacy} "
            "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


if FIG3 := config["scalable_pate"]["fig3"]:

    rule scalable_pate_fig3:
        """Figure 3 of Scalable PATE: examples of Glyph, an ambiguous pair and a mislabelled one."""
        input:
            code=code("scalable_pate_fig3"),
        output:
            numbers=f"{PATE}/fig3.csv",
            png=report(
                f"{PATE}/fig3.png",
                caption="../report/scalable_pate_fig3.rst",
                category="Scalable PATE",
                labels={"item": "Figure 3", "kind": "figure"},
            ),
            pdf=f"{PATE}/fig3.pdf",
        log:
            log_of("scalable_pate_fig3"),
        benchmark:
            benchmark_of("scalable_pate_fig3")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
            gpu=0,
        params:
            settings=compact(DATASETS[FIG3[0]].get("settings", {})),
        message:
            "Figure 3 of Scalable PATE"
        shell:
            "python -m scripts.scalable_pate_fig3 --settings {params.settings:q} --output {output.numbers} "
            "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


FIG4 = config["scalable_pate"]["fig4"]
if FIG4_VOTES := [
    (ensemble, drawn)
    for ensemble in (dict.fromkeys([FIG4["left"], *FIG4["right"]]) if FIG4["left"] and FIG4["right"] else ())
    for drawn in votes_drawn(ensemble)
]:

    rule scalable_pate_fig4:
        """Figure 4 of Scalable PATE: label accuracy against epsilon, by mechanism and by ensemble size."""
        input:
            tradeoffs=[f"{PATE}/tradeoffs/{ensemble}/{drawn}.csv" for ensemble, drawn in FIG4_VOTES],
            code=code("scalable_pate_fig4"),
        output:
            numbers=f"{PATE}/fig4.csv",
            comparison=f"{PATE}/fig4_comparison.csv",
            privacy=f"{PATE}/fig4_comparison_privacy.csv",
            png=report(
                f"{PATE}/fig4.png",
                caption="../report/scalable_pate_fig4.rst",
                category="Scalable PATE",
                labels={"item": "Figure 4", "kind": "figure"},
            ),
            pdf=f"{PATE}/fig4.pdf",
        log:
            log_of("scalable_pate_fig4"),
        benchmark:
            benchmark_of("scalable_pate_fig4")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            ensembles=compact([ENSEMBLES[ensemble] | {"name": ensemble} for ensemble, _ in FIG4_VOTES]),
            figure=compact({"left": FIG4["left"], "right": FIG4["right"]}),
        message:
            "Figure 4 of Scalable PATE"
        shell:
            "python -m scripts.scalable_pate_fig4 --tradeoffs {input.tradeoffs} --ensembles {params.ensembles:q} "
            "--figure {params.figure:q} --comparison {output.comparison} --privacy {output.privacy} "
            "--output {output.numbers} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


if FIG5 := config["scalable_pate"]["fig5"]["runs"]:

    rule scalable_pate_fig5:
        """Figure 5 of Scalable PATE: what the noisy check selects, and what selecting and answering cost."""
        input:
            votes=all_votes_of(FIG5[0]),
            code=code("scalable_pate_fig5"),
        output:
            numbers=f"{PATE}/fig5.csv",
            histogram=f"{PATE}/fig5_histogram.csv",
            comparison=f"{PATE}/fig5_comparison.csv",
            privacy=f"{PATE}/fig5_comparison_privacy.csv",
            png=report(
                f"{PATE}/fig5.png",
                caption="../report/scalable_pate_fig5.rst",
                category="Scalable PATE",
                labels={"item": "Figure 5", "kind": "figure"},
            ),
            pdf=f"{PATE}/fig5.pdf",
        log:
            log_of("scalable_pate_fig5"),
        benchmark:
            benchmark_of("scalable_pate_fig5")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
            gpu=0,
        params:
            figure=compact(
                config["scalable_pate"]["fig5"]
                | {"runs": dict(zip(("lnmax", "moderate", "aggressive"), map(RUNS.get, FIG5)))}
            ),
            ensemble=compact(ensemble_of(FIG5[0])),
            accounting=compact(config["accounting"]),
        message:
            "Figure 5 of Scalable PATE"
        shell:
            "python -m scripts.scalable_pate_fig5 --votes {input.votes} --ensemble {params.ensemble:q} "
            "--figure {params.figure:q} --accounting {params.accounting:q} --histogram {output.histogram} "
            "--comparison {output.comparison} --privacy {output.privacy} --output {output.numbers} "
            "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


FIGURES = [
    item
    for item, chosen in (
        ("fig1", FIG1["students"]),
        ("fig3", FIG3),
        ("fig4", FIG4_VOTES),
        ("fig5", FIG5),
        ("epsilon", config["scalable_pate"]["epsilon"]),
    )
    if chosen
]
