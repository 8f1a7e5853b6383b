"""DP-MAC: what its printed settings cost, its curves and those it is compared with, and its tables and figures."""

MAC = f"{RESULTS}/dp_mac"
SERIES = config["dp_mac"]["series"]
# the script that trains a method; the names of its methods are also those of the series' `method`
TRAINERS = {"train_mac": ("mac", "dp_mac")}


def curves_of(choose=lambda series: True):
    """The curves that the preset chooses, of some series: (series, level, part), a job each.

    A level is a kind of noise with the paper's epsilon; a part is a repetition, or `all` where they are trained
    side by side.
    """
    found = []
    for curve in config["dp_mac"]["curves"]:
        name, repetitions = curve["series"], curve["repetitions"]
        parts = ["all"] if SERIES[name]["side_by_side"] else range(1, repetitions + 1)
        levels = [f"{curve['noise']}_{epsilon:g}" for epsilon in curve.get("epsilon", [])] or [curve["noise"]]
        if choose(SERIES[name]):
            found += [(name, level, str(part)) for level in levels for part in parts]
    return found


def repetitions_of(wildcards):
    """The repetitions that one job trains."""
    if wildcards.part != "all":
        return wildcards.part
    kind, _, epsilon = wildcards.level.partition("_")
    for curve in config["dp_mac"]["curves"]:
        if (curve["series"], curve["noise"]) == (wildcards.series, kind) and (
            not epsilon or float(epsilon) in curve["epsilon"]
        ):
            return list(range(1, curve["repetitions"] + 1))
    refuse(f"dp_mac.curves: has none of {wildcards.series} with noise {wildcards.level}")


def level_options(level):
    """The options that tell a script of a level."""
    kind, _, epsilon = level.partition("_")
    return f"--noise {kind}" + (f" --epsilon {epsilon}" if epsilon else "")


def described_series(name):
    """A series' block with its network's in place of its name, as text."""
    return compact(SERIES[name] | {"network": config["dp_mac"]["networks"][SERIES[name]["network"]]})


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
            "../envs/networks.yaml"
        threads: 1
        resources:
            mem_mb=3000,
            runtime=120,
            gpu=GPU,
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
