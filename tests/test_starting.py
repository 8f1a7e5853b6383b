"""What a script waits for before it does anything: the packages that take long to import, and who imports them.

Every rule starts a Python, most of them for a second of work, of which MONAI alone would take four. What is imported
inside a function does not count: it is imported where it is used.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from lib.core.code_inputs import module_files
from tests.offenders import each

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted(path.stem for path in (ROOT / "scripts").glob("*.py") if path.stem != "__init__")
# Processor seconds that importing each takes: 3 (as lib/core/lean_monai.py does it), 3, 2, 1.5, 1, 1, 0.5. What
# takes less (pandas) is not looked at.
HEAVY = ("monai", "opacus", "torch", "sklearn", "dp_accounting", "scipy.stats", "matplotlib")
# Who waits for which; the others for none. Nobody does for dp_accounting, which only conversions and checks need.
ALLOWED = {
    # 3D U-Nets that are trained or predict, and the resampling of volumes
    "monai torch": "measure_external prepare_volumes train_mask_dp_sgd train_mask_students train_mask_teachers",
    "monai torch matplotlib": "autoencoded_pate_masks write_masks",
    "opacus torch": "audit_code audit_releases",
    # networks, and attacks by networks
    "torch": "attack_residual attack_worlds predict_residual predict_residual_dp_sgd release_network_student "
    "residual_perturbation_cost train_audited train_network_student train_network_teachers train_residual "
    "train_residual_dp_sgd train_worlds",
    "torch matplotlib": "dp_mac_fig2",
    # networks of images that scikit-learn divides
    "torch sklearn": "count_world_votes dp_mac_sensitivity train_cdbn train_mac train_sgd",
    "torch sklearn matplotlib": "dp_mac_fig3 dp_mac_fig4",
    "sklearn": "draw_task reference_lines release_student train_baseline train_student train_teachers",
    "matplotlib": "audit_known audit_mechanisms "
    "autoencoded_pate_curves autoencoded_pate_fig1 autoencoded_pate_fig2 autoencoded_pate_noise "
    "compressed_pate_fig1 compressed_pate_fig2 compressed_pate_fig3 compressed_pate_limits dp_mac_fig1 leaderboard "
    "residual_perturbation_fig2 residual_perturbation_noise residual_perturbation_roc residual_perturbation_sde "
    "residual_perturbation_tradeoff "
    "scalable_pate_epsilon scalable_pate_fig1 scalable_pate_fig3 scalable_pate_fig4 scalable_pate_fig5",
}
ALLOWED_OF = {script: set(names.split()) for names, scripts in ALLOWED.items() for script in scripts.split()}


@cache
def loads(path: Path) -> frozenset[str]:
    """Dotted names that running a file imports, not counting those inside functions and for type checkers."""
    names, waiting = set(), list(ast.parse(path.read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Try | ast.With) or (
            isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING"
        ):
            waiting += node.body
    return frozenset(names)


def waits_for(script: str) -> set[str]:
    """Those of HEAVY that the project's own modules import as a script is loaded."""
    found, seen, waiting = set(), set(), [ROOT / "scripts" / f"{script}.py"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in loads(path):
            found |= {package for package in HEAVY if f"{name}.".startswith(f"{package}.")}
            waiting += module_files(tuple(name.split(".")), ROOT)
    return found


@each(SCRIPTS)
def test_a_script_waits_for_no_package_that_it_need_not(script):
    assert waits_for(script) <= ALLOWED_OF.get(script, set())


def test_no_more_is_allowed_than_is_waited_for():
    assert {script: allowed for script, allowed in ALLOWED_OF.items() if waits_for(script) != allowed} == {}


def loaded(scripts: list[str]) -> set[str]:
    """Those of HEAVY that a process has when it has imported all of some scripts."""
    text = "import sys\n" + "".join(f"import scripts.{script}\n" for script in scripts)
    text += f"print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
def test_what_is_light_loads_nothing_heavy_by_other_packages_either():
    light = [script for script in SCRIPTS if script not in ALLOWED_OF]
    assert len(light) > 50 and loaded(light) == set()


@pytest.mark.slow
@pytest.mark.parametrize("allowed", ["matplotlib", "torch", "torch matplotlib"])
def test_nor_does_what_waits_for_one_of_them(allowed):
    assert loaded(ALLOWED[allowed].split()) == set(allowed.split())
