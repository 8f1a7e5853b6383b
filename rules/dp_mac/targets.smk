"""What to ask for: all of the paper's results, its claims judged, its committed page."""


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
