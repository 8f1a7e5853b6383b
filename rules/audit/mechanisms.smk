# The code audited: lower bounds on epsilon of the project's own mechanisms.


rule audit_code:
    """Lower bounds on the epsilon of some mechanisms' own code, intact and with bugs put in on purpose."""
    output:
        table=f"{plan.audit.folder}/code/{{part}}.csv",
        privacy=f"{plan.audit.folder}/code/{{part}}_privacy.csv",
    wildcard_constraints:
        part=r"\d+",
    conda:
        torch_environment("segmentation")
    params:
        **options(plan.audit.code_settings),
    shell:
        "python -m scripts.audit_code {params} > {log} 2>&1"


rule audit_mechanisms:
    """Lower bounds on the epsilon of every mechanism's own code, intact and with bugs put in on purpose."""
    input:
        tables=plan.audit.code_parts(".csv"),
        privacies=plan.audit.code_parts("_privacy.csv"),
    output:
        **table("audit_mechanisms", "privacy"),
        **pictures("audit_mechanisms"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(),
    shell:
        "python -m scripts.audit_mechanisms {params} > {log} 2>&1"
