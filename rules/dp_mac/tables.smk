"""DP-MAC: its tables."""


rule dp_mac_table1a:
    """Table 1a of DP-MAC: accuracy of classifiers, and what each training cost."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_table1a", "records", "beside"))),
    output:
        **table("dp_mac_table1a", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.dp_mac.shown("dp_mac_table1a")),
    shell:
        "python -m scripts.dp_mac_table1 {params} > {log} 2>&1"


use rule dp_mac_table1a as dp_mac_table1b with:
    """Table 1b of DP-MAC: error of autoencoders, what each training cost, and what they must beat."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_table1b", "records", "beside"))),
        references=asked(plan.dp_mac.references),
    output:
        **table("dp_mac_table1b", "privacy"),
    params:
        **options(plan.dp_mac.shown("dp_mac_table1b")),


rule dp_mac_budget:
    """The epsilons that DP-MAC's printed noise really costs, and the noise that its printed epsilons need."""
    output:
        **table("dp_mac_budget", "privacy"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.dp_mac.budget_settings),
    shell:
        "python -m scripts.dp_mac_budget {params} > {log} 2>&1"


rule dp_mac_sensitivity:
    """Analytic sensitivities of DP-MAC's coefficients, as printed and corrected, beside clipping thresholds."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_sensitivity", "records", "weights", "data"))),
    output:
        **table("dp_mac_sensitivity"),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=2000,
    params:
        **options(plan.dp_mac.sensitivity_settings),
    shell:
        "python -m scripts.dp_mac_sensitivity {params} > {log} 2>&1"
