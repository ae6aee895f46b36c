"""A Parquet file is written in pieces, the first of which need not have every kind of row."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from palacs.campaign._export import write_parquet_pieces


def test_columns_of_text_may_begin_with_nothing(tmp_path: Path) -> None:
    # A thousand instances that were brought along come before the first request.
    none = [float("nan")]
    brought = pd.DataFrame({"id": ["u1"], "request_id": none, "attrs.by": none, "x0": [1.5]})
    asked = pd.DataFrame({"id": ["r1"], "request_id": ["r1-abcd"], "attrs.by": ["me"], "x0": [2.5]})
    write_parquet_pieces(iter([brought, asked]), tmp_path / "c.parquet")
    read = pd.read_parquet(tmp_path / "c.parquet")
    assert read["request_id"].tolist()[1] == "r1-abcd"
    assert read["attrs.by"].tolist()[1] == "me"
    assert read["x0"].tolist() == [1.5, 2.5]
