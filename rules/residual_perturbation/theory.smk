"""What the theorems of residual perturbation say, and what its baseline costs."""


rule residual_perturbation_theory:
    """The budgets of Theorems 1 and 2 of residual perturbation in every reading, beside the published ones."""
    output:
        **table("residual_perturbation_theory", "privacy"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.theory_settings),
    shell:
        "python -m scripts.residual_perturbation_theory {params} > {log} 2>&1"


rule residual_perturbation_dp_sgd:
    """What DP-SGD costs at the settings printed with residual perturbation, beside the published budgets."""
    output:
        **table("residual_perturbation_dp_sgd", "privacy"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.dp_sgd_settings),
    shell:
        "python -m scripts.residual_perturbation_dp_sgd {params} > {log} 2>&1"


rule residual_perturbation_rademacher:
    """Rademacher complexities of the plain and the perturbed class of Theorem 3, simulated and bounded."""
    output:
        **table("residual_perturbation_rademacher"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.rademacher_settings),
    shell:
        "python -m scripts.residual_perturbation_rademacher {params} > {log} 2>&1"
