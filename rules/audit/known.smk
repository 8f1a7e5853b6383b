"""The audits audited: lower bounds on epsilon of mechanisms whose epsilon is known exactly."""


rule audit:
    """Both audits of mechanisms whose epsilon is known exactly, intact and broken on purpose."""
    input:
        plan.results.targets("audit"),


rule audit_known:
    """Lower bounds on a known epsilon, of intact and of broken mechanisms, over runs or canaries."""
    output:
        **table("audit_known", "privacy"),
        **pictures("audit_known"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.audit.known_settings),
    shell:
        "python -m scripts.audit_known {params} > {log} 2>&1"
