# Five papers on private deep learning, every table and figure as a target: `make help` names them, and
# catalogue/results.yaml says what each shows. The rest of catalogue/ is what there is to choose from, config.yaml the
# default preset, and presets/*.yaml are laid over it with --configfile.
from snakemake.utils import min_version, update_config

from lib.plan.config import ROOT, catalogue

min_version("9.18")

# by a line `configfile:` for each of these, Snakemake would say of each that the command line extends it
update_config(config, catalogue())


configfile: str(ROOT / "config.yaml")


report: "report/workflow.rst"


include: "rules/shared/common.smk"
include: "rules/shared/data.smk"
include: "rules/scalable_pate/teachers.smk"
include: "rules/scalable_pate/aggregation.smk"
include: "rules/scalable_pate/students.smk"
include: "rules/scalable_pate/tables.smk"
include: "rules/scalable_pate/figures.smk"
include: "rules/dp_mac/training.smk"
include: "rules/dp_mac/tables.smk"
include: "rules/dp_mac/figures.smk"
include: "rules/residual_perturbation/theory.smk"
include: "rules/residual_perturbation/networks.smk"
include: "rules/residual_perturbation/attacks.smk"
include: "rules/residual_perturbation/audits.smk"
include: "rules/residual_perturbation/tables.smk"
include: "rules/residual_perturbation/figures.smk"
include: "rules/segmentation/volumes.smk"
include: "rules/segmentation/encoders.smk"
include: "rules/segmentation/teachers.smk"
include: "rules/segmentation/codes.smk"
include: "rules/segmentation/students.smk"
include: "rules/segmentation/measures.smk"
include: "rules/autoencoded_pate/tables.smk"
include: "rules/autoencoded_pate/figures.smk"
include: "rules/compressed_pate/tables.smk"
include: "rules/compressed_pate/figures.smk"
include: "rules/audit/known.smk"
include: "rules/audit/mechanisms.smk"
include: "rules/leaderboard/worlds.smk"
include: "rules/leaderboard/tables.smk"
include: "rules/release/release.smk"
include: "rules/shared/targets.smk"
include: "rules/shared/claims.smk"
include: "rules/shared/site.smk"
include: "rules/shared/jobs.smk"


rule all:
    """Everything that the preset chooses: all results, the release, the claims, the site, the table of datasets."""
    default_target: True
    input:
        plan.results.all_targets(),
        plan.release.target(),
        rules.claims.output,
        rules.site.output,
        rules.datasets.output,
