"""The tables of Private Learning for High-Dimensional Targets with PATE."""


rule autoencoded_pate_sensitivity:
    """How close the sensitivity of principal components comes to sqrt(d) / K."""
    input:
        volumes=asked(plan.segmentation.sensitivity_volumes),
    output:
        **table("autoencoded_pate_sensitivity"),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        **options(plan.segmentation.sensitivity),
    shell:
        "python -m scripts.autoencoded_pate_sensitivity {params} > {log} 2>&1"


rule autoencoded_pate_results:
    """Dice of PATE's students at one budget, and of all that they must be compared with."""
    input:
        unpack(asked(plan.segmentation.result_files)),
    output:
        **table("autoencoded_pate_results", "privacy"),
    conda:
        torch_environment("segmentation")
    params:
        **options(plan.segmentation.results),
    shell:
        "python -m scripts.autoencoded_pate_results {params} > {log} 2>&1"


rule autoencoded_pate_pca:
    """Eq. (6): the error of principal components on masks they were not fitted to, beside errors drawn."""
    input:
        sweeps=asked(plan.segmentation.formula_of_test_masks),
    output:
        **table("autoencoded_pate_pca"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.pca),
    shell:
        "python -m scripts.pca_formula {params} > {log} 2>&1"
