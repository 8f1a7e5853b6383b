"""Targets of each paper: all its results, its claims judged, its committed page."""


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


rule dp_mac:
    """All tables and figures of DP-MAC."""
    input:
        plan.results.targets("dp_mac"),


rule dp_mac_claims:
    """Verdicts on the claims of DP-MAC, without the other papers."""
    input:
        f"{layout.of('dp_mac')}/claims.csv",


rule dp_mac_reproduction:
    """The committed page of DP-MAC, made anew from this preset."""
    input:
        "docs/reproduction/dp_mac.md",


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
