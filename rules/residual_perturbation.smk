"""Residual perturbation: pictures carried forward and back, what its theorems say, and what its baseline costs."""

PERTURBATION = f"{RESULTS}/residual_perturbation"
THEORY = config["residual_perturbation"]["theory"]
SDE_FIGURES = {"fig1": "additive", "fig8": "multiplicative"}

for item, strategy in SDE_FIGURES.items():

    rule:
        """A figure of residual perturbation: a picture recovered from its features, without and with noise."""
        name:
            f"residual_perturbation_{item}"
        input:
            code=code("residual_perturbation_sde"),
        output:
            numbers=f"{PERTURBATION}/{item}.csv",
            comparison=f"{PERTURBATION}/{item}_comparison.csv",
            png=report(
                f"{PERTURBATION}/{item}.png",
                caption=f"../report/residual_perturbation_{item}.rst",
                category="Residual perturbation",
                labels={"item": f"Figure {item[3:]}", "kind": "figure"},
            ),
            pdf=f"{PERTURBATION}/{item}.pdf",
        log:
            log_of(f"residual_perturbation_{item}"),
        benchmark:
            benchmark_of(f"residual_perturbation_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            item=item[3:],
            strategy=strategy,
            settings=compact(config["residual_perturbation"]["sde"]),
            repetitions=len(REPETITIONS),
            seed=SEED,
        message:
            "Figure {params.item} of residual perturbation"
        shell:
            "python -m scripts.residual_perturbation_sde --seed {params.seed} --repetitions {params.repetitions} "
            "--strategy {params.strategy} --settings {params.settings:q} --output {output.numbers} "
            "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule residual_perturbation_theory:
    """The budgets of Theorems 1 and 2 of residual perturbation in every reading, beside the published ones."""
    input:
        code=code("residual_perturbation_theory"),
    output:
        table=report(
            f"{PERTURBATION}/theory.csv",
            caption="../report/residual_perturbation_theory.rst",
            category="Residual perturbation",
            labels={"item": "Theorems 1 and 2", "kind": "table"},
        ),
        privacy=f"{PERTURBATION}/theory_privacy.csv",
    log:
        log_of("residual_perturbation_theory"),
    benchmark:
        benchmark_of("residual_perturbation_theory")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        theory=compact({name: THEORY[name] for name in ("delta", "strategy1", "strategy2")}),
    message:
        "What the theorems of residual perturbation say"
    shell:
        "python -m scripts.residual_perturbation_theory --theory {params.theory:q} --output {output.table} "
        "--privacy {output.privacy} > {log} 2>&1"


rule residual_perturbation_dp_sgd:
    """What DP-SGD costs at the settings printed with residual perturbation, beside the published budgets."""
    input:
        code=code("residual_perturbation_dp_sgd"),
    output:
        table=report(
            f"{PERTURBATION}/dp_sgd.csv",
            caption="../report/residual_perturbation_dp_sgd.rst",
            category="Residual perturbation",
            labels={"item": "DP-SGD", "kind": "table"},
        ),
        privacy=f"{PERTURBATION}/dp_sgd_privacy.csv",
    log:
        log_of("residual_perturbation_dp_sgd"),
    benchmark:
        benchmark_of("residual_perturbation_dp_sgd")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        settings=compact(THEORY["dp_sgd"]),
    message:
        "What the baseline of residual perturbation costs"
    shell:
        "python -m scripts.residual_perturbation_dp_sgd --settings {params.settings:q} --output {output.table} "
        "--privacy {output.privacy} > {log} 2>&1"


rule residual_perturbation_rademacher:
    """Rademacher complexities of the plain and the perturbed class of Theorem 3, simulated and bounded."""
    input:
        code=code("residual_perturbation_rademacher"),
    output:
        report(
            f"{PERTURBATION}/rademacher.csv",
            caption="../report/residual_perturbation_rademacher.rst",
            category="Residual perturbation",
            labels={"item": "Theorem 3", "kind": "table"},
        ),
    log:
        log_of("residual_perturbation_rademacher"),
    benchmark:
        benchmark_of("residual_perturbation_rademacher")
    conda:
        "../envs/accounting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        settings=compact(THEORY["rademacher"]),
        repetitions=len(REPETITIONS),
        seed=SEED,
    message:
        "Simulating the complexities of Theorem 3"
    shell:
        "python -m scripts.residual_perturbation_rademacher --seed {params.seed} --repetitions {params.repetitions} "
        "--settings {params.settings:q} --output {output} > {log} 2>&1"
