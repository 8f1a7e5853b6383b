"""Which students a release can hold."""

# The kind of its weights by the kind of a student.
KINDS = {"random_forest": "random_forest", "logistic_regression": "logistic_regression", "gan": "dense"}
