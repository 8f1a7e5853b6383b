"""The figures of Private Learning via Knowledge Transfer with High-Dimensional Targets."""

COMP = f"{RESULTS}/compressed_pate"
COMP_FIGURES = [item for item in ("fig1", "fig2", "fig3", "limits") if COMPRESSED[item]["tasks"]]
FIG2_SWEEPS = [*RECONSTRUCTED, *((task, "components") for task in COMPRESSED["fig2"]["tasks"])]


rule compressed_pate_fig1:
    """Figure 1 of compressed PATE: components kept, and the error that remains, over noise."""
    input:
        sweeps=[
            f"{SEG}/measure_components/{task}/{repetition}.csv"
            for task in COMPRESSED["fig1"]["tasks"]
            for repetition in REPETITIONS
        ],
        code=code("compressed_pate_fig1"),
    output:
        numbers=f"{COMP}/fig1.csv",
        comparison=f"{COMP}/fig1_comparison.csv",
        png=report(
            f"{COMP}/fig1.png",
            caption="../report/compressed_pate_fig1.rst",
            category="Compressed PATE",
            labels={"item": "Figure 1", "kind": "figure"},
        ),
        pdf=f"{COMP}/fig1.pdf",
    log:
        log_of("compressed_pate_fig1"),
    benchmark:
        benchmark_of("compressed_pate_fig1")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tasks=compact([SEG_TASKS[task] for task in COMPRESSED["fig1"]["tasks"] for _ in REPETITIONS]),
    message:
        "Figure 1 of compressed PATE"
    shell:
        "python -m scripts.compressed_pate_fig1 --sweeps {input.sweeps} --tasks {params.tasks:q} "
        "--output {output.numbers} --comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule compressed_pate_fig2:
    """Figure 2 of compressed PATE: cross-entropy of reconstructed masks over noise."""
    input:
        sweeps=[
            f"{SEG}/measure_reconstruction/{task}/{encoder}/{repetition}.csv"
            for task, encoder in FIG2_SWEEPS
            for repetition in REPETITIONS
        ],
        code=code("compressed_pate_fig2"),
    output:
        numbers=f"{COMP}/fig2.csv",
        comparison=f"{COMP}/fig2_comparison.csv",
        png=report(
            f"{COMP}/fig2.png",
            caption="../report/compressed_pate_fig2.rst",
            category="Compressed PATE",
            labels={"item": "Figure 2", "kind": "figure"},
        ),
        pdf=f"{COMP}/fig2.pdf",
    log:
        log_of("compressed_pate_fig2"),
    benchmark:
        benchmark_of("compressed_pate_fig2")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tasks=compact([SEG_TASKS[task] for task, _ in FIG2_SWEEPS for _ in REPETITIONS]),
        encoders=compact({name: ENCODERS[name] for name in COMPRESSED["fig2"]["encoders"]}),
    message:
        "Figure 2 of compressed PATE"
    shell:
        "python -m scripts.compressed_pate_fig2 --sweeps {input.sweeps} --tasks {params.tasks:q} "
        "--encoders {params.encoders:q} --output {output.numbers} --comparison {output.comparison} "
        "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule compressed_pate_fig3:
    """Figure 3 of compressed PATE: Dice of students over labelled volumes."""
    input:
        students=student_records(COMPRESSED["fig3"]["tasks"], ("labels",)),
        codes=codes_records(COMPRESSED["fig3"]["tasks"], ("labels",)),
        code=code("compressed_pate_fig3"),
    output:
        numbers=f"{COMP}/fig3.csv",
        privacy=f"{COMP}/fig3_privacy.csv",
        comparison=f"{COMP}/fig3_comparison.csv",
        png=report(
            f"{COMP}/fig3.png",
            caption="../report/compressed_pate_fig3.rst",
            category="Compressed PATE",
            labels={"item": "Figure 3", "kind": "figure"},
        ),
        pdf=f"{COMP}/fig3.pdf",
    log:
        log_of("compressed_pate_fig3"),
    benchmark:
        benchmark_of("compressed_pate_fig3")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tasks=compact({task: SEG_TASKS[task] for task in COMPRESSED["fig3"]["tasks"]}),
    message:
        "Figure 3 of compressed PATE"
    shell:
        "python -m scripts.compressed_pate_fig3 --students {input.students} --codes {input.codes} "
        "--tasks {params.tasks:q} --output {output.numbers} --privacy {output.privacy} "
        "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule compressed_pate_limits:
    """Where voting on whole masks can work: signal, noise and Dice over teachers, epsilon and the size of the code."""
    input:
        sweeps=[
            f"{SEG}/measure_limits/{task}/{encoder}/{repetition}.csv"
            for task, encoder in LIMIT_SWEEPS
            for repetition in REPETITIONS
        ],
        students=[
            record for record in student_records(COMPRESSED["limits"]["tasks"], ("labels",)) if "/truth/" not in record
        ],
        code=code("compressed_pate_limits"),
    output:
        table=f"{COMP}/limits.csv",
        privacy=f"{COMP}/limits_privacy.csv",
        png=report(
            f"{COMP}/limits.png",
            caption="../report/compressed_pate_limits.rst",
            category="Compressed PATE",
            labels={"item": "Limits", "kind": "figure"},
        ),
        pdf=f"{COMP}/limits.pdf",
    log:
        log_of("compressed_pate_limits"),
    benchmark:
        benchmark_of("compressed_pate_limits")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tasks=compact([SEG_TASKS[task] | {"name": task} for task, _ in LIMIT_SWEEPS for _ in REPETITIONS]),
        settings=compact({name: COMPRESSED["limits"][name] for name in ("queries", "delta", "route")}),
    message:
        "Where compressed PATE can work"
    shell:
        "python -m scripts.compressed_pate_limits --sweeps {input.sweeps} --students {input.students} "
        "--tasks {params.tasks:q} --settings {params.settings:q} --output {output.table} --privacy {output.privacy} "
        "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule measure_external:
    """Students and an encoder of one collection tried on another."""
    input:
        volumes=lambda wildcards: volumes_of(EXTERNAL["task"]),
        external=lambda wildcards: f"{PRIVATE}/volumes/{EXTERNAL['volumes']}/index.json",
        fitted=lambda wildcards: (
            f"{SEG}/encoders/{EXTERNAL['task']}/{COMPRESSED['fig3']['noiseless']}/{wildcards.repetition}.npz"
        ),
        students=lambda wildcards: [file for file, _ in external_students(wildcards.repetition).values()],
        code=code("measure_external"),
    output:
        f"{SEG}/measure_external/{{repetition}}.csv",
    log:
        log_of("measure_external", "{repetition}"),
    benchmark:
        benchmark_of("measure_external", "{repetition}")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
        gpu=0,
    params:
        task=lambda wildcards: described_task(EXTERNAL["task"]),
        encoder=compact(ENCODERS[COMPRESSED["fig3"]["noiseless"]]),
        names=lambda wildcards: list(external_students(wildcards.repetition)),
        labellings=lambda wildcards: [name for _, name in external_students(wildcards.repetition).values()],
        dataset=lambda wildcards: EXTERNAL["volumes"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Students tried on other volumes, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.measure_external --volumes {input.volumes} --external {input.external} "
        "--task {params.task:q} --encoder {params.encoder:q} --fitted {input.fitted} --names {params.names:q} "
        "--labellings {params.labellings} "
        "--students {input.students} --repetition {wildcards.repetition} --preset {params.preset} "
        "--seed {params.seed} --job measure_external {wildcards.repetition} --dataset {params.dataset} --device cpu "
        "--threads {threads} --output {output} > {log} 2>&1"


rule compressed_pate_external:
    """Means over repetitions of what students and the encoder achieve on other volumes."""
    input:
        sweeps=[f"{SEG}/measure_external/{repetition}.csv" for repetition in REPETITIONS],
        code=code("compressed_pate_external"),
    output:
        report(
            f"{COMP}/external.csv",
            caption="../report/compressed_pate_external.rst",
            category="Compressed PATE",
            labels={"item": "Other volumes", "kind": "table"},
        ),
    log:
        log_of("compressed_pate_external"),
    benchmark:
        benchmark_of("compressed_pate_external")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        volumes=lambda wildcards: EXTERNAL["volumes"],
        stands_for=lambda wildcards: SEG_TASKS[EXTERNAL["task"]]["stands_for"],
    message:
        "Students of compressed PATE on other volumes"
    shell:
        "python -m scripts.compressed_pate_external --sweeps {input.sweeps} --volumes {params.volumes} "
        "--stands-for {params.stands_for:q} --output {output} > {log} 2>&1"
