"""The weights of scikit-learn's classifiers as named arrays, apart from what reads them: that needs no scikit-learn."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier


def classifier_weights(model: ClassifierMixin) -> dict[str, np.ndarray]:
    """Weights of a fitted classifier of `lib.models.classifiers`.

    A forest's trees lie one after another: root (T,) first node of each; left, right (N,) children, -1 in a leaf;
    feature (N,), threshold (N,) float64; value (N, classes) shares of the classes.
    """
    if isinstance(model, RandomForestClassifier):
        trees = [estimator.tree_ for estimator in model.estimators_]
        root = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
        children = {
            side: np.concatenate(
                [
                    np.where(found >= 0, found + start, -1)
                    for start, found in zip(root, (getattr(tree, f"children_{side}") for tree in trees), strict=True)
                ]
            )
            for side in ("left", "right")
        }
        stacked = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "threshold")}
        value = np.concatenate([tree.value[:, 0] for tree in trees])
        return {"root": root, **children, **stacked, "value": value, "classes": model.classes_}
    scaler, linear = model[0], model[-1]
    return {
        "mean": scaler.mean_,
        "scale": scaler.scale_,
        "coef": linear.coef_,
        "intercept": linear.intercept_,
        "classes": linear.classes_,
    }
