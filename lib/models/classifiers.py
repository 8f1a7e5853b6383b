"""Classifiers for small data, from scikit-learn."""

from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def make_classifier(name: str, seed: int) -> ClassifierMixin:
    """An untrained classifier: `random_forest` (100 trees) or `logistic_regression` (on standardised features)."""
    if name == "random_forest":
        return RandomForestClassifier(n_estimators=100, random_state=seed, n_jobs=1)
    if name == "logistic_regression":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    raise ValueError(f"unknown classifier {name!r}; allowed: random_forest, logistic_regression")
