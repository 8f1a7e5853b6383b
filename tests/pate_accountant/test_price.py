"""What own votes cost: what the workflow says of the same votes, never less; and plans that bound every run."""

import doctest
import itertools
import json
import time

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib.pate.aggregators import AGGREGATORS, account_of
from pate_accountant import command, mechanism, price, votes_file, words
from pate_accountant.announced import announced
from pate_accountant.discrete import is_discrete
from pate_accountant.errors import InputError
from pate_accountant.mechanism import ACCOUNTS, doubts, option
from pate_accountant.mechanism import mechanism as block
from pate_accountant.rdp import order_grid
from pate_accountant.readings import confident_account
from pate_accountant.released_epsilon import release_epsilon
from pate_accountant.rounding import shown

ORDERS = order_grid()
VOTES = np.random.default_rng(0).multinomial(60, np.random.default_rng(1).dirichlet(np.full(4, 0.3), 300))
VOTES = np.concatenate([VOTES, VOTES[:40, ::-1]])  # some histograms come again, with their classes exchanged
RUNS = {
    "lnmax": block("lnmax", 1e-5, laplace_scale=4),
    "gnmax": block("gnmax", 1e-5, sigma=10),
    "confident_gnmax": block("confident_gnmax", 1e-5, 200, threshold=50, sigma_threshold=30, sigma=10),
    "gnmax, discrete": block("gnmax", 1e-5, noise="discrete", sigma=10),
    "confident_gnmax, discrete": block(
        "confident_gnmax", 1e-5, 200, "discrete", threshold=50, sigma_threshold=30, sigma=10
    ),
}


@pytest.mark.parametrize("module", [mechanism, price, votes_file, words], ids=lambda module: module.__name__)
def test_the_examples_of_public_functions_hold(module):
    done = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert done.attempted and not done.failed


def test_mechanisms_are_those_of_the_workflow():
    """No second table of accounts: the workflow's own are called."""
    for (name, noise), account in ACCOUNTS.items():
        theirs = getattr(AGGREGATORS[name], noise).account
        assert getattr(account, "func", account) is getattr(theirs, "func", theirs)
        assert getattr(account, "args", None) == getattr(theirs, "args", None)
    there = {(name, noise) for name in AGGREGATORS for noise in ("continuous", "discrete")}
    there = {(name, noise) for name, noise in there if getattr(AGGREGATORS[name], noise)}
    assert there - set(ACCOUNTS) == {("interactive_gnmax", "continuous")}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("size", [7, 1000])
def test_the_price_is_what_the_workflow_says(name, size, monkeypatch):
    monkeypatch.setattr(price, "BLOCK", size)
    run = RUNS[name]
    made = price.price(VOTES, run, points=9)
    account = account_of(ORDERS, [(VOTES, run, None)], price.MOMENTS)
    readings = account.readings.items()
    if is_discrete(run):  # the bound on any data is no paper's reading
        readings = [(reading, there) for reading, there in readings if reading != "epsilon"]
    elif name == "confident_gnmax":
        weighed = ("epsilon_data_independent", "epsilon_two_sided")
        readings = [(f"{reading}_expected" if reading in weighed else reading, there) for reading, there in readings]
    assert set(made.curves) == {reading for reading, _ in readings}
    for reading, there in readings:
        expected, order = there.statement(ORDERS, run["delta"])
        assert made.statements[reading].epsilon == pytest.approx(expected.epsilon, rel=1e-12)
        assert made.orders[reading] == order
        for flag in ("data_dependent", "one_sided", "guarantee", "sanitized", "neighbouring"):
            assert getattr(made.statements[reading], flag) == getattr(expected, flag)
        np.testing.assert_allclose(made.curves[reading], there.curve(ORDERS, run["delta"], made.lengths), rtol=1e-12)
    for reading, there in account.extra.items():
        assert made.statements[reading].epsilon == pytest.approx(there.epsilon, rel=1e-12)
    if account.caps:
        assert made.statements["epsilon_caps"] == account.caps.statement(ORDERS, run["delta"])[0]
        assert made.statements["epsilon_caps_tight"] == account.caps.statement(ORDERS, run["delta"], "tight")[0]
    assert made.statements.get("epsilon_announced") == announced(run, len(VOTES))
    assert made.answered == pytest.approx(account.answered.sum(), rel=1e-12)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("queries", [40, 340])
def test_orders_that_are_left_out_change_no_price(name, queries, monkeypatch):
    monkeypatch.setattr(price, "MANY", 1)
    made = price.price(VOTES[:queries], RUNS[name] | {"max_answered": 40})
    monkeypatch.setattr(price, "MANY", 10**6)
    whole = price.price(VOTES[:queries], RUNS[name] | {"max_answered": 40})
    assert len(made.grid) < 0.7 * len(whole.grid) == 0.7 * len(ORDERS)
    assert made.orders == whole.orders
    for reading, expected in whole.statements.items():
        assert made.statements[reading].epsilon == pytest.approx(expected.epsilon, rel=1e-12)
    for reading, expected in whole.curves.items():
        assert (made.curves[reading] >= expected * (1 - 1e-12)).all()
        np.testing.assert_allclose(made.curves[reading], expected, rtol=0.02)


@pytest.mark.parametrize("name", RUNS)
def test_a_plan_is_the_guarantee_of_every_run_of_so_many_queries(name):
    run = RUNS[name]
    made, planned = price.price(VOTES, run).statements, price.plan(len(VOTES), run).statements
    key = "epsilon_caps" if name.startswith("confident") else "epsilon_data_independent"
    known = [] if is_discrete(run) else ["epsilon_announced"]
    assert list(planned) == [*known, key, f"{key}_tight"]
    assert all(statement.guarantee for statement in planned.values())
    rising = [planned[reading].epsilon for reading in (*known, f"{key}_tight", key)]
    assert rising == sorted(rising)
    for reading, statement in planned.items():
        assert made[reading].epsilon == pytest.approx(statement.epsilon, rel=1e-12) and made[reading].guarantee


def test_one_name_is_a_guarantee_of_every_run_or_of_none():
    meant = {}
    for run in RUNS.values():
        for made in (price.price(VOTES, run), price.plan(len(VOTES), run)):
            for reading, statement in made.statements.items():
                assert meant.setdefault(reading, statement.guarantee) == statement.guarantee, reading
    assert {reading for reading, guaranteed in meant.items() if guaranteed} == {
        "epsilon_announced",
        "epsilon_caps",
        "epsilon_caps_tight",
        "epsilon_data_independent",
        "epsilon_data_independent_tight",
    }


def test_the_first_pages_guarantee_is_that_of_the_same_settings():
    run = block("confident_gnmax", 1e-5, 300, threshold=200, sigma_threshold=150, sigma=40)
    votes = np.tile([250] + [0] * 9, (640, 1))
    for made in (price.price(votes, run), price.plan(640, run)):
        assert words.as_text(made).startswith("You may announce: epsilon 2.607 at delta 1e-05, for 640 queries")


def test_what_nobody_would_announce_is_not_computed_for_minutes():
    run = block("lnmax", 1e-5, laplace_scale=0.1)
    assert "epsilon_announced" in price.plan(30, run).statements
    assert "epsilon_announced" not in price.plan(31, run).statements


def test_no_more_than_what_is_proved_is_called_a_guarantee():
    said = words.as_dict(price.price(VOTES, RUNS["confident_gnmax"]))
    assert not said["readings"]["epsilon"]["guarantee"] and said["readings"]["epsilon"]["one_sided"]
    public = {name for name, each in said["readings"].items() if not each["private"]}
    assert public == {"epsilon_announced", "epsilon_caps", "epsilon_caps_tight"}
    text = words.as_text(price.price(VOTES, RUNS["confident_gnmax"]))
    assert "an expectation over runs and no guarantee, one direction; private" in text
    assert f"You may announce: epsilon {shown(said['readings'][said['guarantee']]['epsilon'], 4)} " in text
    assert said["guarantee"] == "epsilon_announced"


def test_the_release_is_the_workflows():
    run = RUNS["confident_gnmax"] | {"threshold": 40.0}
    made = price.price(VOTES, run)
    there = release_epsilon(ORDERS, VOTES, 60, run, price.MOMENTS, price.SANITIZE, np.random.default_rng(5))
    here = price.sanitized(VOTES, made, np.random.default_rng(5))
    assert set(here.privacy) == set(there.privacy) and here.ledger == there.ledger
    for name, expected in there.privacy.items():
        assert here.privacy[name].epsilon == pytest.approx(expected.epsilon, rel=1e-9)
    for other in ("gnmax", "lnmax", "confident_gnmax, discrete"):
        with pytest.raises(InputError, match=r"sanitise|--sanitize"):
            price.sanitized(VOTES, price.price(VOTES, RUNS[other]), np.random.default_rng(5))


def test_a_drawn_run_stops_after_its_answers_and_costs_at_most_the_caps():
    run = RUNS["confident_gnmax"] | {"max_answered": 20}
    asked, answered, spent = price.drawn(VOTES, run, 3)
    assert answered == 20 and asked < len(VOTES)
    account = confident_account(ORDERS, VOTES, run, price.MOMENTS)
    caps = account.caps.statement(ORDERS, run["delta"])[0].epsilon
    realised = spent["epsilon_realised_data_independent"].epsilon
    assert spent["epsilon_realised"].epsilon <= realised <= caps
    assert not any(each.guarantee for each in spent.values())
    assert price.drawn(VOTES, run, 3)[:2] == (asked, answered)


@pytest.mark.parametrize(
    ("given", "teachers", "said"),
    [
        ({"name": "gnmax", "sigma": 0.16}, 250, "not in shares of 250 teachers"),
        ({"name": "gnmax", "sigma": 1600}, 250, "of a variance give the root 40"),
        ({"name": "lnmax", "laplace_scale": 0.05}, 250, "of gamma 0.05 it is 20"),
        ({"name": "confident_gnmax", "sigma": 40, "sigma_threshold": 150, "threshold": 0.8}, 250, "counted in votes"),
        ({"name": "confident_gnmax", "sigma": 40, "sigma_threshold": 150, "threshold": 300}, 250, "noise alone"),
        ({"name": "gnmax", "sigma": 40, "delta": 0.01}, 250, "1 / (private records)"),
    ],
)
def test_a_parameter_in_another_unit_is_pointed_out(given, teachers, said):
    assert any(said in text for text in doubts(block(**{"delta": 1e-5} | given), teachers))
    assert not doubts(RUNS["confident_gnmax"], 60)


# ---------------------------------------------------------------- the command

GNMAX = ("--mechanism", "gnmax", "--sigma", "10", "--delta", "1e-5")


@pytest.fixture
def file(tmp_path):
    np.save(tmp_path / "votes.npy", VOTES)
    return str(tmp_path / "votes.npy")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "which votes?"),
        (("--plan",), "--queries"),
        (("--plan", "--queries", "0"), "at least 1"),
        (("--plan", "--queries", "10", "--layout", "histograms"), "--layout is about votes"),
        (("--plan", "--queries", "10", "--sanitize"), "nothing to sanitise"),
        (("--sigm", "4"), "did you mean --sigma?"),
        (("--sigma", "-4", "--plan", "--queries", "10"), "from 0.01 to 1e+09"),
        (("--threshold", "4", "--plan", "--queries", "10"), "gnmax has no --threshold"),
        (("--max-answered", "4", "--plan", "--queries", "10"), "answers every query"),
        (("--delta", "2", "--plan", "--queries", "10"), "between 0 and 1"),
        (("--noise", "loud", "--plan", "--queries", "10"), "no such noise"),
        (("--mechanism", "lnmax", "--plan", "--queries", "10"), "lnmax needs --laplace-scale"),
        (("--mechanism", "gnmx", "--plan", "--queries", "10"), "allowed is lnmax, gnmax, confident_gnmax"),
        (("--mechanism", "interactive_gnmax"), "student"),
    ],
)
def test_a_mistaken_call_is_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as caught:
        command.console([*GNMAX, *arguments])
    assert said in str(caught.value.code) and "\n" not in str(caught.value.code)
    assert capsys.readouterr().out == ""


def test_json_has_the_papers_reading_and_every_other_by_name(file, capsys):
    confident = "--mechanism confident_gnmax --sigma 10 --threshold 40 --sigma-threshold 30 --delta 1e-5"
    more = ["--layout", "histograms", "--json", "--sanitize", "--seed", "1"]
    command.main([file, *confident.split(), *more])
    printed = capsys.readouterr()
    said = json.loads(printed.out)
    reading = said["readings"][said["reading"]]
    assert (said["epsilon"], said["order"]) == (reading["epsilon"], reading["order"])
    assert 0 < said["answered"] < said["queries"] == len(VOTES)
    assert {"epsilon_caps", "epsilon_joint", "epsilon_realised"} <= set(said["readings"])
    # what was drawn with a known seed can be undone
    assert all(each["private"] for each in said["sanitized"].values())
    assert [f"warning: {text}" for text in said["warnings"]] == printed.err.splitlines()


CONFIDENT = "--mechanism confident_gnmax --sigma 10 --threshold 40 --sigma-threshold 30 --delta 1e-5".split()


def test_the_price_of_answers_and_published_epsilon_together_is_among_the_guarantees(file, capsys):
    command.main([file, *CONFIDENT, "--layout", "histograms", "--sanitize"])
    text = capsys.readouterr().out
    command.main([file, *CONFIDENT, "--layout", "histograms", "--sanitize", "--json"])
    said = json.loads(capsys.readouterr().out)
    joint = said["readings"]["epsilon_caps_with_release"]
    assert joint["guarantee"] and not joint["private"]
    assert joint["epsilon"] > said["readings"]["epsilon_caps"]["epsilon"]
    assert joint["order"] == said["sanitizing"]["fixed_order"]
    assert f"{shown(joint['epsilon'], 4):<12}to announce instead, if you publish the next line, too" in text
    assert "may be published with the answers" in text
    assert said["guarantee"] == "epsilon_announced"  # of the answers alone


def test_with_a_known_seed_nothing_is_guaranteed_of_the_release(file, capsys):
    command.main([file, *CONFIDENT, "--layout", "histograms", "--sanitize", "--seed", "1"])
    text = capsys.readouterr().out
    assert "to announce instead" not in text and "drawn with a known seed: private" in text
    command.main([file, *CONFIDENT, "--layout", "histograms", "--sanitize", "--seed", "1", "--json"])
    assert "epsilon_caps_with_release" not in json.loads(capsys.readouterr().out)["readings"]


def test_what_is_sanitised_with_a_seed_is_drawn_apart_from_the_run_with_it(file, monkeypatch):
    drawn = []
    monkeypatch.setattr(price, "release_epsilon", lambda *given: drawn.append(given[6].normal()) or stop())
    confident = "--mechanism confident_gnmax --sigma 10 --threshold 40 --sigma-threshold 30 --delta 1e-5"
    with pytest.raises(KeyboardInterrupt):
        command.main([file, *confident.split(), "--layout", "histograms", "--sanitize", "--seed", "1"])
    checks = np.random.default_rng(1).normal(size=len(VOTES))  # of `drawn`, in its order
    assert len(drawn) == 1 and not np.isclose(checks, drawn[0]).any()


def stop():
    raise KeyboardInterrupt


def test_words_and_a_curve(file, tmp_path, capsys):
    command.main([file, "--layout", "histograms", *GNMAX, "--png", str(tmp_path / "curve.png")])
    text = capsys.readouterr().out
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    for part in ("to compare with the paper's tables", "both directions; private", "one private record is replaced"):
        assert part in text


@pytest.mark.parametrize("name", RUNS)
def test_the_answer_is_the_number_to_announce_and_at_most_five_others(name):
    made = price.price(VOTES, RUNS[name])
    seeded = name == "confident_gnmax"
    released = price.sanitized(VOTES, made, np.random.default_rng(1)) if seeded else None
    if seeded:
        made.statements["epsilon_realised"] = price.drawn(VOTES, RUNS[name], 1)[2]["epsilon_realised"]
    for text in (words.as_text(made, released), words.as_text(made, released, seeded=True)):
        head, table, rest = (part for part in text.split("\n\n") if not part.startswith("warning: "))
        assert head.startswith(f"You may announce: epsilon {shown(made.guarantee.epsilon, 4)} at delta ")
        assert 1 < len(table.splitlines()) <= 6 and "--json" in rest
        for line in table.splitlines()[1:]:
            public = {shown(each.epsilon, 4) for each in made.statements.values() if each.guarantee}
            assert "private" in line or line.split()[0] in public | {"-"}


def test_a_target_epsilon_finds_the_setting_that_is_left_out(file, capsys):
    settings = ["--mechanism", "gnmax", "--delta", "1e-5", "--target-epsilon", "2"]
    command.main([*settings, "--queries", "1000"])
    text = capsys.readouterr().out
    assert text.startswith("You may announce: epsilon 2 at delta 1e-05, for 1000 queries")
    assert "Found: --sigma 89.1661, the least for it." in text
    command.main(["--plan", *settings, "--sigma", "40", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["found"] == {"queries": 201} and said["readings"][said["guarantee"]]["epsilon"] <= 2
    command.main([file, "--layout", "histograms", *settings, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["queries"] == len(VOTES) and said["readings"][said["guarantee"]]["epsilon"] <= 2
    assert list(said["found"]) == ["sigma"] and said["run"]["sigma"] == said["found"]["sigma"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "leave out exactly one of --sigma, --queries; left out are --sigma and --queries"),
        (("--queries", "10", "--sigma", "10"), "none is left out"),
        (("--sigma", "0.5"), "even --queries 1 costs"),
        (("--queries", "10", "--layout", "histograms"), "--layout is about votes"),
        (("--queries", "0"), "--queries 0: allowed"),
        (("--queries", "10", "--mechanism", "gnmx"), "mechanism 'gnmx': allowed is lnmax"),
    ],
)
def test_a_target_that_cannot_be_met_is_one_line(arguments, said):
    with pytest.raises(SystemExit) as caught:
        command.console(["--mechanism", "gnmax", "--delta", "1e-5", "--target-epsilon", "2", *arguments])
    assert said in str(caught.value.code) and "\n" not in str(caught.value.code)


def test_doubts_come_before_any_number(tmp_path, capsys):
    labels = np.random.default_rng(0).integers(0, 3, (250, 40))  # 250 teachers, 40 queries, taken for the contrary
    np.save(tmp_path / "votes.npy", labels)
    command.main([str(tmp_path / "votes.npy"), "--layout", "teachers,queries", "--classes", "3", *GNMAX])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("warning: ") and "if it is the other way round, every number here is wrong" in lines[0]
    assert all(line.startswith("warning: ") for line in lines[: lines.index("")])
    command.main([str(tmp_path / "votes.npy"), "--layout", "teachers,queries", "--classes", "3", *GNMAX, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert next(iter(said)) == "warnings" and "other way round" in said["warnings"][0]


ODD = ["nan", "inf", "-inf", "-1", "0", "1e-320", "1e-160", "1e-9", "1e160", "1e308"]
NUMBERS = st.sampled_from([*ODD, "0.01", "0.3", "1", "40", "1e3", "1e9"]) | st.floats(0.01, 1e9).map(repr)
DELTAS = st.sampled_from([*ODD, "1e-100", "1e-20", "1e-15", "1e-5", "0.5", "0.9999999999999999", "1", "2"])
COUNTS = st.sampled_from(["-1", "0", "1", "2", "40", "340", "1000", "1000000", "1000000000", "10" * 20, "9" * 400])
SEEDS = st.sampled_from(["-1", "0", "1", "9" * 400])


def options_of(name, counts):
    """A mechanism with its parameters, and further options that it may have."""
    needed = {option(key): NUMBERS for key in mechanism.PARAMETERS[name]} | {"--delta": DELTAS}
    more = {"--max-answered": counts, "--noise": st.sampled_from(["continuous", "discrete"])}
    if name != "confident_gnmax":
        del more["--max-answered"]
    return st.fixed_dictionaries({"--mechanism": st.just(name)} | needed, optional=more)


OPTIONS = st.sampled_from(list(mechanism.PARAMETERS)).flatmap(lambda name: options_of(name, COUNTS))


def ends_well(capsys, arguments, options):
    """Whether a call prints JSON with numbers alone; else it ends with an InputError of one line."""
    capsys.readouterr()
    before = time.monotonic()
    argv = [*arguments, *(f"{key}={value}" for key, value in options.items()), "--json"]
    try:
        command.main(argv)
    except InputError as error:
        assert "\n" not in str(error)
        return False
    finally:
        assert time.monotonic() - before < 60
    said = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} in the answer"))
    assert all(each["epsilon"] >= 0 for each in said["readings"].values())
    return True


@given(OPTIONS, COUNTS)
@settings(derandomize=True, deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
def test_a_plan_of_any_options_is_a_price_or_one_line(capsys, options, queries):
    ends_well(capsys, ["--plan", f"--queries={queries}"], options)


OF_VOTES = st.fixed_dictionaries({}, optional={"--seed": SEEDS, "--queries": COUNTS, "--teachers": COUNTS})


@given(OPTIONS, OF_VOTES, st.booleans())
@settings(derandomize=True, deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
def test_a_price_by_any_options_is_one_or_one_line(capsys, file, options, more, sanitize):
    ends_well(capsys, [file, "--layout=histograms", *(["--sanitize"] if sanitize else [])], options | more)


def test_the_smallest_and_largest_numbers_that_are_allowed_have_a_price(capsys):
    for name, keys in mechanism.PARAMETERS.items():
        for value, delta, queries in itertools.product(("0.01", "1e9"), ("1e-100", "0.99"), ("5", "1000000000")):
            options = dict.fromkeys(map(option, keys), value) | {"--mechanism": name, "--delta": delta}
            assert ends_well(capsys, ["--plan", f"--queries={queries}"], options), options


def test_a_delta_that_is_too_small_for_the_tightest_route_leaves_the_others():
    made = price.plan(10, block("lnmax", 1e-20, laplace_scale=1000))
    assert list(made.statements) == ["epsilon_data_independent", "epsilon_data_independent_tight"]


@pytest.mark.parametrize("classes", ["-1", "0", "1", "1000000", "1000000000", "9" * 30])
def test_any_number_of_classes_is_a_price_or_one_line(tmp_path, capsys, classes):
    np.save(tmp_path / "votes.npy", np.zeros((400, 30), np.int8))
    options = {"--mechanism": "gnmax", "--sigma": "10", "--delta": "1e-5", "--classes": classes}
    assert not ends_well(capsys, [str(tmp_path / "votes.npy"), "--layout=queries,teachers"], options)


@pytest.mark.parametrize("name", ["folder.png", "curve.xyz"])
def test_a_picture_that_cannot_be_written_is_one_line(file, tmp_path, name):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match="--png"):
        command.main([file, "--layout", "histograms", *GNMAX, "--png", str(tmp_path / name)])


def test_a_persons_own_matplotlibrc_changes_no_curve(file, tmp_path):
    arguments = [file, "--layout", "histograms", *GNMAX, "--png"]
    command.main([*arguments, str(tmp_path / "plain.png")])
    with matplotlib.rc_context({"text.usetex": True, "axes.facecolor": "black"}):
        command.main([*arguments, str(tmp_path / "theirs.png")])
    assert (tmp_path / "theirs.png").read_bytes() == (tmp_path / "plain.png").read_bytes()
