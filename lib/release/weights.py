"""A student's weights as named arrays, which `loader` computes with."""

import itertools
import math
import re

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from lib.core.errors import InputError

_FOREST = ("root", "left", "right", "feature", "threshold", "value", "classes")
_LOGISTIC = ("mean", "scale", "coef", "intercept", "classes")
_FLOATS = {"random_forest": ("float64",), "logistic_regression": ("float64",), "dense": ("float32",)}
_ROUNDING = 1e-9  # of shares that add up to 1
_LARGEST = 2.0**31  # value of a sample; weights that overflow with it answer NaN, whatever they are asked


def read_weights(content: bytes) -> dict[str, np.ndarray]:
    """Arrays by name of a file of tensors; InputError unless they are all that it holds, as safetensors writes them."""
    try:
        tensors = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise InputError(f"not a readable file of tensors ({error})") from error
    if weight_bytes(tensors) != content:
        raise InputError("holds more than its tensors, or in another way than safetensors writes them")
    return tensors


def weight_bytes(tensors: dict[str, np.ndarray]) -> bytes:
    """Write tensors as a release does: by name, and no metadata."""
    return save({name: np.ascontiguousarray(array) for name, array in sorted(tensors.items())})


def weights_fault(student: dict, tensors: dict[str, np.ndarray]) -> str | None:
    """Say what is wrong with the weights of student.json's model; None if the loader can compute with them."""
    if fault := names_fault(student["kind"], set(tensors)):
        return f"{fault}, for a {student['kind']} student"
    for name, tensor in tensors.items():
        if tensor.dtype.name not in ("int64", *_FLOATS[student["kind"]]):
            allowed = " or ".join(("int64", *_FLOATS[student["kind"]]))
            return f"{name} is of {tensor.dtype}; allowed for a {student['kind']} student is {allowed}"
        if not np.isfinite(tensor).all():
            return f"{name} holds a number that is not finite"
    features = math.prod(student["shape"])
    if student["kind"] == "dense":
        widths = [features, *student["model"]["hidden"], student["classes"]]
        return _dense_fault(tensors, widths) or _dense_overflow(tensors, _LARGEST / student["white"])
    classes = tensors["classes"]
    if classes.dtype != np.int64 or classes.ndim != 1 or len(classes) < 2 or (np.diff(classes) <= 0).any():
        return "classes are not at least two whole numbers in rising order"
    if classes[0] < 0 or classes[-1] >= student["classes"]:
        return f"classes from {classes[0]} to {classes[-1]}; allowed is 0 to {student['classes'] - 1}"
    if student["kind"] == "logistic_regression":
        return _logistic_fault(tensors, features, len(classes))
    return _forest_fault(tensors, features, len(classes), student["model"]["trees"])


def _shapes_fault(tensors: dict[str, np.ndarray], expected: dict[str, tuple[type, tuple[int, ...]]]) -> str | None:
    for name, (dtype, shape) in expected.items():
        found = tensors[name]
        if found.dtype != dtype or found.shape != shape:
            return f"{name} is {found.dtype} of shape {found.shape}; allowed is {np.dtype(dtype)} of shape {shape}"
    return None


def _dense_fault(tensors: dict[str, np.ndarray], widths: list[int]) -> str | None:
    """Layers (out, in) and (out,), float32; widths: of the samples, the hidden layers and the classes."""
    if len(tensors) != 2 * (len(widths) - 1):
        return f"{len(tensors) // 2} layers; student.json tells of {len(widths) - 1}"
    shapes: dict[str, tuple[type, tuple[int, ...]]] = {}
    for layer, (width, out) in enumerate(itertools.pairwise(widths)):
        shapes |= {f"weight_{layer}": (np.float32, (out, width)), f"bias_{layer}": (np.float32, (out,))}
    return _shapes_fault(tensors, shapes)


def _dense_overflow(tensors: dict[str, np.ndarray], largest: float) -> str | None:
    """Say which layer may have sums beyond float32, for samples (divided by white) of at most `largest`."""
    for layer in range(len(tensors) // 2):
        weight, bias = (np.abs(tensors[f"{part}_{layer}"].astype(np.float64)) for part in ("weight", "bias"))
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float((weight.sum(axis=1) * largest + bias).max())
        if not largest < np.finfo(np.float32).max / 4:
            return f"weight_{layer} or bias_{layer} is so large that sums may overflow"
    return None


def _logistic_fault(tensors: dict[str, np.ndarray], features: int, classes: int) -> str | None:
    """One row a class, or one row for two classes."""
    rows = 1 if classes == 2 else classes
    shapes = {"mean": (features,), "scale": (features,), "coef": (rows, features), "intercept": (rows,)}
    if fault := _shapes_fault(tensors, {name: (np.float64, shape) for name, shape in shapes.items()}):
        return fault
    if not (tensors["scale"] > 0).all():
        return "scale is not positive"
    with np.errstate(over="ignore", invalid="ignore"):
        standardised = (_LARGEST + np.abs(tensors["mean"])) / tensors["scale"]
        scores = np.abs(tensors["coef"]) @ standardised + np.abs(tensors["intercept"])
    if np.isfinite(standardised).all() and (scores < np.finfo(np.float64).max / 4).all():
        return None
    return "mean, scale, coef or intercept is such that scores may overflow"


def _forest_fault(tensors: dict[str, np.ndarray], features: int, classes: int, count: int) -> str | None:
    """Every node but the roots is the child of one node before it in its own tree, so that each way down ends."""
    nodes = tensors["left"].shape
    if len(nodes) != 1 or not nodes[0]:
        return f"left is of shape {nodes}; allowed is (nodes,), at least one"
    shapes: dict[str, tuple[type, tuple[int, ...]]] = {name: (np.int64, nodes) for name in ("left", "right", "feature")}
    shapes |= {"root": (np.int64, (count,)), "threshold": (np.float64, nodes), "value": (np.float64, (*nodes, classes))}
    if fault := _shapes_fault(tensors, shapes):
        return fault
    root, left, right, value = (tensors[name] for name in ("root", "left", "right", "value"))
    if root[0] != 0 or (np.diff(root) <= 0).any() or root[-1] >= nodes[0]:
        return "root is not the first node of each tree in rising order from 0"
    leaf = left == -1
    if (leaf != (right == -1)).any():
        return "a node has one child"
    inner = np.flatnonzero(~leaf)
    children = np.concatenate([left[inner], right[inner]])
    own = np.repeat(np.arange(len(root)), np.diff([*root, nodes[0]]))  # the tree of each node
    if not np.array_equal(np.sort(children), np.setdiff1d(np.arange(nodes[0]), root)):
        return "its nodes are not each the child of one other, but for the roots"
    if (children <= np.tile(inner, 2)).any() or (own[children] != np.tile(own[inner], 2)).any():
        return "a node leads back, or into another tree"
    used = tensors["feature"][inner]
    if len(used) and (used.min() < 0 or used.max() >= features):
        return f"features from {used.min()} to {used.max()}; allowed is 0 to {features - 1}"
    if value.min() < 0 or (np.abs(value.sum(axis=1) - 1) > _ROUNDING).any():
        return "value holds what are no shares of the classes"
    return None


def names_fault(kind: str, names: set[str]) -> str | None:
    """Say what is wrong with the names of a kind's arrays; None if nothing is."""
    if kind == "dense":
        layers = {int(match[1]) for name in names if (match := re.fullmatch(r"weight_(\d+)", name))}
        expected = {f"{part}_{layer}" for layer in range(len(layers)) for part in ("weight", "bias")}
    else:
        expected = set({"random_forest": _FOREST, "logistic_regression": _LOGISTIC}[kind])
    if names == expected and names:
        return None
    return f"lacks {sorted(expected - names)}, has besides {sorted(names - expected)}"
