"""The rules as they are written: named, documented, short, and each the call of one script."""

import re
from pathlib import Path

from lib.plan.rule_texts import rule_texts
from tests.offenders import each

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "rules").rglob("*.smk"))
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in [*FILES, ROOT / "Snakefile"]}
# without what their docstrings say
CODE = {path: re.sub(r'""".*?"""', "", text, flags=re.DOTALL) for path, text in TEXTS.items()}
RULES = {name: rule.text for name, rule in rule_texts().items()}


def test_every_rule_is_named_where_it_stands_once():
    begins = re.compile(r"^\s*(?:rule|use rule \w+ as)\s*(\w*)(?: with)?:", re.MULTILINE)
    written = [name for text in TEXTS.values() for name in begins.findall(text)]
    assert sorted(written) == sorted(RULES) and len(RULES) > 100
    made_otherwise = re.compile(r"^ +(use )?rule\b|^use rule (?!\w+ as \w+ with:)|^\s+name:$", re.MULTILINE)
    assert not [path for path, text in CODE.items() if made_otherwise.search(text)]


def test_every_rule_says_what_it_makes():
    said = {name: rule.meaning for name, rule in rule_texts().items()}
    assert [name for name, text in said.items() if not text] == []
    assert len(set(said.values())) == len(said)


def test_rules_are_short_and_plan_nothing():
    lines = sum(len(text.splitlines()) for text in TEXTS.values())
    assert lines <= 20 * len(RULES)
    assert sum(text.count("lambda") for text in TEXTS.values()) <= 0.5 * len(RULES)


@each(name for name, block in RULES.items() if "shell:" in block)
def test_a_rule_calls_one_script_with_its_options(name):
    call = r'shell:\n\s+"python -m scripts\.(\w+) \{params\}(?: --threads \{threads\})? > \{log\} 2>&1"\n'
    (script,) = re.findall(call, RULES[name])
    assert (ROOT / "scripts" / f"{script}.py").is_file()


def test_only_a_rule_whose_code_is_computed_names_its_code():
    assert {name for name, block in RULES.items() if "code=" in block} == {"download_data", "prepare_data", "datasets"}


def test_every_script_is_a_rules_or_a_persons():
    called = {script for rule in rule_texts().values() for script in rule.scripts}
    assert {path.stem for path in (ROOT / "scripts").glob("*.py")} - called == {
        "__init__",
        "audit_mechanism",
        "check_data",
        "keep_results",
        "price_votes",
        "paper_settings",
        "redraw",
        "show_epsilons",
        "show_help",
        "show_provenance",
        "show_verdicts",
        "sign_release",
        "variant",
    }


def test_what_the_plan_says_of_a_job_is_not_mixed_with_its_files():
    """A parameter made of files or threads is no trigger: what is mixed with them makes nothing stale."""
    given = re.compile(r"params:\n(?!        \*\*options\()")
    assert not [name for name, block in RULES.items() if given.search(block)]


def test_logs_costs_and_messages_are_given_to_all_rules_in_one_place():
    given = re.compile(r"^    (benchmark|log|message):", re.MULTILINE)
    assert not [name for name, block in RULES.items() if given.search(block)]
    # rules that are included later would have none
    assert re.findall(r'^include: "(.*)"', TEXTS["Snakefile"], re.MULTILINE)[-1] == "rules/shared/jobs.smk"
