"""Students learn from released labels; the baseline from the private data itself."""

NETWORK_STUDENTS = jobs_of("train_network_student", plan.scalable_pate.network_students())


rule train_student:
    """A classifier, trained on the labels that a run released, and its scores of the public pool."""
    input:
        data=plan.scalable_pate.samples_of_run,
        split=plan.scalable_pate.split_of_run,
        labels=plan.scalable_pate.released_labels,
    output:
        record=f"{plan.scalable_pate.folder}/students/{{run}}/{{repetition}}.json",
        scores=f"{plan.scalable_pate.folder}/students/{{run}}/{{repetition}}.npz",
    wildcard_constraints:
        run=one_of(plan.scalable_pate.runs_with_classifiers()),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.scalable_pate.student_settings),
    shell:
        "python -m scripts.train_student {params} > {log} 2>&1"


use rule train_student as train_noiseless_student with:
    """The same classifier on as many labels without noise or selection; what it measures is private."""
    input:
        data=plan.scalable_pate.samples_of_run,
        split=plan.scalable_pate.split_of_run,
        labels=f"{layout.private}/noiseless_labels/{{run}}/{{repetition}}.npz",
    output:
        record=f"{layout.private}/noiseless_students/{{run}}/{{repetition}}.json",
        scores=f"{layout.private}/noiseless_students/{{run}}/{{repetition}}.npz",
    params:
        **options(plan.scalable_pate.noiseless_student_settings),


rule train_network_student:
    """A network, trained on released labels and on the unlabelled rest of the public pool."""
    input:
        **NETWORK_STUDENTS.inputs(
            data=plan.scalable_pate.samples_of_run,
            split=plan.scalable_pate.split_of_run,
            labels=plan.scalable_pate.released_labels,
        ),
    output:
        record=NETWORK_STUDENTS.output(f"{plan.scalable_pate.folder}/students/{{run}}/{{repetition}}.json"),
        scores=NETWORK_STUDENTS.output(f"{plan.scalable_pate.folder}/students/{{run}}/{{repetition}}.npz"),
    wildcard_constraints:
        run=one_of(plan.scalable_pate.runs_with_networks()),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=6000,
        runtime=120,
    params:
        **options(plan.scalable_pate.network_student_settings, NETWORK_STUDENTS),
    shell:
        "python -m scripts.train_network_student {params} --threads {threads} > {log} 2>&1"


use rule train_network_student as train_noiseless_network_student with:
    """The same network on as many labels without noise or selection; what it measures is private."""
    input:
        data=plan.scalable_pate.samples_of_run,
        split=plan.scalable_pate.split_of_run,
        labels=f"{layout.private}/noiseless_labels/{{run}}/{{repetition}}.npz",
    output:
        record=f"{layout.private}/noiseless_students/{{run}}/{{repetition}}.json",
        scores=f"{layout.private}/noiseless_students/{{run}}/{{repetition}}.npz",
    params:
        **options(plan.scalable_pate.noiseless_network_student_settings),


rule train_baseline:
    """The non-private baseline, a classifier on all private samples with their true labels."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
        split=f"{layout.private}/baseline_splits/{{ensemble}}/{{repetition}}.npz",
    output:
        record=f"{plan.scalable_pate.folder}/baselines/{{ensemble}}/{{model}}/{{repetition}}.json",
    wildcard_constraints:
        model=one_of(plan.scalable_pate.classifiers()),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.scalable_pate.baseline_settings),
    shell:
        "python -m scripts.train_baseline {params} > {log} 2>&1"


use rule train_network_student as train_network_baseline with:
    """The non-private baseline, a network on private samples with their true labels."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
        split=f"{layout.private}/baseline_splits/{{ensemble}}/{{repetition}}.npz",
    output:
        record=f"{plan.scalable_pate.folder}/baselines/{{ensemble}}/{{model}}/{{repetition}}.json",
    wildcard_constraints:
        model=one_of(plan.scalable_pate.networks()),
    params:
        **options(plan.scalable_pate.network_baseline_settings),
