"""The table and figures of Private Learning for High-Dimensional Targets with PATE."""

AUTO = f"{RESULTS}/autoencoded_pate"
AUTO_RESULTS = AUTOENCODED["results"]


rule autoencoded_pate_fig1:
    """Figure 1 of autoencoded PATE: the logistic and the normal distribution."""
    input:
        code=code("autoencoded_pate_fig1"),
    output:
        numbers=f"{AUTO}/fig1.csv",
        comparison=f"{AUTO}/fig1_comparison.csv",
        png=report(
            f"{AUTO}/fig1.png",
            caption="../report/autoencoded_pate_fig1.rst",
            category="Autoencoded PATE",
            labels={"item": "Figure 1", "kind": "figure"},
        ),
        pdf=f"{AUTO}/fig1.pdf",
    log:
        log_of("autoencoded_pate_fig1"),
    benchmark:
        benchmark_of("autoencoded_pate_fig1")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        largest=AUTOENCODED["fig1"]["largest"],
        points=AUTOENCODED["fig1"]["points"],
    message:
        "Figure 1 of autoencoded PATE"
    shell:
        "python -m scripts.autoencoded_pate_fig1 --largest {params.largest} --points {params.points} "
        "--output {output.numbers} --comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule autoencoded_pate_fig2:
    """Figure 2 of autoencoded PATE: the ball activation of normal numbers beside the uniform disc."""
    input:
        code=code("autoencoded_pate_fig2"),
    output:
        numbers=f"{AUTO}/fig2.csv",
        comparison=f"{AUTO}/fig2_comparison.csv",
        png=report(
            f"{AUTO}/fig2.png",
            caption="../report/autoencoded_pate_fig2.rst",
            category="Autoencoded PATE",
            labels={"item": "Figure 2", "kind": "figure"},
        ),
        pdf=f"{AUTO}/fig2.pdf",
    log:
        log_of("autoencoded_pate_fig2"),
    benchmark:
        benchmark_of("autoencoded_pate_fig2")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        samples=AUTOENCODED["fig2"]["samples"],
        bins=AUTOENCODED["fig2"]["bins"],
        repetitions=len(REPETITIONS),
        seed=SEED,
    message:
        "Figure 2 of autoencoded PATE"
    shell:
        "python -m scripts.autoencoded_pate_fig2 --samples {params.samples} --bins {params.bins} --seed {params.seed} "
        "--repetitions {params.repetitions} --output {output.numbers} --comparison {output.comparison} "
        "--png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule autoencoded_pate_sensitivity:
    """How close the sensitivity of principal components comes to sqrt(d) / K."""
    input:
        volumes=[volumes_of(task) for task in AUTOENCODED["sensitivity"]["tasks"]],
        code=code("autoencoded_pate_sensitivity"),
    output:
        report(
            f"{AUTO}/sensitivity.csv",
            caption="../report/autoencoded_pate_sensitivity.rst",
            category="Autoencoded PATE",
            labels={"item": "Sensitivity", "kind": "table"},
        ),
    log:
        log_of("autoencoded_pate_sensitivity"),
    benchmark:
        benchmark_of("autoencoded_pate_sensitivity")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
        gpu=0,
    params:
        tasks=compact([SEG_TASKS[task] | {"name": task} for task in AUTOENCODED["sensitivity"]["tasks"]]),
        settings=compact({name: AUTOENCODED["sensitivity"][name] for name in ("components", "starts")}),
        repetitions=len(REPETITIONS),
        seed=SEED,
    message:
        "Sensitivity of principal components"
    shell:
        "python -m scripts.autoencoded_pate_sensitivity --volumes {input.volumes} --tasks {params.tasks:q} "
        "--settings {params.settings:q} --seed {params.seed} --repetitions {params.repetitions} "
        "--output {output} > {log} 2>&1"


rule autoencoded_pate_results:
    """Dice of PATE's students at one budget, and of all that they must be compared with."""
    input:
        students=student_records(AUTO_RESULTS["tasks"], ("teachers",)),
        codes=codes_records(AUTO_RESULTS["tasks"], ("teachers",)),
        baselines=[
            f"{SEG}/baselines/{task}/{repetition}.json" for task in AUTO_RESULTS["tasks"] for repetition in REPETITIONS
        ],
        sgd=[
            f"{SEG}/dp_sgd/{task}/{noise}/{repetition}.json"
            for task in AUTO_RESULTS["tasks"]
            for noise in AUTO_RESULTS["dp_sgd"]["noises"]
            for repetition in REPETITIONS
        ],
        code=code("autoencoded_pate_results"),
    output:
        table=report(
            f"{AUTO}/results.csv",
            caption="../report/autoencoded_pate_results.rst",
            category="Autoencoded PATE",
            labels={"item": "Results", "kind": "table"},
        ),
        privacy=f"{AUTO}/results_privacy.csv",
    log:
        log_of("autoencoded_pate_results"),
    benchmark:
        benchmark_of("autoencoded_pate_results")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tasks=compact({task: SEG_TASKS[task] for task in AUTO_RESULTS["tasks"]}),
        published=compact(AUTO_RESULTS["published"]),
        main=AUTO_RESULTS["encoders"][0] if AUTO_RESULTS["encoders"] else "",
    message:
        "Results of autoencoded PATE"
    shell:
        "python -m scripts.autoencoded_pate_results --students {input.students} --codes {input.codes} "
        "--baselines {input.baselines} --sgd {input.sgd} --tasks {params.tasks:q} "
        "--published {params.published:q} --main {params.main} --output {output.table} --privacy {output.privacy} > {log} 2>&1"
