# The code audited: lower bounds on epsilon of the project's own mechanisms.


rule audit_mechanisms:
    """Lower bounds on the epsilon of every mechanism's own code, intact and with bugs put in on purpose."""
    input:
        code=code("audit_mechanisms"),
    output:
        **table("audit_mechanisms", "privacy"),
        **pictures("audit_mechanisms"),
    log:
        layout.log("audit_mechanisms"),
    conda:
        torch_environment("segmentation")
    params:
        **options(plan.audit.mechanisms_settings),
    shell:
        "python -m scripts.audit_mechanisms {params} > {log} 2>&1"
