"""Collections of volumes, brought to one shape."""


rule prepare_volumes:
    """A collection of volumes, normalised and brought to one shape."""
    input:
        beside=present(plan.segmentation.volume_files),
    output:
        index=f"{layout.private}/volumes/{{volumes}}/index.json",
    wildcard_constraints:
        volumes=one_of(plan.segmentation.block["volumes"]),
    conda:
        torch_environment("segmentation")
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        **options(plan.segmentation.preparing),
    shell:
        "python -m scripts.prepare_volumes {params} > {log} 2>&1"
