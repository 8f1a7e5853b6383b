"""Residual perturbation audited: runs with and without a canary, and the lower bounds on epsilon that they show."""

AUDIT = config["residual_perturbation"]["audit"]
AUDITS = [f"{task}/{mechanism}" for task in AUDIT["chosen"] for mechanism in AUDIT["mechanisms"]]


rule audit_residual:
    input:
        data=lambda wildcards: f"{PRIVATE}/data/{AUDIT['tasks'][wildcards.task]['dataset']}.npz",
        code=code("audit_residual"),
    output:
        record=f"{PERTURBATION}/audits/{{task}}/{{mechanism}}.json",
        statistics=f"{PRIVATE}/residual_perturbation/audits/{{task}}/{{mechanism}}.csv",
    log:
        log_of("audit_residual", "{task}/{mechanism}"),
    benchmark:
        benchmark_of("audit_residual", "{task}/{mechanism}")
    wildcard_constraints:
        task=one_of(AUDIT["tasks"]),
        mechanism=one_of(AUDIT["mechanisms"]),
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=6000,
        runtime=2880,
        gpu=GPU,
        gres=GRES,
    params:
        task=lambda wildcards: compact(AUDIT["tasks"][wildcards.task]),
        dataset=lambda wildcards: AUDIT["tasks"][wildcards.task]["dataset"],
        orders=compact(THEORY["dp_sgd"]["orders"]),
        delta=THEORY["delta"],
        level=AUDIT["level"],
        checkpoint=lambda wildcards: checkpoint_of("audit_residual", *wildcards),
        device=config["device"],
        preset=config["preset"],
        seed=SEED,
    message:
        "Auditing {wildcards.mechanism} on {wildcards.task}"
    shell:
        "python -m scripts.audit_residual --data {input.data} --mechanism {wildcards.mechanism} --task {params.task:q} "
        "--orders {params.orders:q} --delta {params.delta} --level {params.level} --preset {params.preset} "
        "--seed {params.seed} --job audit_residual {wildcards.task} {wildcards.mechanism} --dataset {params.dataset} "
        "--device {params.device} --threads {threads} --checkpoint {params.checkpoint} "
        "--statistics {output.statistics} --output {output.record} > {log} 2>&1"


if AUDITS:

    rule residual_perturbation_budget:
        """Budgets of Strategy I and of DP-SGD beside lower bounds on epsilon, ours and the published ones."""
        input:
            records=[f"{PERTURBATION}/audits/{audit}.json" for audit in AUDITS],
            statistics=[f"{PRIVATE}/residual_perturbation/audits/{audit}.csv" for audit in AUDITS],
            code=code("residual_perturbation_budget"),
        output:
            table=report(
                f"{PERTURBATION}/budget.csv",
                caption="../report/residual_perturbation_budget.rst",
                category="Residual perturbation",
                labels={"item": "Lower bounds on epsilon", "kind": "table"},
            ),
            privacy=f"{PERTURBATION}/budget_privacy.csv",
        log:
            log_of("residual_perturbation_budget"),
        benchmark:
            benchmark_of("residual_perturbation_budget")
        conda:
            "../envs/accounting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            theory=compact({name: THEORY[name] for name in ("strategy1", "dp_sgd")}),
            published=compact(AUDIT["published"]),
            repetitions=len(REPETITIONS),
        message:
            "Budgets of residual perturbation beside what audits show"
        shell:
            "python -m scripts.residual_perturbation_budget --records {input.records} --statistics {input.statistics} "
            "--theory {params.theory:q} --published {params.published:q} --repetitions {params.repetitions} "
            "--output {output.table} --privacy {output.privacy} > {log} 2>&1"
