"""Every storage keeps the same promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from palacs.storage import Storage, open_storage
from palacs.testing._storages import STORAGE_CHECKS


@pytest.mark.parametrize("check", STORAGE_CHECKS, ids=lambda check: check.__name__)
def test_storage_keeps_its_contract(check: Callable[[Storage], None], any_url: str) -> None:
    with open_storage(any_url, create=True) as storage:
        check(storage)
