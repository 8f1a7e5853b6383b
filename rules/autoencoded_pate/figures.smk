"""The figures of Private Learning for High-Dimensional Targets with PATE."""


rule autoencoded_pate_fig1:
    """Figure 1 of autoencoded PATE: the logistic and the normal distribution."""
    output:
        **figure("autoencoded_pate_fig1", "comparison"),
    conda:
        torch_environment("segmentation")
    params:
        **options(plan.segmentation.logistic),
    shell:
        "python -m scripts.autoencoded_pate_fig1 {params} > {log} 2>&1"


rule autoencoded_pate_fig2:
    """Figure 2 of autoencoded PATE: the ball activation of normal numbers beside the uniform disc."""
    output:
        **figure("autoencoded_pate_fig2", "comparison"),
    conda:
        torch_environment("segmentation")
    params:
        **options(plan.segmentation.disc),
    shell:
        "python -m scripts.autoencoded_pate_fig2 {params} > {log} 2>&1"


rule autoencoded_pate_noise:
    """Dice of students, and of the labels that they learn from, over the noise."""
    input:
        results=asked(plan.segmentation.results_table),
    output:
        **figure("autoencoded_pate_noise", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.noise_figure),
    shell:
        "python -m scripts.autoencoded_pate_noise {params} > {log} 2>&1"


rule autoencoded_pate_masks:
    """A mask on its way to the student, in pictures of generated volumes."""
    input:
        unpack(asked(plan.segmentation.shown_files)),
    output:
        **figure("autoencoded_pate_masks"),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=8000,
    params:
        **options(plan.segmentation.shown_masks),
    shell:
        "python -m scripts.autoencoded_pate_masks {params} --threads {threads} > {log} 2>&1"


rule autoencoded_pate_curves:
    """Loss and Dice of training patches over steps, of teachers and students on generated volumes."""
    input:
        unpack(asked(plan.segmentation.curve_files)),
    output:
        **figure("autoencoded_pate_curves"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.curves),
    shell:
        "python -m scripts.autoencoded_pate_curves {params} > {log} 2>&1"
