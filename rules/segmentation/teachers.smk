"""Teachers of masks: trained on disjoint parts of the patients, asked, and measured."""


rule train_mask_teachers:
    """Some of a task's teachers, and what they say of the student's and the test volumes."""
    input:
        volumes=asked(plan.segmentation.volumes),
    output:
        answers=f"{plan.segmentation.private}/answers/{{task}}/{{repetition}}/{{shard}}.npz",
        weights=f"{plan.segmentation.private}/teachers/{{task}}/{{repetition}}/{{shard}}.npz",
        record=f"{plan.segmentation.folder}/teachers/{{task}}/{{repetition}}/{{shard}}.json",
        curves=f"{plan.segmentation.private}/teachers/{{task}}/{{repetition}}/{{shard}}_curves.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.tasks_of_teachers()),
    conda:
        torch_environment("segmentation")
    resources:
        **GPU[config["device"]],
        mem_mb=12000,
        runtime=120,
    params:
        **options(plan.segmentation.teachers),
    shell:
        "python -m scripts.train_mask_teachers {params} --threads {threads} > {log} 2>&1"


rule measure_mask_teachers:
    """Teachers alone, teachers together, and one mask for everybody, on test volumes."""
    input:
        volumes=asked(plan.segmentation.volumes),
        answers=plan.segmentation.answers,
    output:
        record=f"{plan.segmentation.folder}/baselines/{{task}}/{{repetition}}.json",
        patients=f"{plan.segmentation.private}/baselines/{{task}}/{{repetition}}.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.tasks_of_teachers()),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=12000,
        runtime=60,
    params:
        **options(plan.segmentation.measured_teachers),
    shell:
        "python -m scripts.measure_mask_teachers {params} --threads {threads} > {log} 2>&1"
