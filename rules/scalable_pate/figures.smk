"""Figures of Scalable PATE, a target each, with the numbers behind it."""


rule scalable_pate_epsilon:
    """Epsilon against the number of answers, each mechanism on each dataset."""
    input:
        unpack(plan.scalable_pate.epsilon_files),
        claims=CLAIMS,
    output:
        **figure("scalable_pate_epsilon"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.scalable_pate.runs_of("epsilon")),
    shell:
        "python -m scripts.scalable_pate_epsilon {params} > {log} 2>&1"


rule scalable_pate_fig1:
    """Figure 1 of Scalable PATE: accuracy of students, epsilon against answers, and consensus of the teachers."""
    input:
        unpack(asked(plan.scalable_pate.fig1_files)),
    output:
        **figure("scalable_pate_fig1", "privacy", "epsilon", "histogram", "comparison", "comparison_privacy"),
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.fig1_settings),
    shell:
        "python -m scripts.scalable_pate_fig1 {params} > {log} 2>&1"


rule scalable_pate_fig3:
    """Figure 3 of Scalable PATE: examples of Glyph, an ambiguous pair and a mislabelled one."""
    input:
        data=asked(plan.scalable_pate.fig3_data),
    output:
        **figure("scalable_pate_fig3"),
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(),
    shell:
        "python -m scripts.scalable_pate_fig3 {params} > {log} 2>&1"


rule scalable_pate_fig4:
    """Figure 4 of Scalable PATE: label accuracy against epsilon, by mechanism and by ensemble size."""
    input:
        tradeoffs=asked(plan.scalable_pate.fig4_tradeoffs),
    output:
        **figure("scalable_pate_fig4", "comparison", "comparison_privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.scalable_pate.fig4_settings),
    shell:
        "python -m scripts.scalable_pate_fig4 {params} > {log} 2>&1"


rule scalable_pate_fig5:
    """Figure 5 of Scalable PATE: what the noisy check selects, and what selecting and answering cost."""
    input:
        votes=asked(plan.scalable_pate.fig5_votes),
    output:
        **figure("scalable_pate_fig5", "histogram", "comparison", "comparison_privacy"),
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.fig5_settings),
    shell:
        "python -m scripts.scalable_pate_fig5 {params} > {log} 2>&1"
