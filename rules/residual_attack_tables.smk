"""Tables of residual perturbation's attacks, and of what an epoch costs."""

for item, table in ATTACK_TABLES.items():

    rule:
        """A table of residual perturbation: attacks on some methods, and their accuracy."""
        name:
            f"residual_perturbation_{item}"
        input:
            records=table_records(item),
            tables=beside([*table_records(item), control_of(table["task"])]),
            control=control_of(table["task"]),
            draws=f"{PERTURBATION}/draws/{table['task']}.json",
            code=code("residual_perturbation_table"),
        output:
            table=report(
                f"{PERTURBATION}/{item}.csv",
                caption=f"../report/residual_perturbation_{item}.rst",
                category="Residual perturbation",
                labels={"item": f"Table {item[5:]}" if item.startswith("table") else item, "kind": "table"},
            ),
            privacy=f"{PERTURBATION}/{item}_privacy.csv",
        log:
            log_of(f"residual_perturbation_{item}"),
        benchmark:
            benchmark_of(f"residual_perturbation_{item}")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            rows=titled_rows(item),
            item=item,
        message:
            "Table {params.item} of residual perturbation"
        shell:
            "python -m scripts.residual_perturbation_table --records {input.records} --control {input.control} "
            "--draws {input.draws} --rows {params.rows:q} --output {output.table} --privacy {output.privacy} "
            "> {log} 2>&1"


rule residual_perturbation_cost:
    """What an epoch costs with and without residual perturbation, and by DP-SGD: a measurement, not repeatable."""
    input:
        code=code("residual_perturbation_cost"),
    output:
        report(
            f"{PERTURBATION}/cost.csv",
            caption="../report/residual_perturbation_cost.rst",
            category="Residual perturbation",
            labels={"item": "Cost", "kind": "table"},
        ),
    log:
        log_of("residual_perturbation_cost"),
    benchmark:
        benchmark_of("residual_perturbation_cost")
    conda:
        torch_environment("networks")
    threads: 1
    resources:
        mem_mb=3000,
        runtime=15,
        gpu=GPU,
        gres=GRES,
    params:
        settings=compact(RESIDUAL["cost"]),
        device=config["device"],
    message:
        "Measuring what residual perturbation costs"
    shell:
        "python -m scripts.residual_perturbation_cost --settings {params.settings:q} --device {params.device} "
        "--threads {threads} --output {output} > {log} 2>&1"
