"""The figures of Private Learning via Knowledge Transfer with High-Dimensional Targets."""


rule compressed_pate_fig1:
    """Figure 1 of compressed PATE: components kept, and the error that remains, over noise."""
    input:
        sweeps=asked(plan.segmentation.fig1_sweeps),
    output:
        **figure("compressed_pate_fig1", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.fig1),
    shell:
        "python -m scripts.compressed_pate_fig1 {params} > {log} 2>&1"


rule compressed_pate_fig2:
    """Figure 2 of compressed PATE: cross-entropy of reconstructed masks over noise."""
    input:
        sweeps=asked(plan.segmentation.fig2_sweeps),
    output:
        **figure("compressed_pate_fig2", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.fig2),
    shell:
        "python -m scripts.compressed_pate_fig2 {params} > {log} 2>&1"


rule compressed_pate_fig3:
    """Figure 3 of compressed PATE: Dice of students over labelled volumes."""
    input:
        unpack(asked(plan.segmentation.fig3_files)),
    output:
        **figure("compressed_pate_fig3", "privacy", "comparison"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.fig3),
    shell:
        "python -m scripts.compressed_pate_fig3 {params} > {log} 2>&1"


rule compressed_pate_limits:
    """Where voting on whole masks can work: signal, noise and Dice over teachers, epsilon and the size of the code."""
    input:
        unpack(asked(plan.segmentation.limit_files)),
    output:
        **figure("compressed_pate_limits", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.segmentation.limits_figure),
    shell:
        "python -m scripts.compressed_pate_limits {params} > {log} 2>&1"
