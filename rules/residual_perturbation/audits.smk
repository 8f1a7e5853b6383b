"""Residual perturbation audited: runs with and without a canary, and the lower bounds on epsilon that they show."""

AUDITED = jobs_of("train_audited", plan.residual_perturbation.audited_shards())
AUDITS = jobs_of("audit_residual", plan.residual_perturbation.audited())


rule train_audited:
    """One way to train, with a canary and without it, some runs of each: what the networks say of the canary."""
    input:
        **AUDITED.inputs(data=plan.residual_perturbation.samples_of_audit),
    output:
        statistics=AUDITED.output(plan.residual_perturbation.files["audited"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.audit["tasks"]),
        mechanism=one_of(plan.residual_perturbation.audit["mechanisms"]),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=120,
    params:
        **options(plan.residual_perturbation.audited_settings, AUDITED),
    shell:
        "python -m scripts.train_audited {params} --threads {threads} > {log} 2>&1"


rule audit_residual:
    """One way to train, audited: the bound that all its runs with a canary and without it show."""
    input:
        **AUDITS.inputs(runs=plan.residual_perturbation.runs_of_audit),
    output:
        record=AUDITS.output(plan.residual_perturbation.files["audits"]),
        statistics=AUDITS.output(plan.residual_perturbation.files["statistics"]),
    wildcard_constraints:
        task=one_of(plan.residual_perturbation.audit["tasks"]),
        mechanism=one_of(plan.residual_perturbation.audit["mechanisms"]),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.audit_settings, AUDITS),
    shell:
        "python -m scripts.audit_residual {params} > {log} 2>&1"


rule residual_perturbation_budget:
    """Budgets of Strategy I and of DP-SGD beside lower bounds on epsilon, ours and the published ones."""
    input:
        unpack(asked(plan.residual_perturbation.audits)),
    output:
        **table("residual_perturbation_budget", "privacy"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.residual_perturbation.budget_settings),
    shell:
        "python -m scripts.residual_perturbation_budget {params} > {log} 2>&1"
