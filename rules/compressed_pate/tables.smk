"""The tables of Private Learning via Knowledge Transfer with High-Dimensional Targets."""


rule compressed_pate_theorem4:
    """Theorem 4: the error of principal components, with what the same masks lose, beside errors drawn."""
    input:
        sweeps=asked(plan.segmentation.formula_with_what_is_lost),
    output:
        **table("compressed_pate_theorem4"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.theorem4),
    shell:
        "python -m scripts.pca_formula {params} > {log} 2>&1"


rule compressed_pate_external:
    """Means over repetitions of what students and the encoder achieve on other volumes."""
    input:
        sweeps=asked(plan.segmentation.external_sweeps),
    output:
        **table("compressed_pate_external"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.external_table),
    shell:
        "python -m scripts.compressed_pate_external {params} > {log} 2>&1"
