"""Classifiers for small data, from scikit-learn."""

from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def make_classifier(settings: dict, seed: int) -> ClassifierMixin:
    """Return an untrained classifier by its `kind`.

    `random_forest` has `trees`; `logistic_regression` standardises features and has `iterations` at most.
    Raises ValueError for another kind.
    """
    if settings["kind"] == "random_forest":
        return RandomForestClassifier(n_estimators=settings["trees"], random_state=seed, n_jobs=1)
    if settings["kind"] == "logistic_regression":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=settings["iterations"], random_state=seed))
    raise ValueError(f"unknown classifier {settings['kind']!r}; allowed: random_forest, logistic_regression")
