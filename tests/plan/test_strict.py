"""What a configuration file or --config does not say clearly is refused in one line."""

import json
import re
import sys

import pytest
import yaml
import yte
from snakemake.cli import parse_config

from lib.core.errors import InputError
from lib.plan.strict_yaml import check_files, read_given, refuse_early
from tests.plan.test_config import PRESETS, ROOT


def refusal(path) -> str:
    with pytest.raises(InputError) as caught:
        check_files([path])
    assert "\n" not in str(caught.value) and str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("papers: &a [*a]\n", "papers.0 is an alias of papers, which it is in"),
        ("models: &a {x: {y: *a}}\n", "models.x.y is an alias of models, which it is in"),
        ("&a {seed: *a}\n", "seed is an alias of the configuration"),
    ],
)
def test_a_mapping_or_list_that_holds_itself_is_named(tmp_path, text, says):
    path = tmp_path / "over.yaml"
    path.write_text(text)
    assert says in refusal(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "noise_seed: null\nseed: 1\nnoise_seed: 2018\n",
            "'noise_seed' stands twice in the configuration, in lines 1 and 3",
        ),
        ("release: {run: a, run: b}\n", "'run' stands twice in release, in lines 1 and 1"),
        ("a:\n  b:\n    c: 1\n    'c': 2\n", "'c' stands twice in a.b, in lines 3 and 4"),
        ("a:\n- {b: 1}\n- {b: 1, b: 1}\n", "'b' stands twice in a.1"),
        ("a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n", "'<<' stands twice in c"),
        ("a: &a {x: 1, x: 2}\nb: *a\n", "'x' stands twice in"),
        ("a: 1\n? a\n: 2\n", "'a' stands twice"),
        ('{"a": {"b": 1, "b": 2}}', "'b' stands twice"),
        ('{\n\t"a": 1,\n\t"a": 2\n}', "'a' stands twice"),
    ],
)
def test_a_key_that_stands_twice_is_named(tmp_path, text, says):
    path = tmp_path / "over.yaml"
    path.write_text(text)
    assert says in refusal(path)
    try:
        lost = yaml.safe_load(text)
    except yaml.YAMLError:
        lost = json.loads(text)
    path.write_text(yaml.safe_dump(lost))  # what the last one left is a configuration like any other
    check_files([path])


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nA: 2\n",
        "a: {x: 1}\nb: {x: 1}\n",
        "a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n",
        "a: &a {x: 1}\nb: [*a, *a]\n",
        '{"a": {"a": {"a": 1}}}',
    ],
)
def test_what_stands_once_passes(tmp_path, text):
    path = tmp_path / "over.yaml"
    path.write_text(text)
    check_files([path])


def test_every_file_is_read(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("a: 1\n")
    second.write_text("b: 1\nb: 1\n")
    with pytest.raises(InputError, match=r"second\.yaml"):
        check_files([first, second])


def test_what_is_no_yaml_is_one_line(tmp_path):
    path = tmp_path / "over.yaml"
    path.write_text("a: [1\nb: {\n")
    assert "not readable as YAML" in refusal(path)


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("preset: mine\n".encode("utf-16"), "its text is UTF-16; allowed is UTF-8"),
        (b"seed: 1\npreset: m\xe9ne\n", "line 2: the byte 0xe9 is no UTF-8"),
        (b"a: 1\nb: a\0b\n", "control characters are not allowed"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, "line 1: more than 50 lists and mappings in each other"),
        (b'{"a": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "more than 50 lists"),
        (b'{"a": ' + b"[" * 60 + b"]" * 60 + b"}", "more than 50 lists"),
        (b"a:\n  b: " + b"9" * 5000, "line 2: a number of 5000 digits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number of 5000 digits"),
        (b"a: 1\nb: !!python/name:os.system ''\n", "line 2: the tag !!python/name:os.system; allowed is none"),
        (b"a: !own 1\n", "line 1: the tag !own"),
        (b"__use_yte__: true\na: 1\n", "line 1: __use_yte__ runs Python"),
        (LAUGHS.encode(), "line 6: more than 200000 values, aliases written out"),
        (b"#" * 2**21 + b"\na: 1\n", "more than 2097152 bytes"),
        (b"- a\n", "holds no mapping; allowed are settings"),
        (b"[1]", "holds no mapping"),
        (b"", "holds no mapping"),
    ],
)
def test_what_snakemake_could_not_read_or_should_not_is_refused(tmp_path, content, says):
    path = tmp_path / "over.yaml"
    path.write_bytes(content)
    assert says in refusal(path)


def test_so_is_what_is_no_file(tmp_path):
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    for path, says in ((tmp_path, "Is a directory"), (tmp_path / "no.yaml", "No such file"), (loop, "Too many levels")):
        assert says in refusal(path)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--config", "data_root", "--", "a"], "--config data_root: allowed is KEY=VALUE"),
        (["--config=data_root"], "--config data_root: allowed is KEY=VALUE"),
        (["--config", "seed=1", "scalable_pate_table2"], "a target needs ` -- ` before it"),
        (
            ["-n", "--config", "a.b=1"],
            "'a.b' is no key; a file for --configfile sets what is in a block, `a: {b: 1}`",
        ),
        (["--config", "1=1"], "'1' is no key; allowed is KEY=VALUE"),
        (["--configfile", "presets/votes.yaml", "scalable_pate_table2"], "a target needs ` -- ` before it"),
        (
            ["--configfile", "votes", "--", "a"],
            "there is no such file; is presets/votes.yaml meant?",
        ),
        (["--configfile", "presets"], "presets: Is a directory"),
    ],
)
def test_a_command_line_is_refused_before_snakemake_reads_it(words, says, monkeypatch):
    monkeypatch.chdir(ROOT)
    for program in (["/bin/snakemake"], ["/lib/snakemake/__main__.py"]):
        with pytest.raises(SystemExit) as ended:
            refuse_early(program + words)
        assert str(ended.value).startswith("error: ") and says in str(ended.value) and "\n" not in str(ended.value)


def test_what_is_right_or_of_a_job_or_another_program_is_left_alone(monkeypatch):
    monkeypatch.chdir(ROOT)
    refuse_early(["snakemake", "-n", "--configfile", "presets/votes.yaml", "--config", "seed=1", "--", "data_root"])
    refuse_early(["snakemake", "--config", "data_root", "--mode", "subprocess"])
    refuse_early(["pytest", "--config", "data_root"])


@pytest.mark.parametrize("profile", sorted((ROOT / "profiles").iterdir()))
def test_every_profile_looks_at_the_command_line_first(profile, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", "--config", "data_root"])
    before = list(sys.path)
    with open(profile / "config.yaml", encoding="utf-8") as stream, pytest.raises(SystemExit, match="error: --config"):
        yte.process_yaml(stream, require_use_yte=True)
    assert sys.path == before


def test_the_shipped_files_pass():
    check_files([ROOT / "config.yaml", *PRESETS])


@pytest.mark.parametrize(
    ("typed", "arrived"),
    [
        ("/x/Scans", "/x/Scans"),
        ("/x/Scans#2", "/x/Scans#2"),
        ("/x/two  words", "/x/two  words"),
        ("it's", "it's"),
        ("'/x'", "/x"),
        ("", None),
        ("''", None),
        ("true", "true"),
        ("True", True),
        ("7", 7),
        ("-0.5", -0.5),
        ("1e-5", 1e-5),
        ("[]", []),
        ("'[a, b]'", ["a", "b"]),
        ("{device: cpu} ", {"device": "cpu"}),
    ],
)
def test_what_arrives_as_it_was_typed_is_read(typed, arrived):
    words = [f"data_root={typed}", "seed=3"]
    assert read_given(words) == parse_config(words) == {"data_root": arrived, "seed": 3}


@pytest.mark.parametrize(
    ("typed", "arrived"),
    [
        ("/x/Scans #2", "'/x/Scans'"),
        ("'/x/Scans #2'", "'/x/Scans'"),
        ("/x/Scans ", "'/x/Scans'"),
        ("/x/\nScans", "'/x/ Scans'"),
        ("/x/Scans'", "'/x/Scans'"),
        ("/x/a: b", "{'/x/a': 'b'}"),
        ("- /x", "['/x']"),
        ("&a /x", "'/x'"),
        ("007", "7"),
        ("1_000", "1000"),
        ("1_0.5", "10.5"),
        ("#2", "nothing"),
        ("|", "''"),
        ("[a] # b", "['a']"),
        ("{a: b} # c", "{'a': 'b'}"),
    ],
)
def test_what_snakemake_would_make_of_it_otherwise_is_refused_with_how_to_write_it(typed, arrived):
    with pytest.raises(InputError) as caught:
        read_given(["seed=3", f"data_root={typed}"])
    line = str(caught.value)
    assert "\n" not in line and line.startswith(f"--config data_root={typed!r}: arrives as {arrived}, ")
    if arrived != "nothing":
        assert repr(parse_config([f"data_root={typed}"])["data_root"]) == arrived
    (written,) = re.findall(r"`(.*)`", line)
    if typed[0] not in "[{":
        assert yaml.safe_load(written) == {"data_root": typed.removeprefix("'").removesuffix("'" * (typed[0] == "'"))}


@pytest.mark.parametrize("word", ["data_root", "--", "scalable_pate_table1"])
def test_a_word_that_is_no_setting_is_one_line(word):
    with pytest.raises(InputError, match="a target needs ` -- ` before it"):
        read_given([word])
