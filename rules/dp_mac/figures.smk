"""DP-MAC: its figures."""


rule dp_mac_fig1:
    """Figure 1 of DP-MAC: errors of autoencoders by epoch, DP-MAC's beside DP-SGD's."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_fig1", "records", "beside"))),
        references=asked(plan.dp_mac.references),
    output:
        **figure("dp_mac_fig1", "privacy", "comparison", "comparison_privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.dp_mac.shown("dp_mac_fig1")),
    shell:
        "python -m scripts.dp_mac_fig1 {params} > {log} 2>&1"


rule dp_mac_fig2:
    """Figure 2 of DP-MAC: objectives, their approximations, and the noise on these."""
    output:
        **figure("dp_mac_fig2", "comparison"),
    conda:
        torch_environment("networks")
    params:
        **options(plan.dp_mac.fig2_settings),
    shell:
        "python -m scripts.dp_mac_fig2 {params} > {log} 2>&1"


rule dp_mac_fig3:
    """Figure 3 of DP-MAC: features that matter for some labels, with and without privacy."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_fig3", "records", "weights", "data"))),
    output:
        **figure("dp_mac_fig3", "comparison"),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=2000,
    params:
        **options(plan.dp_mac.fig3_settings),
    shell:
        "python -m scripts.dp_mac_fig3 {params} > {log} 2>&1"


rule dp_mac_fig4:
    """Figure 4 of DP-MAC: reconstructions of test images, with and without privacy."""
    input:
        unpack(asked(plan.dp_mac.files("dp_mac_fig4", "records", "weights", "data"))),
    output:
        **figure("dp_mac_fig4"),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=2000,
    params:
        **options(plan.dp_mac.fig4_settings),
    shell:
        "python -m scripts.dp_mac_fig4 {params} > {log} 2>&1"
