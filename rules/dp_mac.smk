"""DP-MAC: what its printed settings cost, its curves and those it is compared with, and its tables and figures."""

# the script that trains a method; the names of its methods are also those of the series' `method`
TRAINERS = {
    "train_mac": ("mac", "dp_mac"),
    "train_sgd": ("backpropagation", "dp_sgd"),
    "train_cdbn": ("cdbn", "dp_cdbn", "dp_cdbn_published"),
}

for trainer, methods in TRAINERS.items():

    rule:
        name:
            trainer
        input:
            data=lambda wildcards: f"{PRIVATE}/data/{SERIES[wildcards.series]['dataset']}.npz",
            code=code(trainer),
        output:
            record=f"{MAC}/curves/{{series}}/{{level}}/{{part}}.json",
            curves=f"{MAC}/curves/{{series}}/{{level}}/{{part}}.csv",
            weights=f"{PRIVATE}/dp_mac/weights/{{series}}/{{level}}/{{part}}.npz",
        log:
            log_of(trainer, "{series}/{level}/{part}"),
        benchmark:
            benchmark_of(trainer, "{series}/{level}/{part}")
        wildcard_constraints:
            series=one_of([name for name, series in SERIES.items() if series["method"] in methods]),
            level=r"none|(printed|needed)_[\d.]+",
            part=r"all|\d+",
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=3000,
            runtime=120,
            gpu=GPU,
            gres=GRES,
        params:
            script=trainer,
            series=lambda wildcards: described_series(wildcards.series),
            dataset=lambda wildcards: SERIES[wildcards.series]["dataset"],
            level=lambda wildcards: level_options(wildcards.level),
            repetitions=repetitions_of,
            accounting=compact(config["accounting"]),
            checkpoint=lambda wildcards: checkpoint_of(*wildcards),
            device=config["device"],
            preset=config["preset"],
            seed=SEED,
        message:
            "Training {wildcards.series}, noise {wildcards.level}, repetitions {params.repetitions}"
        shell:
            "python -m scripts.{params.script} --data {input.data} --series {params.series:q} {params.level} "
            "--repetitions {params.repetitions} --accounting {params.accounting:q} --preset {params.preset} "
            "--seed {params.seed} --job {wildcards.series} {wildcards.level} --dataset {params.dataset} "
            "--device {params.device} --threads {threads} --checkpoint {params.checkpoint} --curves {output.curves} "
            "--weights {output.weights} --output {output.record} > {log} 2>&1"


rule reference_lines:
    input:
        data=lambda wildcards: data_of(wildcards.series),
        code=code("reference_lines"),
    output:
        f"{MAC}/references/{{series}}.json",
    log:
        log_of("reference_lines", "{series}"),
    benchmark:
        benchmark_of("reference_lines", "{series}")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
        gpu=0,
    params:
        series=lambda wildcards: described_series(wildcards.series),
        dataset=lambda wildcards: SERIES[wildcards.series]["dataset"],
        components=config["dp_mac"]["components"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Reference lines of {wildcards.series}"
    shell:
        "python -m scripts.reference_lines --data {input.data} --series {params.series:q} "
        "--components {params.components} --preset {params.preset} --seed {params.seed} "
        "--job reference_lines {wildcards.series} --dataset {params.dataset} --output {output} > {log} 2>&1"


TABLES1 = {item: curves for item, curves in (("table1a", CLASSIFIERS), ("table1b", AUTOENCODERS)) if curves}
for item, curves in TABLES1.items():

    rule:
        """Table 1 of DP-MAC, one half: classifiers (a), or autoencoders (b)."""
        name:
            f"dp_mac_{item}"
        input:
            records=records_of(curves),
            curves=[record.removesuffix("json") + "csv" for record in records_of(curves)],
            references=[f"{MAC}/references/{REFERENCE}.json"] if item == "table1b" else [],
            code=code("dp_mac_table1"),
        output:
            table=report(
                f"{MAC}/{item}.csv",
                caption=f"../report/dp_mac_{item}.rst",
                category="DP-MAC",
                labels={"item": f"Table {item[5:]}", "kind": "table"},
            ),
            privacy=f"{MAC}/{item}_privacy.csv",
        log:
            log_of(f"dp_mac_{item}"),
        benchmark:
            benchmark_of(f"dp_mac_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            references=f"--references {MAC}/references/{REFERENCE}.json" if item == "table1b" else "",
            item=item[5:],
        message:
            "Table {params.item} of DP-MAC"
        shell:
            "python -m scripts.dp_mac_table1 --records {input.records} {params.references} --output {output.table} "
            "--privacy {output.privacy} > {log} 2>&1"


if AUTOENCODERS:

    rule dp_mac_fig1:
        """Figure 1 of DP-MAC: errors of autoencoders by epoch, DP-MAC's beside DP-SGD's."""
        input:
            records=records_of(AUTOENCODERS),
            curves=[record.removesuffix("json") + "csv" for record in records_of(AUTOENCODERS)],
            references=f"{MAC}/references/{REFERENCE}.json",
            code=code("dp_mac_fig1"),
        output:
            numbers=f"{MAC}/fig1.csv",
            comparison=f"{MAC}/fig1_comparison.csv",
            privacy=f"{MAC}/fig1_comparison_privacy.csv",
            png=report(
                f"{MAC}/fig1.png",
                caption="../report/dp_mac_fig1.rst",
                category="DP-MAC",
                labels={"item": "Figure 1", "kind": "figure"},
            ),
            pdf=f"{MAC}/fig1.pdf",
        log:
            log_of("dp_mac_fig1"),
        benchmark:
            benchmark_of("dp_mac_fig1")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        message:
            "Figure 1 of DP-MAC"
        shell:
            "python -m scripts.dp_mac_fig1 --records {input.records} --references {input.references} "
            "--output {output.numbers} --comparison {output.comparison} --privacy {output.privacy} "
            "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule dp_mac_fig2:
    """Figure 2 of DP-MAC: objectives, their approximations, and the noise on these."""
    input:
        code=code("dp_mac_fig2"),
    output:
        numbers=f"{MAC}/fig2.csv",
        comparison=f"{MAC}/fig2_comparison.csv",
        png=report(
            f"{MAC}/fig2.png",
            caption="../report/dp_mac_fig2.rst",
            category="DP-MAC",
            labels={"item": "Figure 2", "kind": "figure"},
        ),
        pdf=f"{MAC}/fig2.pdf",
    log:
        log_of("dp_mac_fig2"),
    benchmark:
        benchmark_of("dp_mac_fig2")
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        figure=compact(config["dp_mac"]["fig2"]),
        seed=SEED,
    message:
        "Figure 2 of DP-MAC"
    shell:
        "python -m scripts.dp_mac_fig2 --seed {params.seed} --figure {params.figure:q} --output {output.numbers} "
        "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


if FIG3_CURVES := named_curves(config["dp_mac"]["fig3"]["curves"]):

    rule dp_mac_fig3:
        """Figure 3 of DP-MAC: features that matter for some labels, with and without privacy."""
        input:
            records=records_of(FIG3_CURVES),
            weights=weights_files(FIG3_CURVES),
            data=data_of(FIG3_CURVES[0][0]),
            code=code("dp_mac_fig3"),
        output:
            numbers=f"{MAC}/fig3.csv",
            comparison=f"{MAC}/fig3_comparison.csv",
            png=report(
                f"{MAC}/fig3.png",
                caption="../report/dp_mac_fig3.rst",
                category="DP-MAC",
                labels={"item": "Figure 3", "kind": "figure"},
            ),
            pdf=f"{MAC}/fig3.pdf",
        log:
            log_of("dp_mac_fig3"),
        benchmark:
            benchmark_of("dp_mac_fig3")
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=2000,
            runtime=5,
            gpu=0,
        params:
            labels=config["dp_mac"]["fig3"]["labels"],
            seed=SEED,
        message:
            "Figure 3 of DP-MAC"
        shell:
            "python -m scripts.dp_mac_fig3 --records {input.records} --weights {input.weights} --data {input.data} "
            "--seed {params.seed} --labels {params.labels} --output {output.numbers} "
            "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


if FIG4_CURVES := named_curves(config["dp_mac"]["fig4"]["curves"]):

    rule dp_mac_fig4:
        """Figure 4 of DP-MAC: reconstructions of test images, with and without privacy."""
        input:
            records=records_of(FIG4_CURVES),
            weights=weights_files(FIG4_CURVES),
            data=data_of(FIG4_CURVES[0][0]),
            code=code("dp_mac_fig4"),
        output:
            numbers=f"{MAC}/fig4.csv",
            png=report(
                f"{MAC}/fig4.png",
                caption="../report/dp_mac_fig4.rst",
                category="DP-MAC",
                labels={"item": "Figure 4", "kind": "figure"},
            ),
            pdf=f"{MAC}/fig4.pdf",
        log:
            log_of("dp_mac_fig4"),
        benchmark:
            benchmark_of("dp_mac_fig4")
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=2000,
            runtime=5,
            gpu=0,
        params:
            images=config["dp_mac"]["fig4"]["images"],
            seed=SEED,
        message:
            "Figure 4 of DP-MAC"
        shell:
            "python -m scripts.dp_mac_fig4 --records {input.records} --weights {input.weights} --data {input.data} "
            "--seed {params.seed} --images {params.images} --output {output.numbers} --png {output.png} "
            "--pdf {output.pdf} > {log} 2>&1"


if BOUNDED := config["dp_mac"]["sensitivity"]:
    BOUNDED_CURVES = named_curves((entry["series"], "none") for entry in BOUNDED)

    rule dp_mac_sensitivity:
        """Analytic sensitivities of DP-MAC's coefficients, as printed and corrected, beside clipping thresholds."""
        input:
            records=records_of(BOUNDED_CURVES),
            weights=weights_files(BOUNDED_CURVES),
            data=sorted({data_of(entry["series"]) for entry in BOUNDED}),
            code=code("dp_mac_sensitivity"),
        output:
            report(
                f"{MAC}/sensitivity.csv",
                caption="../report/dp_mac_sensitivity.rst",
                category="DP-MAC",
                labels={"item": "Sensitivities", "kind": "table"},
            ),
        log:
            log_of("dp_mac_sensitivity"),
        benchmark:
            benchmark_of("dp_mac_sensitivity")
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=2000,
            runtime=5,
            gpu=0,
        params:
            data=[data_of(entry["series"]) for entry in BOUNDED],
            bounds=[entry["bound"] for entry in BOUNDED],
            thresholds=[entry["threshold"] for entry in BOUNDED],
            seed=SEED,
        message:
            "Table of sensitivities"
        shell:
            "python -m scripts.dp_mac_sensitivity --records {input.records} --weights {input.weights} "
            "--data {params.data} --bounds {params.bounds} --thresholds {params.thresholds} --seed {params.seed} "
            "--output {output} > {log} 2>&1"


MAC_FIGURES = [
    item
    for item, chosen in (("fig1", AUTOENCODERS), ("fig2", True), ("fig3", FIG3_CURVES), ("fig4", FIG4_CURVES))
    if chosen
]


rule dp_mac_budget:
    """The epsilons that DP-MAC's printed noise really costs, and the noise that its printed epsilons need."""
    input:
        code=code("dp_mac_budget"),
    output:
        table=report(
            f"{MAC}/budget.csv",
            caption="../report/dp_mac_budget.rst",
            category="DP-MAC",
            labels={"item": "Budget", "kind": "table"},
        ),
        privacy=f"{MAC}/budget_privacy.csv",
    log:
        log_of("dp_mac_budget"),
    benchmark:
        benchmark_of("dp_mac_budget")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
        gpu=0,
    params:
        budget=compact(config["dp_mac"]["budget"]),
        accounting=compact(config["accounting"]),
    message:
        "What DP-MAC's printed settings cost"
    shell:
        "python -m scripts.dp_mac_budget --budget {params.budget:q} --accounting {params.accounting:q} "
        "--output {output.table} --privacy {output.privacy} > {log} 2>&1"
