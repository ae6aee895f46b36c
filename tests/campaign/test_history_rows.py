"""A part of the history is that part of the whole, and only that part is built."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from palacs.campaign import create_campaign, history_to_json


@pytest.mark.parametrize(
    "rows", [slice(-4, None), slice(0, 3), slice(3, 99), slice(-99, -2), slice(50, 60)], ids=str
)
@pytest.mark.parametrize("features", [False, True])
def test_some_rows_are_those_of_the_whole(rows: slice, features: bool) -> None:
    campaign = create_campaign("c", ["a", "b"], storage="memory", seed=0)
    for i in range(9):
        request = campaign.ask()
        if i % 3 == 2:
            campaign.fail(request, "lost")
        else:
            campaign.tell(request, np.full(2, float(i)), duration=1.0)
    whole = campaign.history(features=features)
    part = campaign.history(features=features, rows=rows)
    expected = whole[rows].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, expected, check_index_type=False)
    assert history_to_json(part) == history_to_json(whole)[rows]
    assert campaign.history_length() == len(whole) == 9
