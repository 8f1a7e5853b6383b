"""What the rules of the leaderboard share: its entries, where they lie, and how the work is cut into jobs."""

from lib.plan.leaderboard_checks import ASK_TEACHERS, PROMISE_NOTHING

BOARD = config["leaderboard"]
LEADERBOARD = f"{RESULTS}/leaderboard"
PRIVATE_BOARD = f"{PRIVATE}/leaderboard"
BOARD_METHODS = BOARD["methods"]
BOARD_SHARDS = [
    (first, min(first + BOARD["shard"], BOARD["worlds"])) for first in range(0, BOARD["worlds"], BOARD["shard"])
]
# (method, budget) of every entry: each epsilon for what can be told how private to be, once for the others
ENTRIES = [
    (name, budget)
    for name in BOARD["chosen"]
    for budget in (
        map("{:g}".format, BOARD["epsilons"]) if BOARD_METHODS[name]["kind"] not in PROMISE_NOTHING else ["none"]
    )
]
# ways to cut the attacks into jobs, as in `shapes`: one an entry, or all entries by a few processes, in turn
ATTACK_PROCESSES = BOARD["attacks"]["processes"]
ATTACK_SHAPES = (
    [("", "{method}/{budget}", ["{method}/{budget}"])]
    if ATTACK_PROCESSES is None
    else [
        (f"_{first}", str(first), ["/".join(entry) for entry in ENTRIES[first::ATTACK_PROCESSES]])
        for first in range(min(ATTACK_PROCESSES, len(ENTRIES)))
    ]
)


def of_entries(pattern):
    """A file of every entry."""
    return [pattern.format(method=method, budget=budget) for method, budget in ENTRIES]


def shards_of_entries(pattern):
    """A file of every shard of every entry, entry by entry."""
    return [
        pattern.format(method=method, budget=budget, shard=shard)
        for method, budget in ENTRIES
        for shard in range(len(BOARD_SHARDS))
    ]


def board_method(name):
    """What a method is built from: its block without its title, and how many teachers there are if it asks them."""
    block = {key: value for key, value in BOARD_METHODS[name].items() if key != "title"}
    if block["kind"] in ASK_TEACHERS:
        block["teachers"] = BOARD["teachers"]["count"]
    return compact(block)


def votes_if_asked(wildcards):
    """What teachers say in the worlds of a shard, for methods that ask them."""
    if BOARD_METHODS[wildcards.method]["kind"] not in ASK_TEACHERS:
        return []
    return f"{PRIVATE_BOARD}/votes/{wildcards.shard}.npz"
