"""Figures of residual perturbation: pictures through its noise, its data, and attacks against the noise."""


rule residual_perturbation_fig1:
    """Figure 1: a picture recovered from its features, without noise and with the additive noise of Strategy I."""
    output:
        **figure("residual_perturbation_fig1", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.flow("additive")),
    shell:
        "python -m scripts.residual_perturbation_sde {params} > {log} 2>&1"


rule residual_perturbation_fig2:
    """Figure 2: patches without and with tumour."""
    input:
        data=plan.residual_perturbation.samples_of_fig2,
    output:
        **pictures("residual_perturbation_fig2"),
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=6000,
    params:
        **options(plan.residual_perturbation.settings_of_fig2),
    shell:
        "python -m scripts.residual_perturbation_fig2 {params} > {log} 2>&1"


rule residual_perturbation_fig3:
    """Figure 3: attack and accuracy against the noise of Strategy I on breast histology."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig3"))),
    output:
        **figure("residual_perturbation_fig3", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.said_in_figure("fig3")),
    shell:
        "python -m scripts.residual_perturbation_noise {params} > {log} 2>&1"


use rule residual_perturbation_fig3 as residual_perturbation_fig4 with:
    """Figure 4: attack and accuracy against the noise of Strategy I on CIFAR10."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig4"))),
    output:
        **figure("residual_perturbation_fig4", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig4")),


use rule residual_perturbation_fig3 as residual_perturbation_fig5 with:
    """Figure 5: attack and accuracy against the noise of Strategy I on CIFAR100."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig5"))),
    output:
        **figure("residual_perturbation_fig5", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig5")),


use rule residual_perturbation_fig3 as residual_perturbation_fig6 with:
    """Figure 6: single networks and ensembles with Strategy I against the noise, a line for each size."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig6"))),
    output:
        **figure("residual_perturbation_fig6", "comparison"),
    params:
        **options(plan.residual_perturbation.settings_of_fig6),


rule residual_perturbation_fig7:
    """Figure 7: ROC curves of the attacks on ensembles with Strategy I, a column a dataset."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig7"))),
    output:
        **figure("residual_perturbation_fig7", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.said_in_figure("fig7")),
    shell:
        "python -m scripts.residual_perturbation_roc {params} > {log} 2>&1"


use rule residual_perturbation_fig1 as residual_perturbation_fig8 with:
    """Figure 8: a picture recovered from its features, without noise and with the multiplicative noise of Strategy II."""
    output:
        **figure("residual_perturbation_fig8", "comparison"),
    params:
        **options(plan.residual_perturbation.flow("multiplicative")),


use rule residual_perturbation_fig3 as residual_perturbation_fig9 with:
    """Figure 9: attack and accuracy against the noise of Strategy II on breast histology."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig9"))),
    output:
        **figure("residual_perturbation_fig9", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig9")),


use rule residual_perturbation_fig3 as residual_perturbation_fig10 with:
    """Figure 10: attack and accuracy against the noise of Strategy II on CIFAR10."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig10"))),
    output:
        **figure("residual_perturbation_fig10", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig10")),


use rule residual_perturbation_fig3 as residual_perturbation_fig11 with:
    """Figure 11: attack and accuracy against the noise of Strategy II on CIFAR100."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig11"))),
    output:
        **figure("residual_perturbation_fig11", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig11")),


use rule residual_perturbation_fig7 as residual_perturbation_fig12 with:
    """Figure 12: ROC curves of the attacks on ensembles with Strategy II, a column a dataset."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_figure("fig12"))),
    output:
        **figure("residual_perturbation_fig12", "comparison"),
    params:
        **options(plan.residual_perturbation.said_in_figure("fig12")),


rule residual_perturbation_tradeoff:
    """Test accuracy against the attack, a curve a method over lengths of training, beside DP-SGD of Table III."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_tradeoff)),
    output:
        **figure("residual_perturbation_tradeoff", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.settings_of_tradeoff),
    shell:
        "python -m scripts.residual_perturbation_tradeoff {params} > {log} 2>&1"
