"""Tables of residual perturbation: attacks and accuracy of its networks, and what an epoch costs."""


rule residual_perturbation_table1:
    """Table 1: attacks on ResNet8, DP-SGD and Strategy I on breast histology, and their accuracy."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("table1"))),
    output:
        **table("residual_perturbation_table1", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.rows_of_table("table1")),
    shell:
        "python -m scripts.residual_perturbation_table {params} > {log} 2>&1"


use rule residual_perturbation_table1 as residual_perturbation_table2 with:
    """Table 2: attacks on ResNet8, DP-SGD and Strategy I on MNIST, and their accuracy."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("table2"))),
    output:
        **table("residual_perturbation_table2", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("table2")),


use rule residual_perturbation_table1 as residual_perturbation_table3 with:
    """Table 3: attacks on ResNet8, DP-SGD and Strategy I on CIFAR10, and their accuracy."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("table3"))),
    output:
        **table("residual_perturbation_table3", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("table3")),


use rule residual_perturbation_table1 as residual_perturbation_table4 with:
    """Table 4: attacks on ResNet8, DP-SGD and Strategy I on CIFAR100, and their accuracy."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("table4"))),
    output:
        **table("residual_perturbation_table4", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("table4")),


use rule residual_perturbation_table1 as residual_perturbation_table5 with:
    """Table 5: attacks on DP-SGD and on one and several members with Strategy II on breast histology."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("table5"))),
    output:
        **table("residual_perturbation_table5", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("table5")),


use rule residual_perturbation_table1 as residual_perturbation_skip with:
    """Section IV-D: attacks on ensembles of perturbed networks with skip connections, and without them."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("skip"))),
    output:
        **table("residual_perturbation_skip", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("skip")),


use rule residual_perturbation_table1 as residual_perturbation_readings with:
    """What the paper leaves open about its noise (scale of pixels, deviation, floor): each reading, attacked."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_table("readings"))),
    output:
        **table("residual_perturbation_readings", "privacy"),
    params:
        **options(plan.residual_perturbation.rows_of_table("readings")),


rule residual_perturbation_recipes:
    """Ways to train with noise on CIFAR10, beside the paper's points at two noise coefficients."""
    input:
        unpack(asked(plan.residual_perturbation.attacks_in_recipes)),
    output:
        **table("residual_perturbation_recipes"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.residual_perturbation.settings_of_recipes),
    shell:
        "python -m scripts.residual_perturbation_recipes {params} > {log} 2>&1"


rule residual_perturbation_cost:
    """What an epoch costs with and without residual perturbation, and by DP-SGD: a measurement, not repeatable."""
    input:
        beside=asked(plan.residual_perturbation.files_of_cost),
    output:
        **table("residual_perturbation_cost"),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=3000,
        runtime=15,
    params:
        **options(plan.residual_perturbation.cost_settings),
    shell:
        "python -m scripts.residual_perturbation_cost {params} --threads {threads} > {log} 2>&1"
