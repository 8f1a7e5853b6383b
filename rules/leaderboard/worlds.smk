"""One leaderboard: every method on the same worlds, at the same privacy, under the same attacks."""

WORLDS = jobs_of("train_worlds", plan.leaderboard.trained())


rule draw_worlds:
    """The private records of every world, and what is public in all of them."""
    input:
        data=layout.data(config["leaderboard"]["dataset"]),
    output:
        worlds=f"{layout.private}/leaderboard/worlds.npz",
        public=f"{layout.of('leaderboard')}/public.npz",
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=4000,
    params:
        **options(plan.leaderboard.worlds_settings),
    shell:
        "python -m scripts.draw_worlds {params} > {log} 2>&1"


rule count_world_votes:
    """What the teachers of some worlds say of the public pool."""
    input:
        worlds=f"{layout.private}/leaderboard/worlds.npz",
        public=f"{layout.of('leaderboard')}/public.npz",
    output:
        votes=f"{layout.private}/leaderboard/votes/{{teachers}}/{{shard}}.npz",
        cost=f"{layout.of('leaderboard')}/costs_of_teachers/{{teachers}}/{{shard}}.csv",
    conda:
        torch_environment("networks")
    resources:
        **GPU[plan.leaderboard.device],
        mem_mb=6000,
        runtime=240,
    params:
        **options(plan.leaderboard.votes_settings),
    shell:
        "python -m scripts.count_world_votes {params} --threads {threads} > {log} 2>&1"


rule train_worlds:
    """One method at one budget in some worlds, and what the released models say of all records."""
    input:
        **WORLDS.inputs(
            worlds=f"{layout.private}/leaderboard/worlds.npz",
            public=f"{layout.of('leaderboard')}/public.npz",
            votes=plan.leaderboard.votes,
            own=plan.leaderboard.ones_own,
        ),
    output:
        predictions=WORLDS.output(f"{layout.private}/leaderboard/predictions/{{method}}/{{budget}}/{{shard}}.npz"),
        record=WORLDS.output(f"{layout.of('leaderboard')}/models/{{method}}/{{budget}}/{{shard}}.json"),
        cost=WORLDS.output(f"{layout.of('leaderboard')}/costs/{{method}}/{{budget}}/{{shard}}.csv"),
    wildcard_constraints:
        method=one_of(plan.leaderboard.methods),
        budget=r"none|\d+(\.\d+)?",
    conda:
        torch_environment("networks")
    resources:
        **GPU[plan.leaderboard.device],
        mem_mb=6000,
        runtime=120,
    params:
        **options(plan.leaderboard.training_settings, WORLDS),
    shell:
        "python -m scripts.train_worlds {params} --threads {threads} > {log} 2>&1"


rule attack_worlds:
    """Membership attacks and a one-run audit of a shard of the methods at their budgets."""
    input:
        worlds=f"{layout.private}/leaderboard/worlds.npz",
        predictions=plan.leaderboard.predictions,
    output:
        scores=f"{layout.of('leaderboard')}/attacks/{{shard}}.csv",
        curves=f"{layout.of('leaderboard')}/attacks/{{shard}}.roc.csv",
        audits=f"{layout.of('leaderboard')}/attacks/{{shard}}.audit.csv",
    conda:
        torch_environment("networks")
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        **options(plan.leaderboard.attack_settings),
    shell:
        "python -m scripts.attack_worlds {params} > {log} 2>&1"


rule audit_releases:
    """Lower bounds on the epsilon of all that each method's mechanism releases, on the worst neighbours known."""
    output:
        bounds=f"{layout.of('leaderboard')}/releases.csv",
    conda:
        torch_environment("networks")
    resources:
        runtime=120,
    params:
        **options(plan.leaderboard.releases_settings),
    shell:
        "python -m scripts.audit_releases {params} > {log} 2>&1"
