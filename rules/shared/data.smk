"""Datasets: fetched where configured, decoded and verified."""


rule download_data:
    """The files of a dataset whose source is `download`, in a folder that serves as its data_root."""
    output:
        data_root=directory(f"{layout.of('downloads')}/{{dataset}}"),
    wildcard_constraints:
        dataset=one_of(plan.data.downloaded()),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        **options(plan.data.download_settings),
        code=code_of_dataset("download_data"),
    shell:
        "python -m scripts.download_data {params} > {log} 2>&1"


rule prepare_data:
    """A dataset's arrays, read from its files and verified by their fingerprint."""
    input:
        beside=present(plan.data.files),
    output:
        data=f"{layout.private}/data/{{dataset}}.npz",
    wildcard_constraints:
        dataset=one_of(plan.data.read()),
    conda:
        torch_environment("networks")
    resources:
        mem_mb=6000,
        runtime=30,
    params:
        **options(plan.data.prepare_settings),
        code=code_of_dataset("prepare_data"),
    shell:
        "python -m scripts.prepare_data {params} > {log} 2>&1"


rule prepare_glyph:
    """What Open Glyph is made of: its settings and its fingerprint; samples are generated where they are used."""
    output:
        data=f"{layout.private}/data/{{dataset}}.npz",
    wildcard_constraints:
        dataset=one_of(plan.data.generated()),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.data.glyph_settings),
    shell:
        "python -m scripts.prepare_glyph {params} > {log} 2>&1"
