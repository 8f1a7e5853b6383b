"""The committed Tables 1 and 2 of Scalable PATE have the numbers that the paper prints for the published votes."""

from pathlib import Path

import pandas as pd

from tests.offenders import each

TABLES = Path(__file__).parents[2] / "docs" / "reproduction" / "scalable_pate"
TABLE1 = pd.read_csv(TABLES / "table1.csv").set_index(["dataset", "aggregator", "queries_made"])
TABLE2 = pd.read_csv(TABLES / "table2.csv").set_index("dataset")


def close(found: float, printed: str) -> bool:
    """Whether a value rounds to the printed one, give or take one in its last digit."""
    digits = len(printed.partition(".")[2])
    return abs(found - float(printed)) <= 1.01 * 10**-digits


@each(
    [
        ("MNIST", "confident_gnmax", 640, "1.999", "282.7"),
        ("SVHN", "confident_gnmax", 8500, "4.915", "2969.1"),
        ("Adult", "confident_gnmax", 1500, "1.678", "538.3"),
        ("SVHN", "lnmax_8_moments", 500, "5.041", "500"),
        ("SVHN", "lnmax_8_moments", 1000, "8.192", "1000"),
    ]
)
def test_table1_of_the_published_votes(dataset, aggregator, queries, epsilon, answered):
    row = TABLE1.loc[(dataset, aggregator, queries)]
    assert close(row["epsilon"], epsilon)
    assert close(row["queries_answered"], answered)


@each(
    [("MNIST", 14, "0.0329", "6.233"), ("SVHN", 7.5, "0.0533", "4.884"), ("Adult", 15.5, "0.0310", "7.915")],
)
def test_table2_of_the_published_votes(dataset, order, beta, sigma):
    row = TABLE2.loc[dataset]
    assert row["order"] == order
    assert close(row["beta"], beta)
    assert close(row["sigma_ss"], sigma)
