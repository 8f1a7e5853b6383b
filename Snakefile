# Five papers on private deep learning, every table and figure as a target. `snakemake --list-rules` is the table of
# contents; config.yaml is the default preset, and presets/*.yaml are laid over it with --configfile.
from snakemake.utils import min_version

min_version("9.18")


configfile: f"{workflow.basedir}/catalogue/results.yaml"
configfile: f"{workflow.basedir}/config.yaml"


report: "report/workflow.rst"


include: "rules/common.smk"
include: "rules/shared/data.smk"
include: "rules/scalable_pate/teachers.smk"
include: "rules/scalable_pate/aggregation.smk"
include: "rules/scalable_pate/students.smk"
include: "rules/scalable_pate/tables.smk"
include: "rules/scalable_pate/figures.smk"
include: "rules/dp_mac_common.smk"
include: "rules/dp_mac.smk"
include: "rules/residual_perturbation.smk"
include: "rules/residual_attack_common.smk"
include: "rules/residual_attack.smk"
include: "rules/residual_attack_tables.smk"
include: "rules/residual_attack_figures.smk"
include: "rules/residual_perturbation_audit.smk"
include: "rules/segmentation_common.smk"
include: "rules/segmentation.smk"
include: "rules/segmentation_measures.smk"
include: "rules/autoencoded_pate.smk"
include: "rules/compressed_pate.smk"
include: "rules/audit.smk"
include: "rules/leaderboard_common.smk"
include: "rules/leaderboard.smk"
include: "rules/release/release.smk"
include: "rules/claims.smk"


localrules:
    all,
    scalable_pate,
    dp_mac,
    residual_perturbation,
    autoencoded_pate,
    compressed_pate,
    audit,


rule scalable_pate:
    """All tables and figures of Scalable Private Learning with PATE."""
    input:
        plan.results.targets("scalable_pate"),


rule dp_mac:
    """All tables and figures of DP-MAC."""
    input:
        rules.dp_mac_budget.output,
        [f"{MAC}/{item}.csv" for item in TABLES1],
        [f"{MAC}/{item}.png" for item in MAC_FIGURES],
        [f"{MAC}/sensitivity.csv" for _ in config["dp_mac"]["sensitivity"][:1]],


rule residual_perturbation:
    """All tables and figures of residual perturbation."""
    input:
        [f"{PERTURBATION}/{item}.png" for item in SDE_FIGURES],
        rules.residual_perturbation_theory.output,
        rules.residual_perturbation_dp_sgd.output,
        rules.residual_perturbation_rademacher.output,
        rules.residual_perturbation_fig2.output,
        [f"{PERTURBATION}/cost.csv" for chosen in [RESIDUAL["cost"]] if chosen],
        [f"{PERTURBATION}/{item}.csv" for item in ATTACK_TABLES],
        [f"{PERTURBATION}/{item}.png" for item in ATTACK_FIGURES],
        [f"{PERTURBATION}/budget.csv" for _ in AUDITS[:1]],


rule autoencoded_pate:
    """The table and figures of Private Learning for High-Dimensional Targets with PATE."""
    input:
        rules.autoencoded_pate_fig1.output,
        rules.autoencoded_pate_fig2.output,
        [f"{AUTO}/pca.csv" for _ in COMPRESSED["fig1"]["tasks"][:1]],
        [f"{AUTO}/sensitivity.csv" for _ in AUTOENCODED["sensitivity"]["tasks"][:1]],
        [f"{AUTO}/results.csv" for _ in AUTO_RESULTS["tasks"][:1]],


rule compressed_pate:
    """The figures of Private Learning via Knowledge Transfer with High-Dimensional Targets."""
    input:
        [f"{COMP}/{item}.png" for item in COMP_FIGURES],
        [f"{COMP}/external.csv" for chosen in [EXTERNAL] if chosen],
        [f"{COMP}/theorem4.csv" for _ in COMPRESSED["fig1"]["tasks"][:1]],


rule audit:
    """Both audits of mechanisms whose epsilon is known exactly, intact and broken on purpose."""
    input:
        rules.audit_known.output,


rule all:
    """Everything that the preset chooses: all papers, the claims, the table of datasets."""
    default_target: True
    input:
        rules.scalable_pate.input,
        rules.dp_mac.input,
        rules.residual_perturbation.input,
        rules.autoencoded_pate.input,
        rules.compressed_pate.input,
        rules.audit.input,
        rules.leaderboard.output,
        rules.leaderboard_cost.output,
        plan.release.targets(),
        rules.claims.output,
        rules.datasets.output,
