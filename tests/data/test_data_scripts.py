"""The scripts of the data stage: what they write, and that they write nothing when they fail."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays
from lib.data import registry
from scripts import download_data, list_datasets, prepare_data


def test_prepared_arrays_carry_the_fingerprint(tmp_path):
    output = tmp_path / "results" / "digits.npz"
    prepare_data.main(["--dataset=digits", "--module=digits", "--source=embedded", f"--data={output}"])
    found = load_arrays(output)
    assert sorted(found) == ["fingerprint", "x", "y"]
    assert found["fingerprint"].shape == ()
    assert str(found["fingerprint"]) == registry.get("digits", "digits").fingerprint
    first = output.read_bytes()
    prepare_data.main(["--dataset=digits", "--module=digits", "--source=embedded", f"--data={output}"])
    assert output.read_bytes() == first


def test_a_private_dataset_is_named_by_a_digest_that_confirms_no_guess(tmp_path):
    """In one run equal data have equal digests, by which trainings are resumed; in another run, others."""
    x, y = np.arange(4 * 25, dtype=np.uint8).reshape(4, 5, 5), np.array([0, 1, 0, 1])

    def prepared(run):
        np.savez(tmp_path / "own_images.npz", x=x, y=y)
        output = tmp_path / "results" / run / "private" / "data" / "own_images.npz"
        words = ["--dataset=own_images", "--module=own", "--source=data_root", f"--data-root={tmp_path}"]
        prepare_data.main([*words, f"--data={output}"])
        return str(load_arrays(output)["fingerprint"]), output.read_bytes()

    first = prepared("one")
    secret = tmp_path / "results/one/private/.secret"
    assert len(first[0]) == 64 and first[0] != fingerprint(x=x, y=y)
    assert secret.stat().st_mode & 0o777 == 0o600 and len(list(secret.parent.iterdir())) == 2
    assert prepared("one") == first
    assert prepared("two")[0] != first[0]
    x[0, 0, 0] += 1
    assert prepared("one")[0] != first[0]
    secret.write_bytes(b"short")
    with pytest.raises(InputError, match=r"\.secret: 5 bytes, expected 32"):
        prepared("one")


def test_data_without_a_known_fingerprint_are_published_or_private():
    """Whoever adds a reader of files without a fingerprint says here, and by `private`, whose they are."""
    found = {
        name: spec.private
        for module in registry.modules()
        for name, spec in import_module(f"lib.data.sources.{module}").DATASETS.items()
        if not spec.fingerprint and spec.layouts
    }
    assert found == dict.fromkeys(("cifar100", "idc", "svhn", "usps_libsvm"), False) | {"own_images": True}


def test_nothing_is_written_for_missing_or_altered_files(tmp_path, toy, toy_arrays):
    output = tmp_path / "results" / "toy.npz"
    arguments = ["--dataset=toy", f"--module={toy}", "--source=data_root", f"--data={output}"]
    with pytest.raises(InputError, match="needs 'data_root'"):
        prepare_data.main(arguments)
    with pytest.raises(InputError, match="no complete set of files"):
        prepare_data.main([*arguments, f"--data-root={tmp_path}"])
    np.savez(tmp_path / "all.npz", **{**toy_arrays, "y": toy_arrays["y"] + 1})
    with pytest.raises(InputError, match="other samples"):
        prepare_data.main([*arguments, f"--data-root={tmp_path}"])
    assert not output.parent.exists()


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        (
            "prepare_data",
            ["--dataset=mnist", "--module=mnist", "--source=data_root", "--data-root=.", "--data=x.npz"],
        ),
        ("download_data", ["--dataset=digits", "--module=digits", "--data-root=."]),
        ("list_datasets", ['--datasets={"mnist": {}}', "--page=x.md"]),
    ],
)
def test_a_mistake_is_one_line_and_a_status(tmp_path, script, arguments):
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, str(root / "scripts" / f"{script}.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_without_public_files_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no source 'download'.*by hand"):
        download_data.main(["--module=pate_votes", "--dataset=pate_votes_svhn", f"--data-root={tmp_path}"])
    assert list(tmp_path.iterdir()) == []


def config(toy: str) -> str:
    """A block of three datasets."""
    datasets = {
        "toy": {"module": toy, "source": "data_root"},
        "digits": {"module": "digits", "source": "embedded"},
        "pate_votes_svhn": {"module": "pate_votes", "source": "data_root"},
    }
    return json.dumps(datasets)


def test_the_table_has_a_row_for_each_dataset(tmp_path, toy):
    table = list_datasets.rows(json.loads(config(toy)))
    assert [row[0] for row in table] == ["digits", "pate_votes_svhn", "toy"]
    assert [row[2] for row in table] == ["embedded", "data_root", "data_root"]
    assert registry.get("digits", "digits").fingerprint in table[0]
    assert table[2][1] == "A toy | set"
    assert all(map(all, table))

    list_datasets.main(["--datasets", config(toy), "--page", str(tmp_path / "datasets.md")])
    lines = (tmp_path / "datasets.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
    assert "| toy | A toy \\| set | data_root | 4 rows |" in lines[4]
    assert {line.replace("\\|", "").count("|") for line in lines} == {8}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"mnist": {"module": "mnist"}}', r"datasets\.mnist: needs the keys"),
        ('{"mnist": {"module": "minst", "source": "data_root"}}', "unknown module 'minst'"),
        ('{"mnist": {"module": "mnist", "source": "embedded"}}', "no source 'embedded'"),
    ],
)
def test_bad_configurations_are_refused(tmp_path, text, fault):
    with pytest.raises(InputError, match=fault):
        list_datasets.main(["--datasets", text, "--page", str(tmp_path / "x.md")])
    assert list(tmp_path.iterdir()) == []
