"""One leaderboard: every method on the same worlds, at the same privacy, under the same attacks."""


rule draw_worlds:
    """The private records of every world, and what is public in all of them."""
    input:
        data=f"{PRIVATE}/data/{BOARD['dataset']}.npz",
        code=code("draw_worlds"),
    output:
        worlds=f"{PRIVATE_BOARD}/worlds.npz",
        public=f"{LEADERBOARD}/public.npz",
    log:
        log_of("draw_worlds"),
    benchmark:
        benchmark_of("draw_worlds")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
        gpu=0,
    params:
        settings=compact({name: BOARD[name] for name in ("slots", "canaries", "public", "test", "worlds", "classes")}),
        seed=SEED,
    message:
        "Drawing the worlds of the leaderboard"
    shell:
        "python -m scripts.draw_worlds --data {input.data} --settings {params.settings:q} --seed {params.seed} "
        "--job leaderboard worlds --worlds {output.worlds} --public {output.public} > {log} 2>&1"


rule count_world_votes:
    """What the teachers of some worlds say of the public pool."""
    input:
        worlds=f"{PRIVATE_BOARD}/worlds.npz",
        public=f"{LEADERBOARD}/public.npz",
        code=code("count_world_votes"),
    output:
        f"{PRIVATE_BOARD}/votes/{{shard}}.npz",
    log:
        log_of("count_world_votes", "{shard}"),
    benchmark:
        benchmark_of("count_world_votes", "{shard}")
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=6000,
        runtime=240,
        gpu=GPU,
        gres=GRES,
    params:
        teachers=BOARD["teachers"]["count"],
        model=compact(MODELS[BOARD["teachers"]["model"]]),
        classes=BOARD["classes"],
        worlds=lambda wildcards: BOARD_SHARDS[int(wildcards.shard)],
        checkpoint=checkpoint_of("count_world_votes", "{shard}"),
        device=config["device"],
        seed=SEED,
    message:
        "Teachers of the leaderboard, shard {wildcards.shard}"
    shell:
        "python -m scripts.count_world_votes --worlds {input.worlds} --public {input.public} "
        "--teachers {params.teachers} --model {params.model:q} --classes {params.classes} --range {params.worlds} --seed {params.seed} "
        "--job leaderboard teachers --device {params.device} --threads {threads} --checkpoint {params.checkpoint} "
        "--output {output} > {log} 2>&1"


rule train_worlds:
    """One method at one budget in some worlds, and what the released models say of all records."""
    input:
        worlds=f"{PRIVATE_BOARD}/worlds.npz",
        public=f"{LEADERBOARD}/public.npz",
        votes=votes_if_asked,
        code=code("train_worlds"),
    output:
        predictions=f"{PRIVATE_BOARD}/predictions/{{method}}/{{budget}}/{{shard}}.npz",
        record=f"{LEADERBOARD}/models/{{method}}/{{budget}}/{{shard}}.json",
    log:
        log_of("train_worlds", "{method}/{budget}/{shard}"),
    benchmark:
        benchmark_of("train_worlds", "{method}/{budget}/{shard}")
    wildcard_constraints:
        method=one_of(BOARD_METHODS),
        budget=r"none|\d+(\.\d+)?",
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=6000,
        runtime=600,
        gpu=GPU,
        gres=GRES,
    params:
        method=lambda wildcards: board_method(wildcards.method),
        privacy=compact({name: BOARD[name] for name in ("delta", "orders", "classes", "largest")}),
        worlds=lambda wildcards: BOARD_SHARDS[int(wildcards.shard)],
        votes=lambda wildcards, input: f"--votes {input.votes}" if input.votes else "",
        dataset=BOARD["dataset"],
        checkpoint=checkpoint_of("train_worlds", "{method}", "{budget}", "{shard}"),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Leaderboard: {wildcards.method} at epsilon {wildcards.budget}, shard {wildcards.shard}"
    shell:
        "python -m scripts.train_worlds --worlds {input.worlds} --public {input.public} {params.votes} "
        "--method {params.method:q} --budget {wildcards.budget} --privacy {params.privacy:q} --range {params.worlds} "
        "--preset {params.preset} --seed {params.seed} --dataset {params.dataset} "
        "--job leaderboard {wildcards.method} {wildcards.budget} --device {params.device} --threads {threads} "
        "--checkpoint {params.checkpoint} --predictions {output.predictions} --output {output.record} > {log} 2>&1"


for suffix, place, places in ATTACK_SHAPES:

    rule:
        """Membership attacks and a one-run audit of methods at their budgets."""
        name:
            f"attack_worlds{suffix}"
        input:
            worlds=f"{PRIVATE_BOARD}/worlds.npz",
            predictions=[
                f"{PRIVATE_BOARD}/predictions/{entry}/{shard}.npz"
                for entry in places
                for shard in range(len(BOARD_SHARDS))
            ],
            code=code("attack_worlds", "scripts/in_turn.py"),
        output:
            scores=[f"{LEADERBOARD}/attacks/{entry}.csv" for entry in places],
            curves=[f"{LEADERBOARD}/attacks/{entry}.roc.csv" for entry in places],
            audits=[f"{LEADERBOARD}/attacks/{entry}.audit.csv" for entry in places],
        log:
            log_of("attack_worlds", place),
        benchmark:
            benchmark_of("attack_worlds", place)
        wildcard_constraints:
            method=one_of(BOARD_METHODS),
            budget=r"none|\d+(\.\d+)?",
        conda:
            torch_environment("networks")
        threads: 1
        resources:
            mem_mb=6000,
            runtime=240,
            gpu=0,
        params:
            jobs=lambda wildcards, input, output, places=places: in_turn(
                {
                    "--predictions": input.predictions[number * len(BOARD_SHARDS) : (number + 1) * len(BOARD_SHARDS)],
                    "--job": ["leaderboard", "attack", *names],
                    "--scores": scores,
                    "--curves": curves,
                    "--audit": audit,
                }
                for number, (names, scores, curves, audit) in enumerate(
                    zip(filled(places, wildcards), output.scores, output.curves, output.audits, strict=True)
                )
            ),
            made=lambda wildcards, places=places: listed(places, wildcards),
            attacks=compact({name: value for name, value in BOARD["attacks"].items() if name != "processes"}),
            targets=BOARD["targets"],
            delta=BOARD["delta"],
            seed=SEED,
        message:
            "Attacking {params.made}"
        shell:
            "python -m scripts.in_turn attack_worlds {params.jobs:q} --worlds {input.worlds} --attacks {params.attacks:q} "
            "--targets {params.targets} --delta {params.delta} --seed {params.seed} > {log} 2>&1"


rule leaderboard:
    """Accuracy, attacks, what an audit shows and what was accounted for, of every method."""
    input:
        records=shards_of_entries(f"{LEADERBOARD}/models/{{method}}/{{budget}}/{{shard}}.json"),
        scores=of_entries(f"{LEADERBOARD}/attacks/{{method}}/{{budget}}.csv"),
        curves=of_entries(f"{LEADERBOARD}/attacks/{{method}}/{{budget}}.roc.csv"),
        audits=of_entries(f"{LEADERBOARD}/attacks/{{method}}/{{budget}}.audit.csv"),
        code=code("leaderboard"),
    output:
        table=report(
            f"{LEADERBOARD}/leaderboard.csv",
            caption="../report/leaderboard.rst",
            category="Leaderboard",
            labels={"item": "All methods", "kind": "table"},
        ),
        privacy=f"{LEADERBOARD}/leaderboard_privacy.csv",
        png=report(
            f"{LEADERBOARD}/leaderboard.png",
            caption="../report/leaderboard.rst",
            category="Leaderboard",
            labels={"item": "All methods", "kind": "figure"},
        ),
        pdf=f"{LEADERBOARD}/leaderboard.pdf",
        roc_png=report(
            f"{LEADERBOARD}/roc.png",
            caption="../report/leaderboard_roc.rst",
            category="Leaderboard",
            labels={"item": "Attacks", "kind": "figure"},
        ),
        roc_pdf=f"{LEADERBOARD}/roc.pdf",
    log:
        log_of("leaderboard"),
    benchmark:
        benchmark_of("leaderboard")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        entries=compact([{"method": name, "budget": budget} | BOARD_METHODS[name] for name, budget in ENTRIES]),
        settings=compact(
            {name: BOARD[name] for name in ("label", "slots", "canaries", "worlds", "targets", "delta")}
            | {"rates": BOARD["attacks"]["rates"]}
        ),
    message:
        "The leaderboard"
    shell:
        "python -m scripts.leaderboard --records {input.records} --scores {input.scores} --curves {input.curves} "
        "--audits {input.audits} --entries {params.entries:q} --settings {params.settings:q} --output {output.table} "
        "--privacy {output.privacy} --png {output.png} --pdf {output.pdf} --roc-png {output.roc_png} "
        "--roc-pdf {output.roc_pdf} > {log} 2>&1"


rule leaderboard_cost:
    """What training cost, by Snakemake's benchmark files: a measurement, not repeatable."""
    input:
        benchmarks=shards_of_entries(benchmark_of("train_worlds", "{method}/{budget}/{shard}")),
        teachers=[benchmark_of("count_world_votes", str(shard)) for shard in range(len(BOARD_SHARDS))],
        code=code("leaderboard_cost"),
    output:
        report(
            f"{LEADERBOARD}/leaderboard_cost.csv",
            caption="../report/leaderboard_cost.rst",
            category="Leaderboard",
            labels={"item": "Cost", "kind": "table"},
        ),
    log:
        log_of("leaderboard_cost"),
    benchmark:
        benchmark_of("leaderboard_cost")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
        gpu=0,
    params:
        asks=list(ASK_TEACHERS),
        entries=compact([{"method": name, "budget": budget} | BOARD_METHODS[name] for name, budget in ENTRIES]),
        worlds=BOARD["worlds"],
    message:
        "What the methods of the leaderboard cost"
    shell:
        "python -m scripts.leaderboard_cost --benchmarks {input.benchmarks} --teachers {input.teachers} "
        "--asks {params.asks} --entries {params.entries:q} --worlds {params.worlds} --output {output} > {log} 2>&1"


BOARD_TABLES = {
    "leaderboard": f"{LEADERBOARD}/leaderboard.csv",
    "cost": f"{LEADERBOARD}/leaderboard_cost.csv",
    "known": f"{RESULTS}/audit/known.csv",
}
BOARD_COLUMNS = {
    "leaderboard": (
        "method,budget,epsilon,epsilon_tighter,guarantee,accuracy,attack,auc,auc_low,auc_high,tpr_0.01,tpr_0.01_low,tpr_0.01_high,tpr_0.001,"
        "tpr_0.001_low,tpr_0.001_high,canary_auc,lower_bound,lower_bound_mean,lower_bound_highest,largest,noise,worlds,targets,data"
    ),
    "cost": "method,budget,seconds_per_world,processor_seconds_per_world,teachers_processor_seconds_per_world,memory_mib",
}
BOARD_FIGURES = {item: f"{LEADERBOARD}/{item}.png" for item in ("leaderboard", "roc")} | {
    "known": f"{RESULTS}/audit/known.png"
}


rule leaderboard_reproduction:
    """Write the leaderboard's part of docs/reproduction: its page and figures, from this preset."""
    input:
        readings=os.path.relpath(ROOT / "report" / "leaderboard_readings.md"),
        tables=list(BOARD_TABLES.values()),
        figures=list(BOARD_FIGURES.values()),
        code=code("reproduction"),
    output:
        page="docs/reproduction/leaderboard.md",
        figures=[f"docs/reproduction/leaderboard/{item}.png" for item in BOARD_FIGURES],
    log:
        log_of("leaderboard_reproduction"),
    benchmark:
        benchmark_of("leaderboard_reproduction")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    params:
        tables=[f"{item}:{path}" for item, path in BOARD_TABLES.items()],
        figures=[f"{item}:{path}" for item, path in BOARD_FIGURES.items()],
        columns=[f"{item}:{columns}" for item, columns in BOARD_COLUMNS.items()],
        preset=config["preset"],
    message:
        "Writing the page of the leaderboard"
    shell:
        "python -m scripts.reproduction --folder docs/reproduction --paper leaderboard "
        "--title 'All methods under the same attacks' --preset {params.preset} --readings {input.readings:q} "
        "--tables {params.tables} --columns {params.columns} --figures {params.figures} > {log} 2>&1"
