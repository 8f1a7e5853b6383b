"""Figures show what was measured as measured, what was computed as computed, and what the papers print."""

import pytest

from lib.attacks.summary import attack_named
from lib.plan.config import ROOT
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from scripts import (
    autoencoded_pate_noise,
    leaderboard,
    residual_perturbation_noise,
    residual_perturbation_roc,
    residual_perturbation_tradeoff,
    scalable_pate_fig1,
)

DOCS = ROOT / "docs" / "reproduction"


def crosses(axis) -> list[list[list[float]]]:
    """Where an axis marks what a paper prints."""
    return [line.get_xydata().tolist() for line in axis.lines if line.get_marker() == "x"]


def test_no_line_joins_students_between_which_nothing_was_measured():
    students = read_table(DOCS / "scalable_pate" / "fig1.csv")
    with plotting.figure() as (_, (axis,)):
        scalable_pate_fig1.draw_students(axis, students)
        measured = [container.lines[0] for container in axis.containers]
        assert {line.get_linestyle() for line in measured} == {"None"}
        assert sum(len(line.get_xdata()) for line in measured) == len(students)
        paper = [line for line in axis.lines if "paper" in str(line.get_label())]
        assert len(paper) == 2 and all(len(line.get_xdata()) > 20 for line in paper)


def test_what_more_teachers_would_pay_looks_computed():
    table = read_table(DOCS / "autoencoded_pate" / "noise.csv")
    noisy = table[(table["noise"] > 0) & (table["main_encoder"] == "yes") & (table["dataset"] == "brain phantom")]
    with plotting.figure() as (_, (axis,)):
        autoencoded_pate_noise.costs(axis, noisy, autoencoded_pate_noise.look_of(0))
        (measured,) = axis.containers
        assert measured.lines[0].get_xdata().tolist() == noisy["epsilon_8"].tolist()
        computed = [line for line in axis.lines if line.get_linestyle() == "--"]
        assert [line.get_xdata().tolist() for line in computed] == [
            noisy[f"epsilon_{teachers}"].tolist() for teachers in (100, 1000)
        ]
        assert {line.get_marker() for line in computed} == {"None"}
        assert crosses(axis) == [[[8.0, 0.561]]]


@pytest.mark.parametrize(
    "figure, printed",
    [
        ("fig3", [[0, 0.563], [0.2, 0.495]]),  # on IDC, for which the patches are a substitute
        ("fig5", [[0, 0.903], [3.25, 0.515]]),  # Table IV
        ("fig11", [[0, 0.903]]),
        ("fig9", []),
    ],
)
def test_attacks_stand_beside_what_the_paper_prints_at_every_coefficient_that_was_trained(figure, printed):
    table = read_table(DOCS / "residual_perturbation" / f"{figure}.csv")
    with plotting.figure(1, 3) as (_, axes):
        residual_perturbation_noise.draw_by_noise(axes, table)
        (cross,) = crosses(axes[0]) or [[]]
        assert sorted(cross) == printed
        shown = residual_perturbation_noise.plain_and_largest(table)
        shown = shown[~shown["attack"].str.startswith("plain")]
        attacks = {container.get_label().partition(" (")[0]: container.lines[0] for container in axes[0].containers}
        assert list(attacks) == [attack_named(attack) for attack in shown["attack"].unique()] and len(attacks) == 3
        for attack, own in shown.sort_values("gamma").groupby("attack"):
            assert attacks[attack_named(attack)].get_ydata().tolist() == own["auc"].tolist()
        assert axes[0].containers[0].lines[0].get_xdata().tolist() == sorted(set(table["gamma"]))


@pytest.mark.parametrize("board", ["leaderboard", "leaderboard_mnist"])
def test_the_leaderboard_has_at_most_eight_marks(board, tmp_path):
    table = read_table(DOCS / board / "leaderboard.csv")
    lines = leaderboard.lines_of(table)
    assert len(lines) + 2 <= 8  # with public data and guessing
    for line, methods in leaderboard.LINES.items():
        for budget, own in table[table["method"].isin(methods)].groupby("budget"):
            assert lines[line]["accuracy"][lines[line]["budget"] == budget].tolist() == [own["accuracy"].max()]


@pytest.mark.parametrize(
    "draw, table",
    [
        (residual_perturbation_tradeoff.draw, "residual_perturbation/tradeoff"),
        (lambda table: residual_perturbation_roc.draw(None, table), "residual_perturbation/fig7_comparison"),
        (lambda table: residual_perturbation_roc.draw(None, table), "residual_perturbation/fig12_comparison"),
        (autoencoded_pate_noise.draw, "autoencoded_pate/noise"),
    ],
)
def test_labels_lie_on_no_other_label_on_no_bar_and_inside_their_axis(draw, table, monkeypatch):
    offenders, seen = [], []

    def save(drawn) -> None:
        drawn.canvas.draw()
        for axis in drawn.axes:
            texts = [text for text in axis.texts if text.get_text()]
            boxes = [text.get_window_extent() for text in texts]
            seen.extend(boxes)
            left = axis.get_window_extent().x0
            offenders.extend(text.get_text() for text, box in zip(texts, boxes, strict=True) if box.x0 < left)
            pairs = [(i, j) for j in range(len(texts)) for i in range(j) if boxes[i].overlaps(boxes[j])]
            offenders.extend((texts[i].get_text(), texts[j].get_text()) for i, j in pairs)
            upright = [bar for container in axis.containers for bar in container.lines[2] if "teachers" in str(texts)]
            for segment in (part for bar in upright for part in bar.get_segments()):
                (x, low), (_, high) = axis.transData.transform(segment)
                offenders.extend(
                    text.get_text()
                    for text, box in zip(texts, boxes, strict=True)
                    if box.x0 < x < box.x1 and low < box.y1 and box.y0 < high
                )

    monkeypatch.setattr(plotting, "save", save)
    draw(read_table(DOCS / f"{table}.csv"))
    assert seen and not offenders
