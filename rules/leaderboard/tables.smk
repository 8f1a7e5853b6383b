"""The leaderboard: its table and figure, and what the methods cost."""


rule leaderboard:
    """Accuracy, attacks, what an audit shows and what was accounted for, of every method."""
    input:
        records=plan.leaderboard.records,
        scores=plan.leaderboard.attacks(".csv"),
        audits=plan.leaderboard.attacks(".audit.csv"),
        releases=f"{layout.of('leaderboard')}/releases.csv",
    output:
        **table("leaderboard", "privacy"),
        **pictures("leaderboard"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.leaderboard.board_settings),
    shell:
        "python -m scripts.leaderboard {params} > {log} 2>&1"


rule leaderboard_cost:
    """What training cost, as its jobs measured it: not repeatable."""
    input:
        costs=plan.leaderboard.costs,
        teachers=plan.leaderboard.costs_of_teachers,
    output:
        **table("leaderboard_cost"),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.leaderboard.cost_settings),
    shell:
        "python -m scripts.leaderboard_cost {params} > {log} 2>&1"
