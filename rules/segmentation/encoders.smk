"""Encoders of masks, fitted to public ones."""


rule train_mask_encoder:
    """The encoders of a shard, fitted to a task's public masks."""
    input:
        volumes=asked(plan.segmentation.volumes),
    output:
        weights=f"{plan.segmentation.folder}/encoders/{{task}}/{{repetition}}/{{shard}}.npz",
        records=f"{plan.segmentation.folder}/encoders/{{task}}/{{repetition}}/{{shard}}.json",
    wildcard_constraints:
        task=one_of(plan.segmentation.encoder_units),
    conda:
        torch_environment("segmentation")
    resources:
        **GPU[config["device"]],
        mem_mb=8000,
        runtime=120,
    params:
        **options(plan.segmentation.encoders),
    shell:
        "python -m scripts.train_mask_encoder {params} --threads {threads} > {log} 2>&1"
