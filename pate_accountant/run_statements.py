"""State what a training costs that releases a noisy sum over a Poisson sample in every step, as DP-SGD does.

No training imports this: its record says what it released (`TrainingRun`), and tables state what that costs.
"""

import numpy as np

from pate_accountant import rdp
from pate_accountant.errors import InputError
from pate_accountant.privacy_loss import INTERVAL
from pate_accountant.replaced import replaced_epsilon, replaced_gaussian_pld
from pate_accountant.statement import PrivacyStatement
from pate_accountant.training_run import TrainingRun, steps_per_epoch

NEIGHBOURING = "add_or_remove_one"  # of all but `replaced_statement`


def statements(run: TrainingRun, orders: np.ndarray, delta: float) -> dict[str, PrivacyStatement]:
    """Return what the run costs, in every interpretation.

    `joint` (the guarantee; classic conversion) and `joint_tight`: all parts composed as RDP, converted once.
    `added`, `added_tight`: each part converted at `delta`, the epsilons and the deltas added. `training`: training
    alone, a guarantee only for a run without other parts. Raises InputError for a delta outside (0, 1).
    """
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
    costs = run.parts(orders)
    total = sum(costs.values())
    made = {}
    for suffix, convert, conversion in (("", rdp.epsilon_classic, "classic"), ("_tight", rdp.epsilon_tight, "tight")):
        made[f"joint{suffix}"] = statement(convert(orders, total, delta)[0], delta, "rdp", conversion)
        added = sum(convert(orders, cost, delta)[0] for cost in costs.values())
        made[f"added{suffix}"] = statement(added, len(costs) * delta, "rdp, parts added", conversion)
    if "training" in costs:
        alone = rdp.epsilon_classic(orders, costs["training"], delta)[0]
        made["training"] = statement(alone, delta, "rdp, training only", "classic", proved_bound=len(costs) == 1)
    return made


def pld_statement(run: TrainingRun, delta: float) -> PrivacyStatement:
    """Return what the run costs by the second accountant: dp_accounting's privacy loss distributions of all parts.

    Losses are rounded upwards at INTERVAL, so that it is a guarantee; it loses nothing in a conversion, and so is
    less than `statements` says, as a rule.
    """
    import dp_accounting
    from dp_accounting import pld

    accountant = pld.PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, INTERVAL)
    for event in run.events().values():
        accountant.compose(event)
    epsilon = float(accountant.get_epsilon(delta))
    return statement(epsilon, delta, "pld", "none")


def statement(
    epsilon: float, delta: float, accountant: str, conversion: str, proved_bound: bool = True
) -> PrivacyStatement:
    """Return an epsilon of a run as a statement: data-independent, add or remove one."""
    return PrivacyStatement.data_independent(
        epsilon,
        delta,
        accountant=accountant,
        conversion=conversion,
        neighbouring=NEIGHBOURING,
        proved_bound=proved_bound,
    )


def replaced_statement(run: TrainingRun, orders: np.ndarray, delta: float) -> PrivacyStatement:
    """Return what a training costs where one of its records is replaced, by Renyi divergences, tighter conversion.

    Raises InputError for a delta outside (0, 1), and ArithmeticError where the second route finds it to cost more.
    """
    steps = run.epochs * steps_per_epoch(run.samples, run.batch)
    epsilon = replaced_epsilon(run, orders, delta)
    second = replaced_gaussian_pld(run.rate, run.sigma / run.sensitivity, steps, delta, 1e-3)
    if second > epsilon * (1 + 1e-3):
        raise ArithmeticError(f"epsilon {epsilon} by Renyi divergences, but {second} by privacy loss distributions")
    return PrivacyStatement.data_independent(
        epsilon, delta, accountant="rdp", conversion="tight", neighbouring="replace_one", proved_bound=True
    )
