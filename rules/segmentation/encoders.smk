"""Encoders of masks, fitted to public ones."""

ENCODERS = jobs_of("train_mask_encoder", plan.segmentation.fitted_shards())


rule train_mask_encoder:
    """The encoders of a shard, fitted to a task's public masks."""
    input:
        **ENCODERS.inputs(volumes=asked(plan.segmentation.volumes)),
    output:
        weights=ENCODERS.output(f"{plan.segmentation.folder}/encoders/{{task}}/{{repetition}}/{{shard}}.npz"),
        records=ENCODERS.output(f"{plan.segmentation.folder}/encoders/{{task}}/{{repetition}}/{{shard}}.json"),
    wildcard_constraints:
        task=one_of(plan.segmentation.encoder_units),
    conda:
        torch_environment("segmentation")
    resources:
        **GPU[config["device"]],
        mem_mb=8000,
        runtime=120,
    params:
        **options(plan.segmentation.encoders, ENCODERS),
    shell:
        "python -m scripts.train_mask_encoder {params} --threads {threads} > {log} 2>&1"
