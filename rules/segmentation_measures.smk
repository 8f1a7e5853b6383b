"""PATE for segmentation masks: what is measured of encoders and teachers before any figure is drawn."""

# settings of what is measured of an encoder of a task, and of which
MEASURES = {
    "measure_reconstruction": ({name: COMPRESSED["fig1"][name] for name in ("sigmas", "shown")}, RECONSTRUCTED),
    "measure_limits": (
        {name: COMPRESSED["limits"][name] for name in ("teachers", "epsilons", "queries", "delta", "route")},
        LIMIT_SWEEPS,
    ),
}

for measure, suffix, place, places in (
    (measure, *shape) for measure, (_, wanted) in MEASURES.items() for shape in shapes("{task}/{encoder}", wanted)
):

    rule:
        """How a task's test masks survive encoders: over noise, or over teachers and budgets."""
        name:
            f"{measure}{suffix}"
        input:
            volumes=lambda wildcards, places=places: volumes_of(task_of(places, wildcards)),
            fitted=[f"{SEG}/encoders/{place}/{{repetition}}.npz" for place in places],
            code=code(measure, "scripts/in_turn.py"),
        output:
            tables=[f"{SEG}/{measure}/{place}/{{repetition}}.csv" for place in places],
        log:
            log_of(measure, place, "{repetition}"),
        benchmark:
            benchmark_of(measure, place, "{repetition}")
        wildcard_constraints:
            task=one_of(ALONE),
        conda:
            torch_environment("segmentation")
        threads: 1
        resources:
            mem_mb=8000,
            runtime=240,
            gpu=0,
        params:
            script=measure,
            jobs=lambda wildcards, input, output, places=places, measure=measure: in_turn(
                {
                    "--name": encoder,
                    "--encoder": compact(ENCODERS[encoder]),
                    "--fitted": fitted,
                    "--job": [measure, task, encoder, wildcards.repetition],
                    "--output": table,
                }
                for (task, encoder), fitted, table in zip(
                    filled(places, wildcards), input.fitted, output.tables, strict=True
                )
            ),
            made=lambda wildcards, places=places: listed(places, wildcards),
            task=lambda wildcards, places=places: described_task(task_of(places, wildcards)),
            settings=compact(MEASURES[measure][0]),
            dataset=lambda wildcards, places=places: SEG_TASKS[task_of(places, wildcards)]["volumes"],
            preset=config["preset"],
            seed=SEED,
        message:
            "{params.script} of {params.made}, repetition {wildcards.repetition}"
        shell:
            "python -m scripts.in_turn {params.script} {params.jobs:q} --volumes {input.volumes} "
            "--task {params.task:q} --settings {params.settings:q} --repetition {wildcards.repetition} "
            "--preset {params.preset} --seed {params.seed} --dataset {params.dataset} --device cpu --threads {threads} "
            "> {log} 2>&1"


rule measure_components:
    """Principal components of the blocks of a task's public masks, and what they lose, over noise."""
    input:
        volumes=lambda wildcards: volumes_of(wildcards.task),
        code=code("measure_components"),
    output:
        components=f"{SEG}/measure_components/{{task}}/{{repetition}}.csv",
        formula=f"{SEG}/measure_components/{{task}}/{{repetition}}_formula.csv",
        errors=f"{SEG}/measure_reconstruction/{{task}}/components/{{repetition}}.csv",
    log:
        log_of("measure_components", "{task}/{repetition}"),
    benchmark:
        benchmark_of("measure_components", "{task}/{repetition}")
    wildcard_constraints:
        task=one_of(SEG_TASKS),
        repetition=r"\d+",
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=6000,
        runtime=240,
        gpu=0,
    params:
        task=lambda wildcards: described_task(wildcards.task),
        settings=compact({name: COMPRESSED["fig1"][name] for name in ("block", "sigmas", "shown", "fixed")}),
        dataset=lambda wildcards: SEG_TASKS[wildcards.task]["volumes"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Principal components of {wildcards.task}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.measure_components --volumes {input.volumes} --task {params.task:q} "
        "--settings {params.settings:q} --repetition {wildcards.repetition} --preset {params.preset} "
        "--seed {params.seed} --job measure_components {wildcards.task} {wildcards.repetition} --dataset {params.dataset} "
        "--device cpu --threads {threads} --components {output.components} --formula {output.formula} --output {output.errors} > {log} 2>&1"


rule measure_mask_teachers:
    """Teachers alone, teachers together, and one mask for everybody, on test volumes."""
    input:
        volumes=lambda wildcards: volumes_of(wildcards.task),
        answers=lambda wildcards: answer_files(wildcards.task, wildcards.repetition),
        code=code("measure_mask_teachers"),
    output:
        f"{SEG}/baselines/{{task}}/{{repetition}}.json",
    log:
        log_of("measure_mask_teachers", "{task}/{repetition}"),
    benchmark:
        benchmark_of("measure_mask_teachers", "{task}/{repetition}")
    wildcard_constraints:
        task=one_of([name for name, task in SEG_TASKS.items() if task["teachers"]]),
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=12000,
        runtime=60,
        gpu=0,
    params:
        task=lambda wildcards: described_task(wildcards.task),
        dataset=lambda wildcards: SEG_TASKS[wildcards.task]["volumes"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Teachers of {wildcards.task} measured, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.measure_mask_teachers --volumes {input.volumes} --task {params.task:q} "
        "--answers {input.answers} --repetition {wildcards.repetition} --preset {params.preset} --seed {params.seed} "
        "--job measure_mask_teachers {wildcards.task} {wildcards.repetition} --dataset {params.dataset} --device cpu "
        "--threads {threads} --output {output} > {log} 2>&1"


# the same formula stands in both papers: on masks that components were not fitted to, and with what these lose
for paper, item, table, sweep, key in (
    ("autoencoded_pate", "pca", "eq. (6)", "", "sigma"),
    ("compressed_pate", "theorem4", "Theorem 4", "_formula", "sigma kept"),
):

    rule:
        """The error formula of principal components beside errors with noise drawn."""
        name:
            f"{paper}_{item}"
        input:
            sweeps=[
                f"{SEG}/measure_components/{task}/{repetition}{sweep}.csv"
                for task in COMPRESSED["fig1"]["tasks"]
                for repetition in REPETITIONS
            ],
            code=code("pca_formula"),
        output:
            report(
                f"{RESULTS}/{paper}/{item}.csv",
                caption=f"../report/{paper}_{item}.rst",
                category=f"{paper.partition('_')[0].title()} PATE",
                labels={"item": table, "kind": "table"},
            ),
        log:
            log_of(f"{paper}_{item}"),
        benchmark:
            benchmark_of(f"{paper}_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            tasks=compact([SEG_TASKS[task] for task in COMPRESSED["fig1"]["tasks"] for _ in REPETITIONS]),
            key=key,
        message:
            "The error formula of principal components"
        shell:
            "python -m scripts.pca_formula --sweeps {input.sweeps} --tasks {params.tasks:q} --key {params.key} "
            "--output {output} > {log} 2>&1"
