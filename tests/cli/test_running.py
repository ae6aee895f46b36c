"""What commands that take long share: one way to fail, with the remedy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import typer

from palacs.cli._running import reporting


@pytest.mark.parametrize(
    ("code", "place", "told"),
    [
        (errno.ENOSPC, None, "cannot write to comparison/my: "),
        (errno.EACCES, "comparison", "cannot write to comparison/my: "),
        (errno.EACCES, "comparison/my/unfinished/0.tmp", "cannot write to comparison/my: "),
        (errno.EACCES, "my.csv", "my.csv"),
    ],
)
def test_a_folder_that_cannot_be_written_to_is_told_with_a_remedy(
    code: int, place: str | None, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), reporting(Path("comparison/my")):
        raise OSError(code, os.strerror(code), place)
    said = capsys.readouterr().err
    assert told in said
    assert ("--out" in said) == (place != "my.csv")
