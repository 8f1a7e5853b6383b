"""A release: a folder that can be published, made of public files and of what mechanisms released."""


rule public_part:
    """The public part of a dataset: what a student may read, in a file of its own without a private record."""
    input:
        data=plan.scalable_pate.samples_of_ensemble,
        split=f"{layout.private}/splits/{{ensemble}}/{{repetition}}.npz",
    output:
        samples=f"{plan.release.public}/{{ensemble}}/{{repetition}}.npz",
        record=f"{plan.release.public}/{{ensemble}}/{{repetition}}.json",
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
    params:
        **options(plan.release.public_settings),
    shell:
        "python -m scripts.public_part {params} > {log} 2>&1"


rule release_student:
    """The student of a release, a classifier, trained on public files alone, and its weights."""
    input:
        samples=plan.release.public_samples,
        labels=f"{plan.scalable_pate.folder}/aggregated/{{run}}/{{repetition}}.npz",
    output:
        weights=f"{plan.release.parts}/{{run}}/{{repetition}}.safetensors",
        record=f"{plan.release.parts}/{{run}}/{{repetition}}.json",
    wildcard_constraints:
        run=one_of(plan.release.runs_with_classifiers()),
    conda:
        "../../envs/learning.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **options(plan.release.student_settings),
    shell:
        "python -m scripts.release_student {params} > {log} 2>&1"


rule release_network_student:
    """The student of a release, a network, trained on public files alone, and its weights."""
    input:
        samples=plan.release.public_samples,
        labels=f"{plan.scalable_pate.folder}/aggregated/{{run}}/{{repetition}}.npz",
    output:
        weights=f"{plan.release.parts}/{{run}}/{{repetition}}.safetensors",
        record=f"{plan.release.parts}/{{run}}/{{repetition}}.json",
    wildcard_constraints:
        run=one_of(plan.release.runs_with_networks()),
    conda:
        torch_environment("networks")
    resources:
        **GPU[config["device"]],
        mem_mb=4000,
        runtime=240,
    params:
        **options(plan.release.network_student_settings),
    shell:
        "python -m scripts.release_network_student {params} --threads {threads} > {log} 2>&1"


rule release:
    """A student's folder that can be published, refused where it would not be verified."""
    input:
        records=asked(plan.release.records),
        beside=asked(plan.release.arrays),
    output:
        beside=plan.release.files(),
    conda:
        "../../envs/learning.yaml"
    params:
        **options(plan.release.settings),
    shell:
        "python -m scripts.release {params} > {log} 2>&1"


rule verify_release:
    """The release as a stranger checks it, and beside that against its public samples and the records of its run."""
    input:
        samples=asked(plan.release.samples),
        beside=asked(plan.release.verified),
    output:
        report=plan.release.report(),
    conda:
        "../../envs/learning.yaml"
    params:
        **options(plan.release.verify_settings),
    shell:
        "python -m scripts.verify_release {params} > {log} 2>&1"
