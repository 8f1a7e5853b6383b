"""Answers of the teachers through a code, with noise."""


rule aggregate_masks:
    """Noisy codes of the answers to a task's queries, through the encoders of a shard, and what they cost."""
    input:
        unpack(asked(plan.segmentation.files_for_codes)),
    output:
        codes=f"{plan.segmentation.private}/codes/{{task}}/{{repetition}}/{{shard}}.npz",
        records=f"{plan.segmentation.folder}/codes/{{task}}/{{repetition}}/{{shard}}.json",
    wildcard_constraints:
        task=one_of(plan.segmentation.code_units),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=12000,
        runtime=120,
    params:
        **options(plan.segmentation.codes),
    shell:
        "python -m scripts.aggregate_masks {params} --threads {threads} > {log} 2>&1"
