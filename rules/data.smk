"""Datasets: fetched where configured, decoded, verified, and divided."""

for downloaded in [name for name, entry in DATASETS.items() if entry["source"] == "download"]:

    rule:
        name:
            f"download_{downloaded}"
        input:
            code=code("download_data", f"lib/data/sources/{DATASETS[downloaded]['module']}.py"),
        output:
            data_files(downloaded),
        log:
            log_of(f"download_{downloaded}"),
        benchmark:
            benchmark_of(f"download_{downloaded}")
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=3000,
            runtime=60,
            gpu=0,
        params:
            dataset=downloaded,
            module=DATASETS[downloaded]["module"],
            folder=data_root(downloaded),
            attempts=config["download"]["attempts"],
            wait=config["download"]["wait"],
        message:
            "Downloading {params.dataset}"
        shell:
            "python -m scripts.download_data --module {params.module} --dataset {params.dataset} --to {params.folder:q} "
            "--attempts {params.attempts} --wait {params.wait} > {log} 2>&1"


GENERATED = [name for name, entry in DATASETS.items() if entry["source"] == "generated"]


rule prepare_glyph:
    input:
        code=code("prepare_glyph"),
    output:
        f"{PRIVATE}/data/{{dataset}}.npz",
    log:
        log_of("prepare_glyph", "{dataset}"),
    benchmark:
        benchmark_of("prepare_glyph", "{dataset}")
    wildcard_constraints:
        dataset=one_of(GENERATED),
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        settings=lambda wildcards: compact(DATASETS[wildcards.dataset].get("settings", {})),
    message:
        "Fingerprinting {wildcards.dataset}"
    shell:
        "python -m scripts.prepare_glyph --settings {params.settings:q} --output {output} > {log} 2>&1"


rule prepare_data:
    input:
        files=lambda wildcards: data_files(wildcards.dataset),
        code=lambda wildcards: code("prepare_data", f"lib/data/sources/{DATASETS[wildcards.dataset]['module']}.py"),
    output:
        f"{PRIVATE}/data/{{dataset}}.npz",
    log:
        log_of("prepare_data", "{dataset}"),
    benchmark:
        benchmark_of("prepare_data", "{dataset}")
    wildcard_constraints:
        dataset=one_of([name for name in DATASETS if name not in GENERATED]),
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=6000,
        runtime=30,
        gpu=0,
    params:
        entry=lambda wildcards: DATASETS[wildcards.dataset],
        root=lambda wildcards: (
            f"--data-root {shlex.quote(data_root(wildcards.dataset))}" if data_root(wildcards.dataset) else ""
        ),
    message:
        "Reading and verifying {wildcards.dataset}"
    shell:
        "python -m scripts.prepare_data --dataset {wildcards.dataset} --module {params.entry[module]} "
        "--source {params.entry[source]} {params.root} --output {output} > {log} 2>&1"
