"""What to ask for: all of the paper's results, its claims judged, its committed page."""


rule residual_perturbation:
    """All tables and figures of residual perturbation."""
    input:
        plan.results.targets("residual_perturbation"),


rule residual_perturbation_claims:
    """Verdicts on the claims of residual perturbation, without the other papers."""
    input:
        f"{layout.of('residual_perturbation')}/claims.csv",


rule residual_perturbation_reproduction:
    """The committed page of residual perturbation, made anew from this preset."""
    input:
        "docs/reproduction/residual_perturbation.md",
