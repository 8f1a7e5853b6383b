"""Students of masks, and what they are compared with."""

DP_SGD = jobs_of("train_mask_dp_sgd", plan.segmentation.trained_by_dp_sgd())


rule train_mask_students:
    """Students on masks decoded from released codes, or on true labels to compare with."""
    input:
        unpack(asked(plan.segmentation.files_for_students)),
    output:
        weights=f"{plan.segmentation.private}/students/{{task}}/{{repetition}}/{{shard}}.npz",
        patients=f"{plan.segmentation.private}/students/{{task}}/{{repetition}}/{{shard}}.csv",
        records=f"{plan.segmentation.folder}/students/{{task}}/{{repetition}}/{{shard}}.json",
        curves=f"{plan.segmentation.private}/students/{{task}}/{{repetition}}/{{shard}}_curves.csv",
    wildcard_constraints:
        task=one_of(plan.segmentation.student_units),
    conda:
        torch_environment("segmentation")
    resources:
        **GPU[config["device"]],
        mem_mb=12000,
        runtime=120,
    params:
        **options(plan.segmentation.students),
    shell:
        "python -m scripts.train_mask_students {params} --threads {threads} > {log} 2>&1"


rule train_mask_dp_sgd:
    """The baseline: a network trained by DP-SGD on every private patient."""
    input:
        **DP_SGD.inputs(volumes=asked(plan.segmentation.volumes)),
    output:
        weights=DP_SGD.output(f"{plan.segmentation.private}/dp_sgd/{{task}}/{{noise}}/{{repetition}}.npz"),
        patients=DP_SGD.output(f"{plan.segmentation.private}/dp_sgd/{{task}}/{{noise}}/{{repetition}}.csv"),
        record=DP_SGD.output(f"{plan.segmentation.folder}/dp_sgd/{{task}}/{{noise}}/{{repetition}}.json"),
    wildcard_constraints:
        task=one_of(plan.segmentation.autoencoded["results"]["tasks"]),
        noise="printed|budget|clipped",
    conda:
        torch_environment("segmentation")
    resources:
        **GPU[config["device"]],
        mem_mb=12000,
        runtime=120,
    params:
        **options(plan.segmentation.dp_sgd, DP_SGD),
    shell:
        "python -m scripts.train_mask_dp_sgd {params} --threads {threads} > {log} 2>&1"


rule write_masks:
    """What a shard's students predict of test volumes, as NIfTI and in pictures; made when asked for."""
    input:
        volumes=asked(plan.segmentation.volumes),
        students=f"{plan.segmentation.private}/students/{{task}}/{{repetition}}/{{shard}}.npz",
    output:
        masks=directory(f"{plan.segmentation.private}/masks/{{task}}/{{repetition}}/{{shard}}"),
    wildcard_constraints:
        task=one_of(plan.segmentation.student_units),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=12000,
        runtime=120,
    params:
        **options(plan.segmentation.written),
    shell:
        "python -m scripts.write_masks {params} --threads {threads} > {log} 2>&1"
