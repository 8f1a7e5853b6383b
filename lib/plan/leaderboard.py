"""Jobs of the leaderboard: its entries, and how private sets and attacks are cut into jobs."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lib.core.entry_points import module_files
from lib.leaderboard.method_settings import settings_at
from lib.plan.layout import Layout, of_job
from lib.plan.leaderboard_checks import ASK_TEACHERS, ON_SAMPLES, promises


class Entry(NamedTuple):
    """A method at a budget: an epsilon, or `none` for methods that cannot be told how private to be."""

    method: str
    budget: str


class Leaderboard:
    """Files and settings of every job of the leaderboard, as functions of a job's wildcards.

    Methods are trained in shards of worlds; attacks are made in shards of entries.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config
        self.layout = Layout(config["preset"])
        self.folder = self.layout.of("leaderboard")
        self.private = f"{self.layout.private}/leaderboard"
        self.block = config["leaderboard"]
        self.device = self.block["device"] or config["device"]
        self.methods = self.block["methods"]

    def entries(self) -> list[Entry]:
        """Return the chosen methods, each at every epsilon or, where it promises nothing, once."""
        epsilons = [f"{epsilon:g}" for epsilon in self.block["epsilons"]]
        return [
            Entry(name, budget)
            for name in self.block["chosen"]
            for budget in (epsilons if promises(self.methods[name]) else ["none"])
        ]

    def shards(self) -> list[tuple[int, int]]:
        """(first world, the one after the last) of each shard."""
        worlds, size = self.block["worlds"], self.block["shard"]
        return [(first, min(first + size, worlds)) for first in range(0, worlds, size)]

    def attack_shards(self) -> list[list[Entry]]:
        """Return the entries that each job attacks: one each, or divided among so many processes."""
        entries = self.entries()
        processes = self.block["attacks"]["processes"] or len(entries)
        return [entries[first::processes] for first in range(min(processes, len(entries)))]

    # ------------------------------------------------------------ worlds and what is trained in them

    def worlds_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `draw_worlds`."""
        sizes = ("slots", "canaries", "public", "test", "worlds", "classes")
        features = self.block["features"]
        return {
            "job": ["leaderboard", "worlds"],
            "seed": self.config["seed"],
            "sizes": {name: self.block[name] for name in sizes},
            "features": features and features | {"unit": self.block["largest"]},
        }

    def votes_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `count_world_votes`."""
        return {
            "job": ["leaderboard", "teachers"],
            "seed": self.config["seed"],
            "teachers": int(wildcards.teachers),
            "model": self.config["models"][self.block["teachers"]["model"]],
            "classes": self.block["classes"],
            "shard": list(self.shards()[int(wildcards.shard)]),
            "device": self.device,
            "checkpoint": self.layout.checkpoint("count_world_votes", wildcards.teachers, wildcards.shard),
        }

    def votes(self, wildcards: Any) -> list[str]:
        """Input: what teachers say in the worlds of a shard, for methods that ask them."""
        teachers = self._teachers(Entry(wildcards.method, wildcards.budget))
        return [f"{self.private}/votes/{teachers}/{wildcards.shard}.npz"] if teachers else []

    def ones_own(self, wildcards: Any) -> list[str]:
        """Input: the code of a method of one's own, or what it predicted in the worlds of a shard."""
        method = self.methods[wildcards.method]
        if method["kind"] == "predictions":
            worlds = range(*self.shards()[int(wildcards.shard)])
            return [f"{method['folder']}/{wildcards.budget}/{world}.npz" for world in worlds]
        return module_files(method["entry"]) if method["kind"] == "external" else []

    def training_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_worlds`."""
        place = wildcards.method, wildcards.budget
        return of_job(self.config, "leaderboard", *place, dataset=self.block["dataset"]) | {
            "method": self._method(wildcards.method),
            "budget": wildcards.budget,
            "privacy": self._privacy(),
            "shard": list(self.shards()[int(wildcards.shard)]),
            "device": self.device,
            "checkpoint": self.layout.checkpoint("train_worlds", *place, wildcards.shard),
        }

    def _method(self, name: str) -> dict[str, Any]:
        """Return the settings that build a method: its block without title, and the number of teachers it asks."""
        block = {key: value for key, value in self.methods[name].items() if key != "title"}
        if block["kind"] in ASK_TEACHERS:
            block.setdefault("teachers", self.block["teachers"]["count"])
        return block

    def _teachers(self, entry: Entry) -> int:
        """Return how many teachers an entry asks, 0 for a method without."""
        epsilon = None if entry.budget == "none" else float(entry.budget)
        return settings_at(self._method(entry.method), epsilon).get("teachers", 0)

    def _privacy(self) -> dict[str, Any]:
        """Return the settings of privacy of all methods."""
        return {name: self.block[name] for name in ("delta", "orders", "classes", "largest")}

    # ------------------------------------------------------------ attacks

    def predictions(self, wildcards: Any) -> list[str]:
        """Input: predictions of the entries that a job attacks, entry by entry, every shard of worlds of each."""
        return self._of_shards(f"{self.private}/predictions", ".npz", self.attack_shards()[int(wildcards.shard)])

    def attack_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `attack_worlds`."""
        return {
            "job": ["leaderboard", "attack"],
            "seed": self.config["seed"],
            "entries": ["/".join(entry) for entry in self.attack_shards()[int(wildcards.shard)]],
            "attacks": {name: self.block["attacks"][name] for name in ("shadow", "rates", "level", "guesses")},
            "targets": self.block["targets"],
            "choosing": self.choosing(),
            "delta": self.block["delta"],
        }

    def choosing(self) -> list[int]:
        """Worlds by which each entry's strongest attack is chosen: the last that are not targets, as many as those."""
        left = [world for world in range(self.block["worlds"]) if world not in self.block["targets"]]
        return left[-len(self.block["targets"]) :]

    def releases_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `audit_releases`: of the entries whose mechanism puts out more than the model."""
        releasing = [
            entry for entry in self.entries() if self.methods[entry.method]["kind"] in ASK_TEACHERS + ON_SAMPLES
        ]
        return {
            "job": ["leaderboard", "releases"],
            "seed": self.config["seed"],
            "entries": [[*entry, self._method(entry.method)] for entry in releasing],
            "privacy": self._privacy(),
            "slots": self.block["slots"],
            "runs": self.block["attacks"]["runs"],
            "level": self.block["attacks"]["level"],
        }

    # ------------------------------------------------------------ tables

    def records(self, wildcards: Any) -> list[str]:
        """Input: records of training, entry by entry, every shard of worlds of each."""
        return self._of_shards(f"{self.folder}/models", ".json", self.entries())

    def attacks(self, suffix: str) -> list[str]:
        """Return the files that the attacks of every shard write; suffix: `.csv` or `.audit.csv`."""
        return [f"{self.folder}/attacks/{shard}{suffix}" for shard in range(len(self.attack_shards()))]

    def board_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `leaderboard`."""
        named = ("label", "slots", "canaries", "worlds", "targets", "delta")
        settings = {name: self.block[name] for name in named} | {"rates": self.block["attacks"]["rates"]}
        return {"entries": self._described(), "settings": settings}

    def trained(self) -> list[dict[str, str]]:
        """Wildcards of every job of `train_worlds`."""
        shards = range(len(self.shards()))
        return [
            {"method": method, "budget": budget, "shard": str(shard)}
            for method, budget in self.entries()
            for shard in shards
        ]

    def costs(self, wildcards: Any) -> list[str]:
        """Input: what training cost, as `records`."""
        return self._of_shards(f"{self.folder}/costs", ".csv", self.entries())

    def costs_of_teachers(self, wildcards: Any) -> list[str]:
        """Input: what the teachers cost, as `records`, of the entries that ask any."""
        asked = filter(None, map(self._teachers, self.entries()))
        shards = range(len(self.shards()))
        return [f"{self.folder}/costs_of_teachers/{teachers}/{shard}.csv" for teachers in asked for shard in shards]

    def cost_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `leaderboard_cost`."""
        return {"asks": list(ASK_TEACHERS), "entries": self._described(), "worlds": self.block["worlds"]}

    def _described(self) -> list[dict[str, Any]]:
        """Every entry with its method's block."""
        return [{"method": name, "budget": budget} | self.methods[name] for name, budget in self.entries()]

    def _of_shards(self, folder: str, suffix: str, entries: list[Entry]) -> list[str]:
        """Return a file of every shard of worlds of each entry."""
        shards = range(len(self.shards()))
        return [f"{folder}/{method}/{budget}/{shard}{suffix}" for method, budget in entries for shard in shards]
