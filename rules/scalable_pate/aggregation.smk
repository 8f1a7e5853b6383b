"""Aggregation: what a run costs, the run itself, and the release of its epsilon."""

ACCOUNTS = jobs_of("account", plan.scalable_pate.accounted_runs())


rule account:
    """What a run costs before it is made: every reading of its epsilon, and how it grows with the queries."""
    input:
        **ACCOUNTS.inputs(votes=plan.scalable_pate.votes_of_run, scores=plan.scalable_pate.first_round("students")),
    output:
        record=ACCOUNTS.output(f"{plan.scalable_pate.folder}/accounts/{{run}}/{{repetition}}.json"),
        curve=ACCOUNTS.output(f"{plan.scalable_pate.folder}/accounts/{{run}}/{{repetition}}.npz"),
    conda:
        "../../envs/accounting.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.account_settings, ACCOUNTS),
    shell:
        "python -m scripts.account {params} > {log} 2>&1"


rule aggregate:
    """A run made for real: its noise is drawn, its labels are released, and what it spent stands in a ledger."""
    input:
        votes=plan.scalable_pate.votes_of_run,
        scores=plan.scalable_pate.first_round("students"),
        first_round=plan.scalable_pate.first_round("aggregated"),
    output:
        record=f"{plan.scalable_pate.folder}/aggregated/{{run}}/{{repetition}}.json",
        labels=f"{plan.scalable_pate.folder}/aggregated/{{run}}/{{repetition}}.npz",
    conda:
        "../../envs/accounting.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.aggregate_settings),
    shell:
        "python -m scripts.aggregate {params} > {log} 2>&1"


rule inspect_selection:
    """What a run's noisy check selected and what selecting costs; private. Beside it, labels without noise."""
    input:
        votes=plan.scalable_pate.votes_of_run,
        data=plan.scalable_pate.samples_of_run,
        split=plan.scalable_pate.split_of_run,
        labels=plan.scalable_pate.released_labels,
        scores=plan.scalable_pate.first_round("students"),
    output:
        record=f"{layout.private}/selection/{{run}}/{{repetition}}.json",
        noiseless=f"{layout.private}/noiseless_labels/{{run}}/{{repetition}}.npz",
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.inspect_settings),
    shell:
        "python -m scripts.inspect_selection {params} > {log} 2>&1"


rule sanitize_epsilon:
    """A data-dependent epsilon, released: smooth sensitivity, noise, and what the release itself costs."""
    input:
        votes=plan.scalable_pate.votes_of_run,
    output:
        record=f"{plan.scalable_pate.folder}/sanitized/{{run}}/{{repetition}}.json",
    conda:
        "../../envs/accounting.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        **options(plan.scalable_pate.sanitize_settings),
    shell:
        "python -m scripts.sanitize_epsilon {params} > {log} 2>&1"


rule label_tradeoff:
    """Epsilon and label accuracy of LNMax and GNMax at several noise scales, on one draw of an ensemble's votes."""
    input:
        votes=f"{layout.private}/votes/{{ensemble}}/{{drawn}}.npz",
    output:
        table=f"{plan.scalable_pate.folder}/tradeoffs/{{ensemble}}/{{drawn}}.csv",
    conda:
        "../../envs/accounting.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.scalable_pate.tradeoff_settings),
    shell:
        "python -m scripts.label_tradeoff {params} > {log} 2>&1"
