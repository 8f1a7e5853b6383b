"""DP-MAC: its curves, those it is compared with, and what an autoencoder must beat."""

MAC = jobs_of("train_mac", plan.dp_mac.trained("mac", "dp_mac"))
SGD = jobs_of("train_sgd", plan.dp_mac.trained("backpropagation", "dp_sgd"))
CDBN = jobs_of("train_cdbn", plan.dp_mac.trained("cdbn", "dp_cdbn", "dp_cdbn_published"))


rule train_mac:
    """A curve of networks trained by the method of auxiliary coordinates, with noise DP-MAC."""
    input:
        **MAC.inputs(data=asked(plan.dp_mac.data_of_curve)),
    output:
        record=MAC.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.json"),
        curves=MAC.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.csv"),
        weights=MAC.output(f"{layout.private}/dp_mac/weights/{{series}}/{{level}}/{{part}}.npz"),
    wildcard_constraints:
        series=one_of(plan.dp_mac.series_trained_by("mac", "dp_mac")),
        level=r"none|(printed|needed)_[\d.]+",
        part=r"all|\d+",
    conda:
        torch_environment("networks")
    resources:
        **GPU[plan.dp_mac.device],
        mem_mb=3000,
        runtime=120,
    params:
        **options(plan.dp_mac.curve_settings, MAC),
    shell:
        "python -m scripts.train_mac {params} --threads {threads} > {log} 2>&1"


rule train_sgd:
    """A curve of a network trained by gradients: backpropagation, or with noise DP-SGD."""
    input:
        **SGD.inputs(data=asked(plan.dp_mac.data_of_curve)),
    output:
        record=SGD.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.json"),
        curves=SGD.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.csv"),
        weights=SGD.output(f"{layout.private}/dp_mac/weights/{{series}}/{{level}}/{{part}}.npz"),
    wildcard_constraints:
        series=one_of(plan.dp_mac.series_trained_by("backpropagation", "dp_sgd")),
        level=r"none|(printed|needed)_[\d.]+",
        part=r"all|\d+",
    conda:
        torch_environment("networks")
    resources:
        **GPU[plan.dp_mac.device],
        mem_mb=3000,
        runtime=120,
    params:
        **options(plan.dp_mac.curve_settings, SGD),
    shell:
        "python -m scripts.train_sgd {params} --threads {threads} > {log} 2>&1"


rule train_cdbn:
    """A curve of a convolutional deep belief network, private by its releases, as published, or not private."""
    input:
        **CDBN.inputs(data=asked(plan.dp_mac.data_of_curve)),
    output:
        record=CDBN.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.json"),
        curves=CDBN.output(f"{layout.of('dp_mac')}/curves/{{series}}/{{level}}/{{part}}.csv"),
        weights=CDBN.output(f"{layout.private}/dp_mac/weights/{{series}}/{{level}}/{{part}}.npz"),
    wildcard_constraints:
        series=one_of(plan.dp_mac.series_trained_by("cdbn", "dp_cdbn", "dp_cdbn_published")),
        level=r"none|(printed|needed)_[\d.]+",
        part=r"all|\d+",
    conda:
        torch_environment("networks")
    resources:
        **GPU[plan.dp_mac.device],
        mem_mb=3000,
        runtime=120,
    params:
        **options(plan.dp_mac.curve_settings, CDBN),
    shell:
        "python -m scripts.train_cdbn {params} --threads {threads} > {log} 2>&1"


rule reference_lines:
    """Errors that any autoencoder of a series' images must beat."""
    input:
        data=plan.dp_mac.data,
    output:
        record=f"{layout.of('dp_mac')}/references/{{series}}.json",
    conda:
        "../../envs/learning.yaml"
    params:
        **options(plan.dp_mac.reference_settings),
    shell:
        "python -m scripts.reference_lines {params} > {log} 2>&1"
