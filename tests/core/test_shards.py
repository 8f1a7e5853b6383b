"""Units of one file: whole, found in whichever shard they are, refused by name."""

import numpy as np
import pytest

from lib.core import shards
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.core.shards import load_unit, save_shard

UNITS = {
    "ball": {"weight": np.arange(6, dtype=np.float32).reshape(2, 3), "a/b": np.array(7)},
    "naive": {},
    "ball_10": {"weight": np.ones(2)},
    "teachers/ball": {"codes": np.zeros((2, 0), np.float16)},
}


def same(found, expected):
    assert set(found) == set(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)


@pytest.fixture
def shard(tmp_path):
    save_shard(tmp_path / "0.npz", UNITS)
    return tmp_path / "0.npz"


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_comes_back_as_it_was_without_its_neighbours(shard, unit):
    same(load_unit([shard], unit), UNITS[unit])


def test_the_same_units_give_the_same_bytes(shard, tmp_path):
    save_shard(tmp_path / "again.npz", UNITS)
    assert (tmp_path / "again.npz").read_bytes() == shard.read_bytes()


def test_a_unit_is_found_in_whichever_shard_has_it(tmp_path):
    paths = []
    for name, arrays in UNITS.items():
        paths.append(tmp_path / f"{len(paths)}.npz")
        save_shard(paths[-1], {name: arrays})
    for name, arrays in UNITS.items():
        same(load_unit(paths, name), arrays)
        same(load_unit(map(str, reversed(paths)), name), arrays)


def test_no_shard_is_read_twice_for_a_unit(tmp_path, monkeypatch):
    paths = [tmp_path / f"{place}.npz" for place in range(2)]
    for path, unit in zip(paths, ("naive", "ball"), strict=True):
        save_shard(path, {unit: UNITS[unit]})
    read = []
    monkeypatch.setattr(shards, "load_arrays", lambda path, *names: (read.append(path), load_arrays(path, *names))[1])
    same(load_unit(paths, "ball"), UNITS["ball"])
    assert read == paths


@pytest.mark.parametrize("unit", ["clip", "teachers", "bal", "ball/weight", "units", ""])
def test_a_unit_that_no_shard_has_is_refused_by_name(shard, tmp_path, unit):
    save_shard(tmp_path / "1.npz", {})
    with pytest.raises(InputError, match=rf"^{shard}, {tmp_path}/1\.npz: no arrays of {unit}$"):
        load_unit([shard, tmp_path / "1.npz"], unit)


def test_what_is_no_shard_or_an_altered_one_is_refused_by_name(shard, tmp_path):
    other = tmp_path / "other.npz"
    save_arrays(other, weight=np.ones(2))
    with pytest.raises(InputError, match=r"other\.npz: .* lacks 'units'; it has \['weight'\]"):
        load_unit([other, shard], "ball")
    arrays = load_arrays(shard) | {"ball/weight": np.zeros((2, 3), np.float32)}
    with np.load(shard) as archive:
        np.savez_compressed(other, **arrays, sha256=archive["sha256"])
    with pytest.raises(InputError, match=r"other\.npz: the arrays do not match the digest"):
        load_unit([other], "ball")
    shard.unlink()
    with pytest.raises(InputError, match=r"0\.npz: not a readable"):
        load_unit([shard], "ball")
