"""All jobs of the preset quick, planned and not run: their command lines, and what a changed setting does to them.

Run in the folder of a project, this prints JSON. Each leaf of the configuration, a value that is no mapping, is
changed; then the plan is made again and every job's settings and inputs are compared. A whole block is changed before
its leaves: where that changes no job, none of them is tried alone.
"""

import copy
import hashlib
import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Keys = tuple[str, ...]
TOGETHER: dict[str, Any] = {"together": []}  # a job each, also of rules whose jobs quick does in one process


def main() -> None:
    """Plan, and print the jobs and what each leaf changes."""
    sys.path.insert(0, os.getcwd())
    planned = Planned()
    leaves = planned.leaves(exhaustive="--exhaustive" in sys.argv)
    json.dump({"commands": planned.commands(), "leaves": leaves}, sys.stdout)


class Planned:
    """The jobs of the preset, and the plan that they were made of, which another configuration can replace."""

    def __init__(self) -> None:
        """Let Snakemake read the rules and find all jobs of the target `all`."""
        from lib.plan import shared_processes
        from lib.plan.config import layered, load_schema, register

        workflow = _workflow()
        shared_processes.command_line = _remembering(shared_processes.command_line)
        self._plan = workflow.globals["plan"]
        self._jobs = [job for job in workflow.dag.jobs if not job.is_norun]
        self._follow = {job: set(workflow.dag.depending[job]) for job in workflow.dag.jobs}
        self._schema, self._raw = load_schema(), pickle.dumps(layered(overrides=TOGETHER))
        self._register = register()
        self._config = self._expanded(pickle.loads(self._raw))
        self._filled = pickle.dumps(self._config)
        self._functions = {rule: list(_functions(rule)) for rule in {job.rule for job in self._jobs}}
        self._as_planned = {job: self._state(job) for job in self._jobs}

    def commands(self) -> list[tuple[str, int, str]]:
        """Number of jobs of each rule, and a digest of their command lines."""
        lines: dict[str, list[str]] = {}
        for job in self._jobs:
            lines.setdefault(job.rule.name, []).append(" ".join(job.shellcmd.split()))
        return [
            (rule, len(own), hashlib.sha256("\n".join(sorted(own)).encode()).hexdigest()[:16])
            for rule, own in sorted(lines.items())
        ]

    def leaves(self, exhaustive: bool = False) -> list[tuple[str, list[str], list[str]]]:
        """Leaf, rules with a job that then receives another setting or input, and trainings that are made again.

        `block.*` is all leaves of a block where each does the same. exhaustive: try each leaf, whatever its block does.
        """

        def descend(path: Keys, block: Any) -> list[tuple[str, list[str], list[str]]]:
            new = dict(self._changed_below(path, block))
            affected = self._affected(new) if new else []
            if not isinstance(block, Mapping):
                return [(".".join(path), *self._stale(affected))] if affected else []
            if not (affected or exhaustive):
                return []
            parts = [descend((*path, key), part) for key, part in block.items()]
            if len(parts) > 1 and all(len(rows) == 1 and rows[0][1:] == parts[0][0][1:] for rows in parts):
                return [(".".join((*path, "*")), *parts[0][0][1:])]
            return [row for rows in parts for row in rows]

        return [row for key, block in self._config.items() for row in descend((key,), block)]

    def _stale(self, affected: list) -> tuple[list[str], list[str]]:
        """Rules of some jobs, and trainings among these and all that follow."""
        trained = {job.rule.name for job in self._with_followers(affected) if _trains(job)}
        return sorted({job.rule.name for job in affected}), sorted(trained)

    def _configured(self, new: Mapping[Keys, Any]) -> dict:
        """The configuration with other values at some paths; what is said in short is expanded again, which is slow."""
        in_short = any(len(path) == 1 or path[0] == "download" for path in new)
        config = pickle.loads(self._raw if in_short else self._filled)
        for path, value in new.items():
            block = config
            for key in path[:-1]:
                block = block.setdefault(key, {})
            block[path[-1]] = value
        return self._expanded(config) if in_short else config

    def _expanded(self, config: dict) -> dict:
        from lib.plan.config import expand
        from lib.plan.schema import fill_defaults

        expand(config)
        fill_defaults(config, self._schema)
        return config

    def _affected(self, new: Mapping[Keys, Any]) -> list:
        """The jobs that are others with these values; all where there is no plan of these values."""
        before = {name: dict(vars(part)) for name, part in vars(self._plan).items()}
        try:
            self._replace(self._configured(new))
            return [job for job in self._jobs if self._state(job) != self._as_planned[job]]
        except Exception:  # a value that the checks would have refused
            return self._jobs
        finally:
            for name, part in vars(self._plan).items():
                _become(part, before[name])

    def _replace(self, config: dict) -> None:
        """Make another plan, and let the rules, which hold parts of the old one, use that."""
        from lib.plan.plan import Plan

        for name, part in vars(Plan(config, self._register)).items():
            _become(vars(self._plan)[name], vars(part))

    def _state(self, job: Any) -> list[Any]:
        """What the plan says of a job: settings and inputs; the kind of error where it has no such job."""
        found: list[Any] = []
        for function in self._functions[job.rule]:
            try:
                found.append(function(job.wildcards))
            except (Exception, SystemExit) as error:
                found.append(type(error).__name__)
        return found

    def _with_followers(self, jobs: list) -> set:
        """Jobs and all that use their outputs, directly or not."""
        found, waiting = set(), list(jobs)
        while waiting:
            job = waiting.pop()
            if job not in found:
                found.add(job)
                waiting.extend(self._follow[job])
        return found

    def _changed_below(self, path: Keys, block: Any) -> Iterator[tuple[Keys, Any]]:
        """Path and another value of each leaf."""
        if isinstance(block, Mapping):
            for key, part in block.items():
                yield from self._changed_below((*path, key), part)
        elif path[0] not in TOGETHER:
            for value in _others(block, list(_schemas(self._schema, path)), self._config):
                yield path, value


def _workflow() -> Any:
    """Snakemake's own object of the workflow in the working folder, its jobs found."""
    from snakemake.api import SnakemakeApi
    from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

    with SnakemakeApi(OutputSettings(dryrun=True, quiet={"all"})) as api:
        workflow = api.workflow(ResourceSettings(cores=1), config_settings=ConfigSettings(config=TOGETHER))
        workflow.dag(DAGSettings())
        own = workflow._workflow
        own._prepare_dag(forceall=False, ignore_incomplete=True, lock_warn_only=True)
        own._build_dag()
        return own


def _remembering(command_line: Callable[..., str]) -> Callable[..., str]:
    """Make each text of settings once: a change leaves nearly all of a thousand texts as they were."""
    known: dict[bytes, str] = {}

    def remembered(files: Any, settings: Mapping[str, Any]) -> str:
        if files != ():
            return command_line(files, settings)
        key = pickle.dumps(settings)
        if key not in known:
            known[key] = command_line(files, settings)
        return known[key]

    return remembered


def _functions(rule: Any) -> Iterator[Callable[[Any], Any]]:
    """What makes the settings and inputs of a rule's jobs, each a function of wildcards."""
    # `unpack` wraps a function in a text, of which Snakemake makes a file
    inputs = (getattr(getattr(each, "_file", each), "callable", each) for each in rule.input)
    yield from filter(callable, inputs)
    if "settings" in rule.params.keys():
        yield rule.params["settings"]


def _trains(job: Any) -> bool:
    return job.rule.name.startswith("train_") or " --checkpoint " in (job.shellcmd or "")


def _become(part: Any, attributes: Mapping[str, Any]) -> None:
    vars(part).clear()
    vars(part).update(attributes)


def _schemas(schema: Any, path: Keys) -> Iterator[dict]:
    """Every schema that may hold for the value at a path, whatever its conditions."""
    if not isinstance(schema, dict):
        return
    for key in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(key, ()):
            yield from _schemas(part, path)
    for key in ("then", "else"):
        yield from _schemas(schema.get(key), path)
    if not path:
        yield schema
    elif path[0] in schema.get("properties", {}):
        yield from _schemas(schema["properties"][path[0]], path[1:])
    else:
        yield from _schemas(schema.get("additionalProperties"), path[1:])


def _others(value: Any, schemas: list[dict], config: dict) -> Iterator[Any]:
    """Another value that the schema allows, if one is known."""
    names = [name for schema in schemas if "in" in schema for name in _at(config, schema["in"])]
    names += [name for schema in schemas for name in schema.get("enum", [])]
    names += [schema["const"] for schema in schemas if "const" in schema]
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1 if isinstance(value, int) else value * 0.9 or 0.1
    elif isinstance(value, list):
        yield _other_list(value, schemas, config)
    elif others := [name for name in names if name != value]:
        yield others[0]
    elif isinstance(value, str):
        yield f"{value} changed"
    else:  # null
        types = {kind for schema in schemas for kind in _list(schema.get("type", []))}
        some = {"integer": 1, "number": 0.5, "string": "changed", "boolean": True, "array": []}
        yield from [some[kind] for kind in some if kind in types][:1]


def _other_list(value: list, schemas: list[dict], config: dict) -> list:
    """A list with another last number, with a name less, or with one if it has none."""
    items = [schema["items"] for schema in schemas if isinstance(schema.get("items"), dict)]
    last = next(_others(value[-1], items, config), None) if value else next(_others(None, items, config), None)
    if value and isinstance(value[-1], int | float):
        return [*value[:-1], last]
    return copy.deepcopy(value[:-1]) if value or last is None else [last]


def _at(config: Any, path: str) -> list:
    for key in path.split("."):
        config = config.get(key, {})
    return list(config)


def _list(value: Any) -> list:
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    main()
