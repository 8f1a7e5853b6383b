"""Networks with residual perturbation and without it, and by DP-SGD: those that are attacked."""

DRAWN = jobs_of("draw_task", plan.residual_perturbation.drawn_tasks())
TRAINED = jobs_of("train_residual", plan.residual_perturbation.trained_sides("residual"))
PREDICTED = jobs_of("predict_residual", plan.residual_perturbation.trained("residual"))
TRAINED_PRIVATELY = jobs_of("train_residual_dp_sgd", plan.residual_perturbation.trained_sides("dp_sgd"))
PREDICTED_PRIVATELY = jobs_of("predict_residual_dp_sgd", plan.residual_perturbation.trained("dp_sgd"))


rule draw_task:
    """The data of one attack: the halves of the target and of the shadow, and the test set."""
    input:
        **DRAWN.inputs(data=asked(plan.residual_perturbation.samples_of_task)),
    output:
        samples=DRAWN.output(plan.residual_perturbation.files["draws"]),
        patients=DRAWN.output(f"{plan.residual_perturbation.private}/draws/{{task}}.csv"),
        record=DRAWN.output(plan.residual_perturbation.files["drawn"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=10000,
    params:
        **options(plan.residual_perturbation.draw_settings, DRAWN),
    shell:
        "python -m scripts.draw_task {params} > {log} 2>&1"


rule train_residual:
    """Networks of one method at one noise coefficient: of the target, or of its shadow, in one repetition."""
    input:
        **TRAINED.inputs(samples=asked(plan.residual_perturbation.draws_of_networks)),
    output:
        weights=TRAINED.output(plan.residual_perturbation.files["weights"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
        method=one_of(plan.residual_perturbation.methods_of_kind("residual")),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=120,
    params:
        **options(plan.residual_perturbation.network_settings, TRAINED),
    shell:
        "python -m scripts.train_residual {params} --threads {threads} > {log} 2>&1"


rule predict_residual:
    """What the networks of one method at one noise coefficient predict, on both sides and in every repetition."""
    input:
        **PREDICTED.inputs(
            samples=asked(plan.residual_perturbation.draws_of_networks),
            weights=asked(plan.residual_perturbation.trained_networks),
        ),
    output:
        record=PREDICTED.output(plan.residual_perturbation.files["networks"]),
        predictions=PREDICTED.output(plan.residual_perturbation.files["predictions"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
        method=one_of(plan.residual_perturbation.methods_of_kind("residual")),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=30,
    params:
        **options(plan.residual_perturbation.prediction_settings, PREDICTED),
    shell:
        "python -m scripts.predict_residual {params} --threads {threads} > {log} 2>&1"


rule train_residual_dp_sgd:
    """One network by DP-SGD, the baseline: the target's, or its shadow's, in one repetition."""
    input:
        **TRAINED_PRIVATELY.inputs(samples=asked(plan.residual_perturbation.draws_of_networks)),
    output:
        weights=TRAINED_PRIVATELY.output(plan.residual_perturbation.files["weights"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
        method=one_of(plan.residual_perturbation.methods_of_kind("dp_sgd")),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=120,
    params:
        **options(plan.residual_perturbation.dp_sgd_network_settings, TRAINED_PRIVATELY),
    shell:
        "python -m scripts.train_residual_dp_sgd {params} --threads {threads} > {log} 2>&1"


rule predict_residual_dp_sgd:
    """What the networks of one task by DP-SGD predict, and what training one of them cost."""
    input:
        **PREDICTED_PRIVATELY.inputs(
            samples=asked(plan.residual_perturbation.draws_of_networks),
            weights=asked(plan.residual_perturbation.trained_networks),
        ),
    output:
        record=PREDICTED_PRIVATELY.output(plan.residual_perturbation.files["networks"]),
        predictions=PREDICTED_PRIVATELY.output(plan.residual_perturbation.files["predictions"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
        method=one_of(plan.residual_perturbation.methods_of_kind("dp_sgd")),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=30,
    params:
        **options(plan.residual_perturbation.dp_sgd_prediction_settings, PREDICTED_PRIVATELY),
    shell:
        "python -m scripts.predict_residual_dp_sgd {params} --threads {threads} > {log} 2>&1"
