"""The ledger of claims, and the committed pages of what was reproduced."""


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


rule reproduction_page:
    """A paper's part of docs/reproduction: its page, figures, tables and claims, from this preset."""
    input:
        verdicts=plan.results.judged_by,
        ledger=CLAIMS,
        readings=os.path.relpath(ROOT / "report" / "{paper}_readings.md"),
        outline=os.path.relpath(ROOT / "report" / "{paper}.yaml"),
        beside=plan.results.page_files,
    output:
        page="docs/reproduction/{paper}.md",
        details="docs/reproduction/{paper}_details.md",
        claims="docs/reproduction/{paper}.csv",
        checks="docs/reproduction/{paper}_checks.csv",
        files=directory("docs/reproduction/{paper}"),
        origins=f"{layout.results}/{{paper}}/origins.csv",
    wildcard_constraints:
        paper=one_of(PAPERS),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.results.page),
    shell:
        "python -m scripts.reproduction_page {params} > {log} 2>&1"


use rule reproduction_page as leaderboard_reproduction with:
    """The leaderboard's part of docs/reproduction, from this preset."""
    input:
        readings=os.path.relpath(ROOT / "report" / "leaderboard_readings.md"),
        outline=os.path.relpath(ROOT / "report" / "leaderboard.yaml"),
        beside=plan.results.page_files,
    output:
        page="docs/reproduction/leaderboard.md",
        details="docs/reproduction/leaderboard_details.md",
        files=directory("docs/reproduction/leaderboard"),
        origins=f"{layout.results}/leaderboard/origins.csv",


rule reproduction:
    """Write docs/reproduction for every paper, the page of all papers, and join their claims."""
    input:
        papers=[f"docs/reproduction/{paper}.csv" for paper in sorted(PAPERS)],
        checks=[f"docs/reproduction/{paper}_checks.csv" for paper in sorted(PAPERS)],
        outlines=[os.path.relpath(ROOT / "report" / f"{paper}.yaml") for paper in PAPERS],
        origins=[f"{layout.results}/{page}/origins.csv" for page in sorted(TITLES)],
        beside="docs/reproduction/leaderboard.md",
    output:
        claims="docs/reproduction/claims.csv",
        index="docs/reproduction/README.md",
        overview="docs/reproduction/overview.png",
        provenance="docs/reproduction/provenance.csv",
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(),
    shell:
        "python -m scripts.reproduction {params} > {log} 2>&1"


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
