"""What is measured of encoders before any figure is drawn."""


rule measure_reconstruction:
    """How a task's test masks survive the encoders of a shard, over noise."""
    input:
        volumes=asked(plan.segmentation.volumes),
        fitted=plan.segmentation.fitted_for_reconstruction,
    output:
        table=f"{plan.segmentation.folder}/measure_reconstruction/{{task}}/{{repetition}}/{{shard}}.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.fig2_units),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        **options(plan.segmentation.reconstruction),
    shell:
        "python -m scripts.measure_reconstruction {params} --threads {threads} > {log} 2>&1"


rule measure_limits:
    """How a task's test masks survive the encoders of a shard, over teachers and budgets."""
    input:
        volumes=asked(plan.segmentation.volumes),
        fitted=plan.segmentation.fitted_for_limits,
    output:
        table=f"{plan.segmentation.folder}/measure_limits/{{task}}/{{repetition}}/{{shard}}.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.limit_units),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        **options(plan.segmentation.limits),
    shell:
        "python -m scripts.measure_limits {params} --threads {threads} > {log} 2>&1"


rule measure_components:
    """Principal components of the blocks of a task's public masks, and what they lose, over noise."""
    input:
        volumes=asked(plan.segmentation.volumes),
    output:
        components=f"{plan.segmentation.folder}/measure_components/{{task}}/{{repetition}}.csv",
        formula=f"{plan.segmentation.folder}/measure_components/{{task}}/{{repetition}}_formula.csv",
        errors=f"{plan.segmentation.folder}/measure_components/{{task}}/{{repetition}}_errors.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.tasks),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        **options(plan.segmentation.components),
    shell:
        "python -m scripts.measure_components {params} --threads {threads} > {log} 2>&1"


rule measure_external:
    """Students and an encoder of one collection tried on another."""
    input:
        unpack(asked(plan.segmentation.external_files)),
    output:
        table=f"{plan.segmentation.folder}/measure_external/{{repetition}}.csv",
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        **options(plan.segmentation.external),
    shell:
        "python -m scripts.measure_external {params} --threads {threads} > {log} 2>&1"
