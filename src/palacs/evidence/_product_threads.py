"""Threads that each take one in matrix products, for as long as anybody works in such threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any


class _Products:
    """How many threads matrix products take: a number of the whole process.

    Of decisions that are made at the same time the last to end gives back what the first found;
    if each gave back what itself found, products would be left with one thread for ever.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside, self.n = 0, 1
        self.limiter: Any = None

    def limit(self) -> int:
        """Have them take one thread; return how many they took before."""
        from threadpoolctl import ThreadpoolController  # few decisions need it

        with self.lock:
            if self.inside == 0:
                libraries = ThreadpoolController().select(user_api="blas")
                self.n = max((each["num_threads"] for each in libraries.info()), default=1)
                self.limiter = libraries.limit(limits=1)
            self.inside += 1
            return self.n

    def give_back(self) -> None:
        """Have them take as many as before, once nobody needs the limit."""
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                self.limiter.restore_original_limits()


_products = _Products()


def _renew() -> None:
    global _products
    _products = _Products()


if hasattr(os, "register_at_fork"):
    # A child has no thread that would ever let go of the lock.
    os.register_at_fork(after_in_child=_renew)


@contextmanager
def threads_of_one_product_each() -> Iterator[ThreadPoolExecutor]:
    """Yield threads, as many as matrix products would take, each of which then takes one."""
    products = _products
    n = products.limit()
    try:
        with ThreadPoolExecutor(n) as threads:
            yield threads
    finally:
        products.give_back()
