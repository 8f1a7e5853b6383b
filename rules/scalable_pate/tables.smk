"""Tables of Scalable PATE, a target each."""


rule scalable_pate_table1:
    """Table 1 of Scalable PATE: queries, epsilon and accuracy of each aggregator."""
    input:
        records=plan.scalable_pate.table1_records,
        claims=CLAIMS,
    output:
        **table("scalable_pate_table1", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.scalable_pate.table1_settings),
    shell:
        "python -m scripts.scalable_pate_table1 {params} > {log} 2>&1"


rule scalable_pate_table2:
    """Table 2 of Scalable PATE: smooth sensitivity, and the sanitised epsilon."""
    input:
        records=plan.scalable_pate.table2_records,
    output:
        **table("scalable_pate_table2", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.scalable_pate.runs_of("table2")),
    shell:
        "python -m scripts.scalable_pate_table2 {params} > {log} 2>&1"


rule scalable_pate_selection:
    """What the noisy check of Scalable PATE selects, what selecting costs, and students without it."""
    input:
        records=asked(plan.scalable_pate.selection_records),
    output:
        **table("scalable_pate_selection", "privacy"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.scalable_pate.runs_of("selection")),
    shell:
        "python -m scripts.scalable_pate_selection {params} > {log} 2>&1"


rule scalable_pate_tails:
    """How the chance of a wrong answer falls with the consensus, of Laplace and of Gaussian noise."""
    output:
        **table("scalable_pate_tails"),
    conda:
        "../../envs/accounting.yaml"
    params:
        **options(plan.scalable_pate.tails_settings),
    shell:
        "python -m scripts.scalable_pate_tails {params} > {log} 2>&1"


rule scalable_pate_teachers:
    """The ensembles of Scalable PATE: accuracy of a teacher, agreement, accuracy of the plurality."""
    input:
        unpack(asked(plan.scalable_pate.teachers_files)),
    output:
        **table("scalable_pate_teachers"),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.teachers_settings),
    shell:
        "python -m scripts.scalable_pate_teachers {params} > {log} 2>&1"


rule scalable_pate_search:
    """A search by order of magnitude for the parameters of Confident-GNMax, its cost unaccounted."""
    input:
        unpack(asked(plan.scalable_pate.search_files)),
    output:
        **table("scalable_pate_search", "privacy", "grid", "grid_privacy"),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.scalable_pate.search_settings),
    shell:
        "python -m scripts.scalable_pate_search {params} > {log} 2>&1"
