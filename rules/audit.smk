"""The audits audited: lower bounds on epsilon of mechanisms whose epsilon is known exactly."""


rule audit_known:
    """Lower bounds on a known epsilon, of intact and of broken mechanisms, over runs or canaries."""
    input:
        code=code("audit_known"),
    output:
        table=report(
            f"{RESULTS}/audit/known.csv",
            caption="../report/audit_known.rst",
            category="Audits",
            labels={"item": "Mechanisms of known epsilon", "kind": "table"},
        ),
        privacy=f"{RESULTS}/audit/known_privacy.csv",
        png=report(
            f"{RESULTS}/audit/known.png",
            caption="../report/audit_known.rst",
            category="Audits",
            labels={"item": "Mechanisms of known epsilon", "kind": "figure"},
        ),
        pdf=f"{RESULTS}/audit/known.pdf",
    log:
        log_of("audit_known"),
    benchmark:
        benchmark_of("audit_known")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
        gpu=0,
    params:
        audit=compact(config["audit"]),
        seed=SEED,
    message:
        "Audits of mechanisms whose epsilon is known"
    shell:
        "python -m scripts.audit_known --seed {params.seed} --audit {params.audit:q} --output {output.table} "
        "--privacy {output.privacy} --png {output.png} --pdf {output.pdf} > {log} 2>&1"
