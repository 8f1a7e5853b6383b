"""Membership attacks on the networks of residual perturbation."""

ATTACKS = jobs_of("attack_residual", plan.residual_perturbation.trained("residual", "dp_sgd"))


rule attack_residual:
    """Every attack on the networks of one method at one noise coefficient: which samples were they trained on?"""
    input:
        **ATTACKS.inputs(
            networks=plan.residual_perturbation.files["networks"],
            predictions=plan.residual_perturbation.files["predictions"],
            plain=asked(plan.residual_perturbation.plain_predictions),
        ),
    output:
        record=ATTACKS.output(plan.residual_perturbation.files["attacks"]),
        scores=ATTACKS.output(f"{plan.residual_perturbation.folder}/attacks/{{task}}/{{method}}/{{gamma}}.csv"),
        curves=ATTACKS.output(f"{plan.residual_perturbation.folder}/attacks/{{task}}/{{method}}/{{gamma}}.roc.csv"),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.tasks),
        method=one_of(plan.residual_perturbation.methods),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        **options(plan.residual_perturbation.attack_settings, ATTACKS),
    shell:
        "python -m scripts.attack_residual {params} > {log} 2>&1"
