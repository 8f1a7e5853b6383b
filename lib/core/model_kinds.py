"""Kinds of models by what they learn from: their `kind` in a configuration, which imports nothing."""

CLASSIFIERS = ("random_forest", "logistic_regression")  # of labelled samples
SUPERVISED = ("mlp", "teacher_cnn", "teacher_resnet")  # networks, of labelled samples alone
SEMI_SUPERVISED = ("gan", "vat")  # networks, of unlabelled ones, too
NETWORKS = (*SUPERVISED, *SEMI_SUPERVISED)
TEACHERS = (*CLASSIFIERS, *SUPERVISED)
