"""The leaderboard's page."""

BOARD_TABLES = {
    "leaderboard": f"{layout.of('leaderboard')}/leaderboard.csv",
    "cost": f"{layout.of('leaderboard')}/leaderboard_cost.csv",
    "known": f"{RESULTS}/audit/known.csv",
}
BOARD_COLUMNS = {
    "leaderboard": (
        "method,budget,epsilon,epsilon_tighter,guarantee,accuracy,attack,auc,auc_low,auc_high,tpr_0.01,tpr_0.01_low,tpr_0.01_high,tpr_0.001,"
        "tpr_0.001_low,tpr_0.001_high,canary_auc,lower_bound,lower_bound_mean,lower_bound_highest,largest,noise,worlds,targets,data"
    ),
    "cost": "method,budget,seconds_per_world,processor_seconds_per_world,teachers_processor_seconds_per_world,memory_mib",
}
BOARD_FIGURES = {item: f"{layout.of('leaderboard')}/{item}.png" for item in ("leaderboard", "roc")} | {
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
        "../../envs/reporting.yaml"
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
