"""The leaderboard's methods under attack."""


rule attack_worlds:
    """Membership attacks and a one-run audit of a shard of the methods at their budgets."""
    input:
        worlds=f"{layout.private}/leaderboard/worlds.npz",
        predictions=plan.leaderboard.predictions,
        code=code("attack_worlds"),
    output:
        scores=f"{layout.of('leaderboard')}/attacks/{{shard}}.csv",
        curves=f"{layout.of('leaderboard')}/attacks/{{shard}}.roc.csv",
        audits=f"{layout.of('leaderboard')}/attacks/{{shard}}.audit.csv",
    log:
        layout.log("attack_worlds", "{shard}"),
    benchmark:
        layout.benchmark("attack_worlds", "{shard}")
    conda:
        torch_environment("networks")
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        options=options(plan.leaderboard.attack_settings),
    message:
        "Attacking the leaderboard, shard {wildcards.shard}"
    shell:
        "python -m scripts.attack_worlds {params.options} > {log} 2>&1"
