"""Figures of residual perturbation's attacks, and of its data."""

for item in ATTACK_FIGURES:
    script = "residual_perturbation_roc" if item in ROC_FIGURES else "residual_perturbation_noise"

    rule:
        """A figure of residual perturbation: attacks and accuracy against the noise coefficient, or ROC curves."""
        name:
            f"residual_perturbation_{item}"
        input:
            records=figure_records(item),
            controls=[control_of(task) for task in ATTACK_FIGURES[item]["tasks"]],
            tables=beside(figure_records(item) + [control_of(task) for task in ATTACK_FIGURES[item]["tasks"]]),
            code=code(script),
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
            script=script,
            item=item[3:],
            sizes="--sizes" if item == "fig6" else "",
        message:
            "Figure {params.item} of residual perturbation"
        shell:
            "python -m scripts.{params.script} --records {input.records} --controls {input.controls} {params.sizes} --output {output.numbers} "
            "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule residual_perturbation_fig2:
    """Figure 2 of residual perturbation: patches of both classes."""
    input:
        data=f"{PRIVATE}/data/{RESIDUAL['patches']}.npz",
        code=code("residual_perturbation_fig2"),
    output:
        png=report(
            f"{PERTURBATION}/fig2.png",
            caption="../report/residual_perturbation_fig2.rst",
            category="Residual perturbation",
            labels={"item": "Figure 2", "kind": "figure"},
        ),
        pdf=f"{PERTURBATION}/fig2.pdf",
    log:
        log_of("residual_perturbation_fig2"),
    benchmark:
        benchmark_of("residual_perturbation_fig2")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=6000,
        runtime=5,
        gpu=0,
    params:
        dataset=RESIDUAL["patches"],
        seed=SEED,
    message:
        "Figure 2 of residual perturbation"
    shell:
        "python -m scripts.residual_perturbation_fig2 --seed {params.seed} --dataset {params.dataset} "
        "--data {input.data} --png {output.png} --pdf {output.pdf} > {log} 2>&1"
