import numpy as np
import pandas as pd
import pytest

from palacs import plots
from palacs.plots._ranks import nemenyi_distance

ERRORS = pd.DataFrame(
    {
        "Good": [0.1, 0.1, 0.1, 0.2] * 6,
        "Fair": [0.2, 0.2, 0.2, 0.1] * 6,
        "Poor": [0.3, 0.4, 0.5, 0.6] * 6,
    }
)


def test_strategies_stand_at_their_mean_ranks_the_best_first():
    ax = plots.critical_difference(ERRORS).axes[0]
    words = [text.get_text() for text in ax.texts]
    for label in ("Good  1.25", "Fair  1.75", "Poor  3.00"):
        assert label in words
    lines = {line.get_label(): line for line in ax.lines}
    assert np.asarray(lines["Good"].get_xdata())[0] == pytest.approx(1.25)
    assert lines["Good"].get_color() == plots.strategy_color("Good")


def test_a_bar_joins_only_what_does_not_differ_significantly():
    ax = plots.critical_difference(ERRORS).axes[0]
    bars = [np.asarray(line.get_xdata()) for line in ax.lines if line.get_label() == "_joined"]
    assert len(bars) == 1
    assert bars[0][0] < 1.25
    assert 1.75 < bars[0][1] < 3.0


def test_nothing_is_joined_where_all_differ():
    many = pd.concat([ERRORS] * 20, ignore_index=True)
    ax = plots.critical_difference(many).axes[0]
    assert not [line for line in ax.lines if line.get_label() == "_joined"]


def test_equal_errors_share_their_rank():
    tied = pd.DataFrame({"One": [0.1, 0.2], "Other": [0.1, 0.2]})
    words = [text.get_text() for text in plots.critical_difference(tied).axes[0].texts]
    assert {"One  1.50", "Other  1.50"} <= set(words)


def test_the_critical_difference_is_the_tables():
    # Demšar, 2006: q = 2.569 for four and 2.850 for six classifiers.
    assert nemenyi_distance(4, 14) == pytest.approx(2.569 * (4 * 5 / (6 * 14)) ** 0.5, rel=1e-3)
    assert nemenyi_distance(6, 30) == pytest.approx(2.850 * (6 * 7 / (6 * 30)) ** 0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (ERRORS[["Good"]], "1 columns; ranks need at least two"),
        (ERRORS[:1], "1 rows and 3 columns"),
        (ERRORS.where(ERRORS < 0.5), "empty cells"),
    ],
)
def test_what_cannot_be_ranked_is_refused(errors, message):
    with pytest.raises(ValueError, match=message):
        plots.critical_difference(errors)
