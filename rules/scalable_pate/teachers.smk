"""Teachers: an ensemble trained on disjoint private parts labels the public pool; votes are counted."""


rule split_data:
    """Who owns which sample: the teachers, the student's public pool, the test set."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
    output:
        split=f"{layout.private}/splits/{{ensemble}}/{{repetition}}.npz",
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.split_settings),
    shell:
        "python -m scripts.split_data {params} > {log} 2>&1"


use rule split_data as split_baseline with:
    """Private samples as in `split_data`; those of pool and test set together test the non-private baseline."""
    output:
        split=f"{layout.private}/baseline_splits/{{ensemble}}/{{repetition}}.npz",
    params:
        **options(plan.scalable_pate.baseline_split_settings),


rule train_teachers:
    """A shard of an ensemble of classifiers, and their labels of the public pool."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
        split=f"{layout.private}/splits/{{ensemble}}/{{repetition}}.npz",
    output:
        labels=f"{layout.private}/teacher_labels/{{ensemble}}/{{repetition}}/{{shard}}.npz",
    wildcard_constraints:
        ensemble=one_of(plan.scalable_pate.ensembles_of_classifiers()),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.scalable_pate.teacher_settings),
    shell:
        "python -m scripts.train_teachers {params} > {log} 2>&1"


rule train_network_teachers:
    """A shard of an ensemble of networks, trained many at once, and their labels of the public pool."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
        split=f"{layout.private}/splits/{{ensemble}}/{{repetition}}.npz",
    output:
        labels=f"{layout.private}/teacher_labels/{{ensemble}}/{{repetition}}/{{shard}}.npz",
    wildcard_constraints:
        ensemble=one_of(plan.scalable_pate.ensembles_of_networks()),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=8000,
        runtime=120,
    params:
        **options(plan.scalable_pate.network_teacher_settings),
    shell:
        "python -m scripts.train_network_teachers {params} --threads {threads} > {log} 2>&1"


rule count_votes:
    """Votes of a draw: one histogram a query, from teachers trained here or from votes that were published."""
    input:
        labels=plan.scalable_pate.labels_or_votes,
    output:
        votes=f"{layout.private}/votes/{{ensemble}}/{{drawn}}.npz",
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.scalable_pate.count_settings),
    shell:
        "python -m scripts.count_votes {params} > {log} 2>&1"
