"""What to ask for: all of the paper's results, its claims judged, its committed page."""


rule scalable_pate:
    """All tables and figures of Scalable Private Learning with PATE."""
    input:
        plan.results.targets("scalable_pate"),


rule scalable_pate_claims:
    """Verdicts on the claims of Scalable Private Learning with PATE, without the other papers."""
    input:
        f"{layout.of('scalable_pate')}/claims.csv",


rule scalable_pate_reproduction:
    """The committed page of Scalable Private Learning with PATE, made anew from this preset."""
    input:
        "docs/reproduction/scalable_pate.md",
