"""What to ask for: all of the paper's results, its claims judged, its committed page."""


rule autoencoded_pate:
    """All tables and figures of Private Learning for High-Dimensional Targets with PATE."""
    input:
        plan.results.targets("autoencoded_pate"),


rule autoencoded_pate_claims:
    """Verdicts on the claims of Private Learning for High-Dimensional Targets with PATE, without the other papers."""
    input:
        f"{layout.of('autoencoded_pate')}/claims.csv",


rule autoencoded_pate_reproduction:
    """The committed page of Private Learning for High-Dimensional Targets with PATE, made anew from this preset."""
    input:
        "docs/reproduction/autoencoded_pate.md",
