"""Residual perturbation: networks with and without noise, membership attacks on them, and their tables and figures."""


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
        mem_mb=6000,
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
            "../envs/networks.yaml"
        threads: 1
        resources:
            mem_mb=6000,
            runtime=600,
            gpu=GPU,
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
        "../envs/networks.yaml"
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
        "--attack {params.attack:q} --preset {params.preset} --seed {params.seed} "
        "--job attack {wildcards.task} {wildcards.method} {wildcards.gamma} --dataset {params.dataset} "
        "--scores {output.scores} --curves {output.curves} --output {output.record} > {log} 2>&1"


for item, table in RESIDUAL["tables"].items():

    rule:
        """A table of residual perturbation: attacks on some methods, and their accuracy."""
        name:
            f"residual_perturbation_{item}"
        input:
            records=table_records(item),
            tables=beside([*table_records(item), control_of(table["task"])]),
            control=control_of(table["task"]),
            draws=f"{PERTURBATION}/draws/{table['task']}.json",
            code=code("residual_perturbation_table"),
        output:
            table=report(
                f"{PERTURBATION}/{item}.csv",
                caption=f"../report/residual_perturbation_{item}.rst",
                category="Residual perturbation",
                labels={"item": f"Table {item[5:]}" if item.startswith("table") else item, "kind": "table"},
            ),
            privacy=f"{PERTURBATION}/{item}_privacy.csv",
        log:
            log_of(f"residual_perturbation_{item}"),
        benchmark:
            benchmark_of(f"residual_perturbation_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            rows=titled_rows(item),
            item=item,
        message:
            "Table {params.item} of residual perturbation"
        shell:
            "python -m scripts.residual_perturbation_table --records {input.records} --control {input.control} "
            "--draws {input.draws} --rows {params.rows:q} --output {output.table} --privacy {output.privacy} "
            "> {log} 2>&1"


for item in RESIDUAL["figures"]:
    script = "residual_perturbation_roc" if item in ROC_FIGURES else "residual_perturbation_noise"

    rule:
        """A figure of residual perturbation: attacks and accuracy against the noise coefficient, or ROC curves."""
        name:
            f"residual_perturbation_{item}"
        input:
            records=figure_records(item),
            tables=beside(figure_records(item)),
            code=code(script),
        output:
            numbers=f"{PERTURBATION}/{item}.csv",
            comparison=f"{PERTURBATION}/{item}_comparison.csv",
            png=report(
                f"{PERTURBATION}/{item}.png",
                caption=f"../report/residual_perturbation_{item}.rst",
                category="Residual perturbation",
                labels={"item": f"Figure {item[3:]}", "kind": "figure"},
            ),
            pdf=f"{PERTURBATION}/{item}.pdf",
        log:
            log_of(f"residual_perturbation_{item}"),
        benchmark:
            benchmark_of(f"residual_perturbation_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            script=script,
            item=item[3:],
            sizes="--sizes" if item == "fig6" else "",
        message:
            "Figure {params.item} of residual perturbation"
        shell:
            "python -m scripts.{params.script} --records {input.records} {params.sizes} --output {output.numbers} "
            "--comparison {output.comparison} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule residual_perturbation_fig2:
    """Figure 2 of residual perturbation: patches of both classes."""
    input:
        data=f"{PRIVATE}/data/{RESIDUAL['patches']}.npz",
        code=code("residual_perturbation_fig2"),
    output:
        png=report(
            f"{PERTURBATION}/fig2.png",
            caption="../report/residual_perturbation_fig2.rst",
            category="Residual perturbation",
            labels={"item": "Figure 2", "kind": "figure"},
        ),
        pdf=f"{PERTURBATION}/fig2.pdf",
    log:
        log_of("residual_perturbation_fig2"),
    benchmark:
        benchmark_of("residual_perturbation_fig2")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=5,
        gpu=0,
    params:
        dataset=RESIDUAL["patches"],
        seed=SEED,
    message:
        "Figure 2 of residual perturbation"
    shell:
        "python -m scripts.residual_perturbation_fig2 --seed {params.seed} --dataset {params.dataset} "
        "--data {input.data} --png {output.png} --pdf {output.pdf} > {log} 2>&1"


rule residual_perturbation_cost:
    """What an epoch costs with and without residual perturbation, and by DP-SGD: a measurement, not repeatable."""
    input:
        code=code("residual_perturbation_cost"),
    output:
        report(
            f"{PERTURBATION}/cost.csv",
            caption="../report/residual_perturbation_cost.rst",
            category="Residual perturbation",
            labels={"item": "Cost", "kind": "table"},
        ),
    log:
        log_of("residual_perturbation_cost"),
    benchmark:
        benchmark_of("residual_perturbation_cost")
    conda:
        "../envs/networks.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=15,
        gpu=GPU,
    params:
        settings=compact(RESIDUAL["cost"]),
        device=config["device"],
    message:
        "Measuring what residual perturbation costs"
    shell:
        "python -m scripts.residual_perturbation_cost --settings {params.settings:q} --device {params.device} "
        "--threads {threads} --output {output} > {log} 2>&1"
