"""The verdicts on the ledger of claims, and the table of datasets."""


wildcard_constraints:
    paper=one_of(TITLES),


rule claims:
    """Every claim of the papers with our value and a computed verdict."""
    input:
        claims=CLAIMS,
        beside=[path for paper in plan.results.papers() for _, path in plan.results.judged(paper)],
    output:
        verdicts=f"{layout.results}/claims.csv",
        checks=f"{layout.results}/checks.csv",
        shown=report(
            f"{layout.results}/claims.html",
            caption="../../report/claims.rst",
            category="Verdicts",
            labels={"item": "All claims", "kind": "table"},
        ),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.results.judging),
    shell:
        "python -m scripts.claims {params} > {log} 2>&1"


use rule claims as paper_claims with:
    """The claims of one paper, without the results of the others."""
    input:
        claims=CLAIMS,
        beside=plan.results.judged_tables,
    output:
        verdicts=f"{layout.results}/{{paper}}/claims.csv",
        checks=f"{layout.results}/{{paper}}/checks.csv",
        shown=report(
            f"{layout.results}/{{paper}}/claims.html",
            caption="../../report/claims.rst",
            category="Verdicts",
            labels={"item": "Claims of {paper}", "kind": "table"},
        ),
    wildcard_constraints:
        paper=one_of(PAPERS),
    params:
        **options(plan.results.judging),


rule datasets:
    """The table of datasets: source, fingerprint, licence, how to obtain them by hand."""
    output:
        page=f"{layout.results}/datasets.md",
    conda:
        "../../envs/learning.yaml"
    params:
        **options(plan.data.list_settings),
        code=code("list_datasets", *plan.data.modules()),
    shell:
        "python -m scripts.list_datasets {params} > {log} 2>&1"
