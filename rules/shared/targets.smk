"""Targets of each paper: all its results, and its claims judged."""


rule scalable_pate:
    """All tables and figures of Scalable Private Learning with PATE."""
    input:
        plan.results.targets("scalable_pate"),


rule scalable_pate_claims:
    """Verdicts on the claims of Scalable Private Learning with PATE, without the other papers."""
    input:
        f"{layout.of('scalable_pate')}/claims.csv",


rule dp_mac:
    """All tables and figures of DP-MAC."""
    input:
        plan.results.targets("dp_mac"),


rule dp_mac_claims:
    """Verdicts on the claims of DP-MAC, without the other papers."""
    input:
        f"{layout.of('dp_mac')}/claims.csv",


rule residual_perturbation:
    """All tables and figures of residual perturbation."""
    input:
        plan.results.targets("residual_perturbation"),


rule residual_perturbation_claims:
    """Verdicts on the claims of residual perturbation, without the other papers."""
    input:
        f"{layout.of('residual_perturbation')}/claims.csv",


rule autoencoded_pate:
    """All tables and figures of Private Learning for High-Dimensional Targets with PATE."""
    input:
        plan.results.targets("autoencoded_pate"),


rule autoencoded_pate_claims:
    """Verdicts on the claims of Private Learning for High-Dimensional Targets with PATE, without the other papers."""
    input:
        f"{layout.of('autoencoded_pate')}/claims.csv",


rule compressed_pate:
    """All tables and figures of Private Learning via Knowledge Transfer with High-Dimensional Targets."""
    input:
        plan.results.targets("compressed_pate"),


rule compressed_pate_claims:
    """Verdicts on the claims of Private Learning via Knowledge Transfer with High-Dimensional Targets, without the other papers."""
    input:
        f"{layout.of('compressed_pate')}/claims.csv",
