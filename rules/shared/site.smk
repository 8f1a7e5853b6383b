"""The site: what the committed pages show, of this preset, in files that need nothing else."""


rule site_page:
    """A page of the site, with its tables and figures in it."""
    input:
        verdicts=plan.results.judged_by,
        ledger=CLAIMS,
        readings=os.path.relpath(ROOT / "report" / "{paper}_readings.md"),
        outline=os.path.relpath(ROOT / "report" / "{paper}.yaml"),
        beside=plan.results.page_files,
    output:
        page=report(
            f"{layout.results}/site/{{paper}}.html",
            caption="../../report/page.rst",
            category="Pages",
            labels={"item": "{paper}", "kind": "page"},
        ),
    wildcard_constraints:
        paper=one_of(TITLES),
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.results.site_page),
    shell:
        "python -m scripts.site_page {params} > {log} 2>&1"


rule site:
    """The whole site, for a browser: site/index.html, a page a paper, the leaderboard."""
    input:
        verdicts=[rules.claims.output.verdicts, rules.claims.output.checks],
        outlines=[os.path.relpath(ROOT / "report" / f"{paper}.yaml") for paper in plan.results.papers()],
        beside=[f"{layout.results}/site/{page}.html" for page in plan.results.pages()],
    output:
        index=f"{layout.results}/site/index.html",
    conda:
        "../../envs/reporting.yaml"
    params:
        **options(plan.results.site),
    shell:
        "python -m scripts.site {params} > {log} 2>&1"
