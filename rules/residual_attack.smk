"""Residual perturbation: networks with and without noise, and membership attacks on them."""


rule draw_task:
    """The data of one attack: the halves of the target and of the shadow, and the test set."""
    input:
        data=lambda wildcards: f"{PRIVATE}/data/{TASKS[wildcards.task]['dataset']}.npz",
        code=code("draw_task"),
    output:
        samples=f"{PRIVATE}/residual_perturbation/draws/{{task}}.npz",
        patients=f"{PRIVATE}/residual_perturbation/draws/{{task}}.csv",
        record=f"{PERTURBATION}/draws/{{task}}.json",
    log:
        log_of("draw_task", "{task}"),
    benchmark:
        benchmark_of("draw_task", "{task}")
    wildcard_constraints:
        task=one_of(TASKS),
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=10000,
        runtime=10,
        gpu=0,
    params:
        task=lambda wildcards: compact(TASKS[wildcards.task]),
        repetitions=lambda wildcards: draws_of(wildcards.task),
        dataset=lambda wildcards: TASKS[wildcards.task]["dataset"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Drawing the data of {wildcards.task}"
    shell:
        "python -m scripts.draw_task --data {input.data} --task {params.task:q} --preset {params.preset} "
        "--seed {params.seed} --job {wildcards.task} --repetitions {params.repetitions} --dataset {params.dataset} "
        "--samples {output.samples} --patients {output.patients} --output {output.record} > {log} 2>&1"


for trainer, kind in (("train_residual", "residual"), ("train_residual_dp_sgd", "dp_sgd")):

    rule:
        name:
            trainer
        input:
            data=f"{PRIVATE}/residual_perturbation/draws/{{task}}.npz",
            code=code(trainer),
        output:
            record=f"{PERTURBATION}/networks/{{task}}/{{method}}/{{gamma}}.json",
            predictions=f"{PRIVATE}/residual_perturbation/predictions/{{task}}/{{method}}/{{gamma}}.npz",
            weights=f"{PRIVATE}/residual_perturbation/weights/{{task}}/{{method}}/{{gamma}}.npz",
        log:
            log_of(trainer, "{task}/{method}/{gamma}"),
        benchmark:
            benchmark_of(trainer, "{task}/{method}/{gamma}")
        wildcard_constraints:
            task=one_of(TASKS),
            method=one_of([name for name, method in METHODS.items() if method["kind"] == kind]),
            gamma=r"\d+(\.\d+)?",
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=6000,
            runtime=600,
            gpu=GPU,
            gres=GRES,
        params:
            script=trainer,
            task=lambda wildcards: compact(TASKS[wildcards.task]),
            method=lambda wildcards: compact(METHODS[wildcards.method]),
            dataset=lambda wildcards: TASKS[wildcards.task]["dataset"],
            trained=lambda wildcards: training_of(wildcards.task, wildcards.method, wildcards.gamma),
            sizes=ensemble_sizes,
            checkpoint=lambda wildcards: checkpoint_of(*wildcards),
            accounting=compact(config["accounting"]),
            device=config["device"],
            preset=config["preset"],
            seed=SEED,
        message:
            "Training {wildcards.method}, gamma {wildcards.gamma}, on {wildcards.task}"
        shell:
            "python -m scripts.{params.script} --data {input.data} --task {params.task:q} --method {params.method:q} "
            "--gamma {wildcards.gamma} --members {params.trained[members]} --repetitions {params.trained[repetitions]} --sizes {params.sizes} --preset {params.preset} "
            "--seed {params.seed} --job {wildcards.task} {wildcards.method} {wildcards.gamma} "
            "--dataset {params.dataset} --accounting {params.accounting:q} --device {params.device} "
            "--threads {threads} --checkpoint {params.checkpoint} --predictions {output.predictions} "
            "--weights {output.weights} --output {output.record} > {log} 2>&1"


rule attack_residual:
    input:
        record=f"{PERTURBATION}/networks/{{task}}/{{method}}/{{gamma}}.json",
        predictions=f"{PRIVATE}/residual_perturbation/predictions/{{task}}/{{method}}/{{gamma}}.npz",
        plain=f"{PRIVATE}/residual_perturbation/predictions/{{task}}/plain/0.npz",
        code=code("attack_residual"),
    output:
        record=f"{PERTURBATION}/attacks/{{task}}/{{method}}/{{gamma}}.json",
        scores=f"{PERTURBATION}/attacks/{{task}}/{{method}}/{{gamma}}.csv",
        curves=f"{PERTURBATION}/attacks/{{task}}/{{method}}/{{gamma}}.roc.csv",
    log:
        log_of("attack_residual", "{task}/{method}/{gamma}"),
    benchmark:
        benchmark_of("attack_residual", "{task}/{method}/{gamma}")
    wildcard_constraints:
        task=one_of(TASKS),
        method=one_of(METHODS),
        gamma=r"\d+(\.\d+)?",
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
        gpu=0,
    params:
        attack=lambda wildcards: compact(RESIDUAL["attack"] | {"top": TASKS[wildcards.task]["top"]}),
        dataset=lambda wildcards: TASKS[wildcards.task]["dataset"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Attacking {wildcards.method}, gamma {wildcards.gamma}, on {wildcards.task}"
    shell:
        "python -m scripts.attack_residual --record {input.record} --predictions {input.predictions} "
        "--plain {input.plain} --attack {params.attack:q} --preset {params.preset} --seed {params.seed} "
        "--job attack {wildcards.task} {wildcards.method} {wildcards.gamma} --dataset {params.dataset} "
        "--scores {output.scores} --curves {output.curves} --output {output.record} > {log} 2>&1"
