"""What to ask for: all of the paper's results, its claims judged, its committed page."""


rule compressed_pate:
    """All tables and figures of Private Learning via Knowledge Transfer with High-Dimensional Targets."""
    input:
        plan.results.targets("compressed_pate"),


rule compressed_pate_claims:
    """Verdicts on the claims of Private Learning via Knowledge Transfer with High-Dimensional Targets, without the other papers."""
    input:
        f"{layout.of('compressed_pate')}/claims.csv",


rule compressed_pate_reproduction:
    """The committed page of Private Learning via Knowledge Transfer with High-Dimensional Targets, made anew from this preset."""
    input:
        "docs/reproduction/compressed_pate.md",
