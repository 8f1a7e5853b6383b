"""Residual perturbation audited: runs with and without a canary, and the lower bounds on epsilon that they show."""


rule audit_residual:
    """One way to train, audited: many runs with a canary and without it, and the bound that they show."""
    input:
        data=plan.residual_perturbation.samples_of_audit,
        code=code("audit_residual"),
    output:
        record=f"{plan.residual_perturbation.folder}/audits/{{task}}/{{mechanism}}.json",
        statistics=f"{layout.private}/residual_perturbation/audits/{{task}}/{{mechanism}}.csv",
    log:
        layout.log("audit_residual", "{task}/{mechanism}"),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.audit["tasks"]),
        mechanism=one_of(plan.residual_perturbation.audit["mechanisms"]),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=6000,
        runtime=120,
        gpu=GPU,
        gres=GRES,
    params:
        **options(plan.residual_perturbation.audit_settings),
    shell:
        "python -m scripts.audit_residual {params} --threads {threads} > {log} 2>&1"


rule residual_perturbation_budget:
    """Budgets of Strategy I and of DP-SGD beside lower bounds on epsilon, ours and the published ones."""
    input:
        unpack(asked(plan.residual_perturbation.audits)),
        code=code("residual_perturbation_budget"),
    output:
        **table("residual_perturbation_budget", "privacy"),
    log:
        layout.log("residual_perturbation_budget"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.budget_settings),
    shell:
        "python -m scripts.residual_perturbation_budget {params} > {log} 2>&1"
