"""Datasets are found by name, their files by layout, and only the right samples pass."""

import importlib
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.data import registry
from lib.data.spec import SOURCES, DatasetSpec, canonical
from tests.offenders import each

ROOT = Path(__file__).resolve().parents[2]
ALL = [
    (module, name)
    for module in registry.modules()
    for name in importlib.import_module(f"lib.data.sources.{module}").DATASETS
]


def one_line(caught) -> str:
    """The message, which must be a single line."""
    assert "\n" not in str(caught.value)
    return str(caught.value)


@each(ALL)
def test_every_shipped_dataset_is_described_completely(module, name):
    spec = registry.get(module, name)
    assert isinstance(spec, DatasetSpec)
    assert spec.known_by if spec.fingerprint is None else re.fullmatch("[0-9a-f]{64}", spec.fingerprint)
    assert spec.identity
    assert all((spec.title, spec.samples, spec.licence, spec.homepage, spec.obtain))
    assert spec.sources
    assert set(spec.sources) <= set(SOURCES)
    assert bool(spec.layouts) == ("data_root" in spec.sources)
    assert bool(spec.download) == bool(spec.downloaded) == ("download" in spec.sources)
    assert not spec.downloaded or spec.downloaded in spec.layouts


def test_every_real_dataset_that_is_there_has_its_fingerprint(data_root):
    checked = 0
    for module, name in ALL:
        if "data_root" in registry.get(module, name).sources and registry.get(module, name).fingerprint:
            registry.load(name, module, "data_root", data_root)
            checked += 1
    assert checked


def test_digits_are_known():
    arrays = registry.load("digits", "digits", "embedded", None)
    assert registry.required_files("digits", "digits", "embedded", None) == []
    assert (arrays["x"].shape, arrays["x"].dtype, arrays["x"].max()) == ((1797, 8, 8), np.uint8, 16)
    assert (arrays["y"].shape, arrays["y"].dtype) == ((1797,), np.int64)
    np.testing.assert_array_equal(arrays["x"][0, 0], [0, 0, 5, 13, 9, 1, 0, 0])
    np.testing.assert_array_equal(np.bincount(arrays["y"]), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180])


@pytest.mark.slow
def test_planning_and_listing_wait_for_no_networks():
    """What rules import while the workflow is read, and every dataset that may be in the configuration."""
    imports = "\n".join(
        line
        for file in [ROOT / "Snakefile", *sorted((ROOT / "rules").rglob("*.smk"))]
        for line in re.findall(
            r"^(?:from|import) lib\b(?:[^(\n]*\([^)]*\)|.*)", file.read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    assert "from lib.plan.plan import Plan" in imports
    code = f"""
import sys
{imports}
from lib.data import registry
from scripts import list_datasets
for module, name in {ALL!r}:
    for source in registry.get(module, name).sources:
        try:
            registry.required_files(name, module, source, ".")
        except registry.InputError:
            pass
        list_datasets.rows({{name: {{"module": module, "source": source}}}})
print(sorted({{"torch", "torchvision", "sklearn", "monai"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_unknown_names_are_refused_with_the_allowed_ones():
    with pytest.raises(InputError, match=r"unknown module 'minst'.*allowed: .*'mnist'"):
        registry.get("minst", "mnist")
    with pytest.raises(InputError, match=r"unknown module 'mnist\.x'"):
        registry.get("mnist.x", "mnist")
    with pytest.raises(InputError, match=r"unknown dataset 'mnist' in module 'pate_votes', allowed: .*pate_votes_svhn"):
        registry.get("pate_votes", "mnist")
    with pytest.raises(InputError, match=r"no source 'data_root', allowed: \['embedded'\]"):
        registry.required_files("digits", "digits", "data_root", "anywhere")
    with pytest.raises(InputError, match=r"no source 'disk', allowed: \['data_root', 'download'\]"):
        registry.required_files("mnist", "mnist", "disk", "anywhere")
    with pytest.raises(InputError, match=r"no source 'download', allowed: \['data_root'\]; by hand"):
        registry.required_files("pate_votes_svhn", "pate_votes", "download", "anywhere")


@pytest.mark.parametrize("source", ["data_root", "download"])
def test_a_root_that_is_not_set_is_named_by_its_key(source):
    with pytest.raises(InputError, match="needs 'data_root'"):
        registry.required_files("mnist", "mnist", source, None)


def test_a_new_module_is_a_new_dataset(toy, tmp_path, toy_arrays):
    np.savez(tmp_path / "all.npz", **toy_arrays)
    found = registry.load("toy", toy, "data_root", tmp_path)
    assert sorted(found) == ["x", "y"]
    np.testing.assert_array_equal(found["x"], toy_arrays["x"])


def test_the_first_complete_layout_is_taken(toy, tmp_path, toy_arrays):
    np.savez(tmp_path / "all.npz", **toy_arrays)
    assert registry.required_files("toy", toy, "data_root", tmp_path) == [tmp_path / "all.npz"]
    (tmp_path / "toy").mkdir()
    np.savez(tmp_path / "toy" / "all.npz", **toy_arrays)
    assert registry.required_files("toy", toy, "data_root", str(tmp_path)) == [tmp_path / "toy" / "all.npz"]


def test_missing_files_are_named_with_place_fingerprint_and_origin(tmp_path):
    with pytest.raises(InputError) as caught:
        registry.required_files("mnist", "mnist", "data_root", tmp_path)
    message = one_line(caught)
    spec = registry.get("mnist", "mnist")
    assert str(tmp_path) in message
    assert "mnist.npz or MNIST/raw/{train-images-idx3-ubyte, " in message
    assert message.count("(all plain or all .gz)") == 2
    assert spec.fingerprint[:16] in message
    assert spec.obtain in message


def test_the_file_that_an_incomplete_layout_lacks_is_named(tmp_path, small_mnist, write_mnist):
    layout = registry.get("mnist", "mnist").layouts[1]
    write_mnist(tmp_path, layout, small_mnist)
    (tmp_path / layout[3]).unlink()
    with pytest.raises(InputError, match=re.escape(f"(only {layout[3]} missing)")):
        registry.required_files("mnist", "mnist", "data_root", tmp_path)


def test_files_to_download_are_known_before_and_missed_when_read(tmp_path):
    files = registry.required_files("mnist", "mnist", "download", tmp_path)
    assert files[0] == tmp_path / "MNIST" / "raw" / "train-images-idx3-ubyte"
    assert len(files) == 4
    with pytest.raises(InputError) as caught:
        registry.load("mnist", "mnist", "download", tmp_path)
    assert f"scripts/download_data.py --module mnist --dataset mnist --data-root {tmp_path}" in one_line(caught)


def test_altered_samples_are_refused_with_both_fingerprints(toy, tmp_path, toy_arrays):
    altered = {**toy_arrays, "y": toy_arrays["y"][::-1]}
    np.savez(tmp_path / "all.npz", **altered)
    with pytest.raises(InputError) as caught:
        registry.load("toy", toy, "data_root", tmp_path)
    message = one_line(caught)
    assert str(tmp_path / "all.npz") in message
    assert fingerprint(**toy_arrays)[:16] in message
    assert fingerprint(**altered)[:16] in message


def test_undecodable_files_are_refused_by_name(toy, tmp_path):
    np.savez(tmp_path / "all.npz", x=np.zeros((4, 3), int), y=np.zeros(4, int))
    with pytest.raises(InputError, match=r"all\.npz: shape \(4, 3\), expected \(any, 2\)"):
        registry.load("toy", toy, "data_root", tmp_path)
    (tmp_path / "all.npz").write_bytes(b"")
    with pytest.raises(InputError, match=r"all\.npz: not a readable \.npz file"):
        registry.load("toy", toy, "data_root", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable_files_are_refused_by_name(toy, tmp_path, toy_arrays):
    np.savez(tmp_path / "all.npz", **toy_arrays)
    (tmp_path / "all.npz").chmod(0)
    with pytest.raises(InputError, match=r"all\.npz: not a readable"):
        registry.load("toy", toy, "data_root", tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_samples_without_order_are_loaded_alike_from_any_order(toy, tmp_path, toy_arrays, seed):
    order = np.random.default_rng(seed).permutation(4)
    np.savez(tmp_path / "all.npz", **{name: array[order] for name, array in toy_arrays.items()})
    found = registry.load("toy_unordered", toy, "data_root", tmp_path)
    np.testing.assert_array_equal(found["y"], [3, 1, 2, 0])
    np.testing.assert_array_equal(found["x"], [[0, 1], [4, 5], [2, 3], [6, 7]])


def test_a_label_moved_to_another_sample_is_not_the_same_set(toy, tmp_path, toy_arrays):
    np.savez(tmp_path / "all.npz", x=toy_arrays["x"], y=toy_arrays["y"][[1, 0, 2, 3]])
    with pytest.raises(InputError, match="other samples"):
        registry.load("toy_unordered", toy, "data_root", tmp_path)


def test_sorting_keeps_repeated_samples_and_other_arrays():
    arrays = {"x": np.array([2, 1, 2]), "y": np.array([5, 6, 5]), "names": np.array(["b", "a"])}
    found = canonical(arrays, [("x", "y")])
    assert sorted(zip(found["x"].tolist(), found["y"].tolist(), strict=True)) == [(1, 6), (2, 5), (2, 5)]
    np.testing.assert_array_equal(found["names"], ["b", "a"])
    with pytest.raises(ValueError, match="shorter"):
        canonical({"x": np.zeros(3), "y": np.zeros(2)}, [("x", "y")])


def test_a_dataset_that_nothing_identifies_is_a_mistake():
    spec = registry.get("digits", "digits")
    with pytest.raises(ValueError, match="needs a fingerprint, or known_by"):
        replace(spec, fingerprint=None)
    assert replace(spec, fingerprint=None, known_by="its looks").identity == "its looks"
