"""PATE for segmentation masks: volumes, encoders, teachers, what they answer, students."""


wildcard_constraints:
    volumes=one_of(SEGMENTATION["volumes"]),
    encoder=one_of([*ENCODERS, "none"]),
    source=one_of([*SOURCES, "truth"]),


rule prepare_volumes:
    """A collection of volumes, normalised and brought to one shape."""
    input:
        data=lambda wildcards: volume_files(wildcards.volumes),
        code=code("prepare_volumes"),
    output:
        f"{PRIVATE}/volumes/{{volumes}}/index.json",
    log:
        log_of("prepare_volumes", "{volumes}"),
    benchmark:
        benchmark_of("prepare_volumes", "{volumes}")
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
        gpu=0,
    params:
        block=lambda wildcards: compact(SEGMENTATION["volumes"][wildcards.volumes]),
        name=lambda wildcards: SEGMENTATION["volumes"][wildcards.volumes]["name"],
        # what is generated does not go stale when data move
        root=lambda wildcards: (
            f"--root {shlex.quote(config['data_root'])}"
            if volumes.VOLUMES[SEGMENTATION["volumes"][wildcards.volumes]["name"]].folder
            else ""
        ),
    message:
        "Preparing the volumes {wildcards.volumes}"
    shell:
        "python -m scripts.prepare_volumes --name {params.name} --block {params.block:q} {params.root} "
        "--output {output} > {log} 2>&1"


for suffix, place, places in shapes("{task}/{encoder}", FITTED):

    rule:
        """Encoders fitted to a task's public masks."""
        name:
            f"train_mask_encoder{suffix}"
        input:
            volumes=lambda wildcards, places=places: volumes_of(task_of(places, wildcards)),
            code=code("train_mask_encoder", "scripts/in_turn.py"),
        output:
            weights=[f"{SEG}/encoders/{place}/{{repetition}}.npz" for place in places],
            records=[f"{SEG}/encoders/{place}/{{repetition}}.json" for place in places],
        log:
            log_of("train_mask_encoder", place, "{repetition}"),
        benchmark:
            benchmark_of("train_mask_encoder", place, "{repetition}")
        wildcard_constraints:
            task=one_of(ALONE),
        conda:
            torch_environment("segmentation")
        threads: 1
        resources:
            mem_mb=8000,
            runtime=600,
            gpu=GPU,
            gres=GRES,
        params:
            jobs=lambda wildcards, output, places=places: in_turn(
                {
                    "--encoder": compact(ENCODERS[encoder]),
                    "--job": ["train_mask_encoder", task, encoder, wildcards.repetition],
                    "--checkpoint": checkpoint_of("train_mask_encoder", task, encoder, wildcards.repetition),
                    "--weights": weights,
                    "--output": record,
                }
                for (task, encoder), weights, record in zip(
                    filled(places, wildcards), output.weights, output.records, strict=True
                )
            ),
            made=lambda wildcards, places=places: listed(places, wildcards),
            task=lambda wildcards, places=places: described_task(task_of(places, wildcards)),
            dataset=lambda wildcards, places=places: SEG_TASKS[task_of(places, wildcards)]["volumes"],
            device=config["device"],
            preset=config["preset"],
            seed=SEED,
        message:
            "Fitting the encoders {params.made}, repetition {wildcards.repetition}"
        shell:
            "python -m scripts.in_turn train_mask_encoder {params.jobs:q} --volumes {input.volumes} "
            "--task {params.task:q} --repetition {wildcards.repetition} --preset {params.preset} --seed {params.seed} "
            "--dataset {params.dataset} --device {params.device} --threads {threads} > {log} 2>&1"


rule train_mask_teachers:
    """Some of a task's teachers, and what they say of the student's and the test volumes."""
    input:
        volumes=lambda wildcards: volumes_of(wildcards.task),
        code=code("train_mask_teachers"),
    output:
        answers=f"{PRIVATE_SEG}/answers/{{task}}/{{repetition}}/{{shard}}.npz",
        weights=f"{PRIVATE_SEG}/teachers/{{task}}/{{repetition}}/{{shard}}.npz",
        record=f"{SEG}/teachers/{{task}}/{{repetition}}/{{shard}}.json",
    log:
        log_of("train_mask_teachers", "{task}/{repetition}/{shard}"),
    benchmark:
        benchmark_of("train_mask_teachers", "{task}/{repetition}/{shard}")
    wildcard_constraints:
        task=one_of([name for name, task in SEG_TASKS.items() if task["teachers"]]),
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=12000,
        runtime=1440,
        gpu=GPU,
        gres=GRES,
    params:
        task=lambda wildcards: described_task(wildcards.task),
        shard=lambda wildcards: teacher_shards(wildcards.task)[int(wildcards.shard)],
        dataset=lambda wildcards: SEG_TASKS[wildcards.task]["volumes"],
        checkpoint=checkpoint_of("train_mask_teachers", "{task}", "{repetition}", "{shard}"),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Teachers of {wildcards.task}, repetition {wildcards.repetition}, shard {wildcards.shard}"
    shell:
        "python -m scripts.train_mask_teachers --volumes {input.volumes} --task {params.task:q} "
        "--repetition {wildcards.repetition} --first {params.shard[0]} --last {params.shard[1]} "
        "--preset {params.preset} --seed {params.seed} "
        "--job train_mask_teachers {wildcards.task} {wildcards.repetition} {wildcards.shard} --dataset {params.dataset} "
        "--device {params.device} --threads {threads} --checkpoint {params.checkpoint} --answers {output.answers} "
        "--weights {output.weights} --output {output.record} > {log} 2>&1"


for suffix, place, places in shapes("{task}/{source}/{encoder}", LABELLINGS):

    rule:
        """Noisy codes of the answers to a task's queries, and what they cost."""
        name:
            f"aggregate_masks{suffix}"
        input:
            volumes=lambda wildcards, places=places: volumes_of(task_of(places, wildcards)),
            fitted=lambda wildcards, places=places: [
                encoder_file(task, encoder, wildcards.repetition) for task, _, encoder in filled(places, wildcards)
            ],
            answers=lambda wildcards, places=places: sorted(
                {
                    file
                    for task, source, _ in filled(places, wildcards)
                    if source == "teachers"
                    for file in answer_files(task, wildcards.repetition)
                }
            ),
            code=code("aggregate_masks", "scripts/in_turn.py"),
        output:
            codes=[f"{PRIVATE_SEG}/codes/{place}/{{repetition}}.npz" for place in places],
            records=[f"{SEG}/codes/{place}/{{repetition}}.json" for place in places],
        log:
            log_of("aggregate_masks", place, "{repetition}"),
        benchmark:
            benchmark_of("aggregate_masks", place, "{repetition}")
        wildcard_constraints:
            task=one_of(ALONE),
        conda:
            torch_environment("segmentation")
        threads: 1
        resources:
            mem_mb=12000,
            runtime=120,
            gpu=0,
        params:
            jobs=lambda wildcards, input, output, places=places: in_turn(
                {
                    "--encoder": compact(ENCODERS[encoder]),
                    "--labellings": compact(list(LABELLINGS[task, source, encoder].values())),
                    "--fitted": fitted,
                    "--answers": answer_files(task, wildcards.repetition) if source == "teachers" else [],
                    "--job": ["aggregate_masks", task, source, encoder, wildcards.repetition],
                    "--codes": codes,
                    "--output": record,
                }
                for (task, source, encoder), fitted, codes, record in zip(
                    filled(places, wildcards), input.fitted, output.codes, output.records, strict=True
                )
            ),
            made=lambda wildcards, places=places: listed(places, wildcards),
            task=lambda wildcards, places=places: described_task(task_of(places, wildcards)),
            accounting=compact(config["accounting"]),
            dataset=lambda wildcards, places=places: SEG_TASKS[task_of(places, wildcards)]["volumes"],
            preset=config["preset"],
            seed=SEED,
        message:
            "Answering the queries of {params.made}, repetition {wildcards.repetition}"
        shell:
            "python -m scripts.in_turn aggregate_masks {params.jobs:q} --volumes {input.volumes} "
            "--task {params.task:q} --accounting {params.accounting:q} --repetition {wildcards.repetition} "
            "--preset {params.preset} --seed {params.seed} --dataset {params.dataset} --device cpu --threads {threads} "
            "> {log} 2>&1"


for suffix, place, places in shapes("{task}/{source}/{encoder}", TAUGHT):

    rule:
        """Students on masks decoded from the codes of one file each, or on true labels to compare with."""
        name:
            f"train_mask_students{suffix}"
        input:
            volumes=lambda wildcards, places=places: volumes_of(task_of(places, wildcards)),
            released=lambda wildcards, places=places: [
                file for names in filled(places, wildcards) for file in released(*names, wildcards.repetition).values()
            ],
            code=code("train_mask_students", "scripts/in_turn.py"),
        output:
            weights=[f"{PRIVATE_SEG}/students/{place}/{{repetition}}.npz" for place in places],
            records=[f"{SEG}/students/{place}/{{repetition}}.json" for place in places],
        log:
            log_of("train_mask_students", place, "{repetition}"),
        benchmark:
            benchmark_of("train_mask_students", place, "{repetition}")
        wildcard_constraints:
            task=one_of(ALONE),
        conda:
            torch_environment("segmentation")
        threads: 1
        resources:
            mem_mb=12000,
            runtime=2880,
            gpu=GPU,
            gres=GRES,
        params:
            jobs=lambda wildcards, output, places=places: in_turn(
                {
                    "--encoder": compact(ENCODERS.get(encoder)),
                    "--labellings": compact(list(TAUGHT[task, source, encoder].values())),
                    **released(task, source, encoder, wildcards.repetition),
                    "--job": ["train_mask_students", task, source, encoder, wildcards.repetition],
                    "--checkpoint": checkpoint_of("train_mask_students", task, source, encoder, wildcards.repetition),
                    "--weights": weights,
                    "--output": record,
                }
                for (task, source, encoder), weights, record in zip(
                    filled(places, wildcards), output.weights, output.records, strict=True
                )
            ),
            made=lambda wildcards, places=places: listed(places, wildcards),
            task=lambda wildcards, places=places: described_task(task_of(places, wildcards)),
            dataset=lambda wildcards, places=places: SEG_TASKS[task_of(places, wildcards)]["volumes"],
            device=config["device"],
            preset=config["preset"],
            seed=SEED,
        message:
            "Students of {params.made}, repetition {wildcards.repetition}"
        shell:
            "python -m scripts.in_turn train_mask_students {params.jobs:q} --volumes {input.volumes} "
            "--task {params.task:q} --repetition {wildcards.repetition} --preset {params.preset} --seed {params.seed} "
            "--dataset {params.dataset} --device {params.device} --threads {threads} > {log} 2>&1"


rule train_mask_dp_sgd:
    """The baseline: a network trained by DP-SGD on every private patient."""
    input:
        volumes=lambda wildcards: volumes_of(wildcards.task),
        code=code("train_mask_dp_sgd"),
    output:
        weights=f"{PRIVATE_SEG}/dp_sgd/{{task}}/{{noise}}/{{repetition}}.npz",
        record=f"{SEG}/dp_sgd/{{task}}/{{noise}}/{{repetition}}.json",
    log:
        log_of("train_mask_dp_sgd", "{task}/{noise}/{repetition}"),
    benchmark:
        benchmark_of("train_mask_dp_sgd", "{task}/{noise}/{repetition}")
    wildcard_constraints:
        task=one_of(AUTOENCODED["results"]["tasks"]),
        noise="printed|budget",
    conda:
        torch_environment("segmentation")
    threads: 1
    resources:
        mem_mb=12000,
        runtime=1440,
        gpu=GPU,
        gres=GRES,
    params:
        task=lambda wildcards: described_task(wildcards.task),
        sgd=compact({name: AUTOENCODED["results"]["dp_sgd"][name] for name in ("sigma", "delta", "recipe")}),
        epsilon=lambda wildcards: (
            f"--epsilon {AUTOENCODED['results']['epsilon']}" if wildcards.noise == "budget" else ""
        ),
        accounting=compact(config["accounting"]),
        dataset=lambda wildcards: SEG_TASKS[wildcards.task]["volumes"],
        checkpoint=checkpoint_of("train_mask_dp_sgd", "{task}", "{noise}", "{repetition}"),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "DP-SGD on {wildcards.task}, noise {wildcards.noise}, repetition {wildcards.repetition}"
    shell:
        "python -m scripts.train_mask_dp_sgd --volumes {input.volumes} --task {params.task:q} --sgd {params.sgd:q} "
        "{params.epsilon} "
        "--accounting {params.accounting:q} --repetition {wildcards.repetition} --preset {params.preset} "
        "--seed {params.seed} --job train_mask_dp_sgd {wildcards.task} {wildcards.noise} {wildcards.repetition} "
        "--dataset {params.dataset} --device {params.device} --threads {threads} --checkpoint {params.checkpoint} "
        "--weights {output.weights} --output {output.record} > {log} 2>&1"
