"""The one way functions are compiled here: without the interpreter's lock, kept on disk.

Compiling takes seconds, deciding over few instances milliseconds: while nothing is compiled yet,
Python itself runs such a decision. What was compiled is kept in a folder of its own for these
very sources, this numba and this Python, so that no edit and no other version meets it.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import os
import pickle
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite.binding import ffi
from numba import njit
from numba.core import caching
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from palacs.compiled._compiled_folder import (
    distrusted,
    folder,
    kept_functions,
    places,
    stamp,
)

Function = TypeVar("Function", bound=Callable[..., object])

# A decision over so many instances takes Python a second or so; compiling takes ten or twenty.
_FEW = 200
# After so many seconds in Python compiling pays off.
_PATIENCE = 2.0
# Loading what is kept takes a quarter of a second, which a single small decision need not wait for.
_BRIEF = 0.1

_waived: ContextVar[bool] = ContextVar("palacs_waived", default=False)
_insisted: ContextVar[bool] = ContextVar("palacs_insisted", default=False)
_since: ContextVar[float | None] = ContextVar("palacs_since", default=None)
_spent = [0.0]
_log = logging.getLogger("palacs.compiled")


def _number_apart() -> None:
    """Let numba number what it compiles from a place that no other process counts from.

    By its number alone numba tells functions apart that share a name and types, such as those
    that sort and those that argsort; every process counts from one. Kept by two processes and
    loaded by a third, one would be run for the other.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


def _hold() -> None:
    global_compiler_lock.acquire()
    ffi.lib._lock.__enter__()


def _let_go() -> None:
    ffi.lib._lock.__exit__(None, None, None)
    global_compiler_lock.release()


_number_apart()
if hasattr(os, "register_at_fork"):
    # A child has no thread that would ever finish what another began to compile or load.
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
    os.register_at_fork(after_in_child=_number_apart)


def compiled(function: Function) -> Function:
    """Compile a function of plain arrays, numbers and named tuples when it is first called.

    Examples
    --------
    >>> from palacs.ties import as_good  # a compiled function
    >>> as_good(0.1 + 0.2, 0.3)
    True
    """
    return _prepared(function, njit(nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a function of a few lines into those that call it, where a call would cost more."""
    return _prepared(function, njit(nogil=True, inline="always")(function))


@contextmanager
def without_compiling(n_instances: float) -> Iterator[None]:
    """Let Python run what nobody has compiled yet, if there are few instances to decide over.

    Its numbers agree with those of machine code within `palacs.ties.TIE`. After two seconds of
    it in a process, compiling is quicker.
    """
    token = _waived.set(n_instances <= _FEW)
    try:
        yield
    finally:
        _waived.reset(token)


@contextmanager
def insisting() -> Iterator[None]:
    """Compile whatever is called inside, to have it ready later."""
    token = _insisted.set(True)
    try:
        yield
    finally:
        _insisted.reset(token)


def _prepared(function: Function, dispatcher: Any) -> Function:
    if dispatcher is function:  # NUMBA_DISABLE_JIT
        return _by_python(function)
    if places():
        dispatcher._cache = _Kept(function)
    compile_for = dispatcher._compile_for_args

    def first_met(*args: Any, **named: Any) -> Any:
        # numba comes here when it meets types for which this process has no machine code.
        kept = _is_kept(dispatcher, args)
        if _python_will_do(_BRIEF if kept else _PATIENCE):
            return in_python
        if not kept:
            _say_once()
        return compile_for(*args, **named)

    by_python = _by_python(function)

    def in_python(*args: Any, **named: Any) -> Any:
        with _timed():
            return by_python(*args, **named)

    dispatcher._compile_for_args = first_met
    return cast(Function, dispatcher)


def _by_python(function: Function) -> Function:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        with np.errstate(all="ignore"):  # machine code does not warn either
            return function(*args, **named)

    return cast(Function, call)


@cache
def _say_once() -> None:
    place, left_alone = folder(), distrusted()
    if left_alone is not None:
        _log.warning(
            "NUMBA_CACHE_DIR=%s is left alone, since others may put machine code there", left_alone
        )
    kept = "and kept nowhere; see: palacs doctor" if place is None else f"once; kept in {place}"
    _log.info("compiling for this machine, which takes a while (%s)", kept)


def _python_will_do(patience: float) -> bool:
    if _insisted.get() or not _waived.get():
        return False
    since = _since.get()
    return _spent[0] + (0.0 if since is None else time.perf_counter() - since) < patience


@contextmanager
def _timed() -> Iterator[None]:
    """Add up what the outermost of nested calls take."""
    if _since.get() is not None:
        yield
        return
    since = time.perf_counter()
    token = _since.set(since)
    try:
        yield
    finally:
        _since.reset(token)
        _spent[0] += time.perf_counter() - since


class _Place(caching._CacheLocator):
    """Tells numba our folder, whose name says all that a stamp would."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._py_file = function.__code__.co_filename  # numba asks for it when it warns

    def get_cache_path(self) -> str:
        return str(places()[-1])

    def get_source_stamp(self) -> str:
        return stamp()

    def get_disambiguator(self) -> str:
        return f"{self._function.__module__}-{self._function.__code__.co_firstlineno}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        return cls(py_func)


class _Files(caching.CompileResultCacheImpl):
    _locator_classes = (_Place,)


class _Kept(caching.FunctionCache):
    """numba's cache with a file for each function and its types, written in one go.

    numba's own numbers its files in an index: of two processes that compile one function for
    different types at the same time, one could later find the machine code of the other.
    """

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._py_func.__module__.startswith("palacs."):
            # Ours need memory, and nothing else of what numba takes a while to get ready.
            rtsys.initialize(target_context)
        else:
            target_context.refresh()
        with suppress(OSError):
            digest, found = _halves(self.kept(sig, target_context.codegen()).read_bytes())
            # What is damaged would be run all the same.
            if digest == hashlib.sha256(found).digest():
                return self._impl.rebuild(target_context, pickle.loads(found))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._impl.check_cachable(data):
            return
        path = self._path(sig, data.codegen)
        draft = path.with_suffix(f".{secrets.token_hex(4)}.part")
        with suppress(OSError):  # one that cannot be written is only read
            made = caching.dumps(self._impl.reduce(data))
            draft.write_bytes(hashlib.sha256(made).digest() + made)
            os.replace(draft, path)

    def kept(self, sig: Any, codegen: Any) -> Path:
        """Return its file, where there is one."""
        path = self._path(sig, codegen)
        files = (place / path.name for place in places())
        return next((file for file in files if file.is_file()), path)

    def _path(self, sig: Any, codegen: Any) -> Path:
        key = hashlib.sha256(repr(self._index_key(sig, codegen)).encode()).hexdigest()[:16]
        return Path(self.cache_path) / f"{self._impl.filename_base}.{key}.nbc"


def _halves(file: bytes) -> tuple[bytes, bytes]:
    size = hashlib.sha256().digest_size
    return file[:size], file[size:]


def _is_kept(dispatcher: Any, args: tuple[Any, ...]) -> bool:
    """Tell whether there is machine code for these very types and this very processor."""
    cache = dispatcher._cache
    if not isinstance(cache, _Kept) or cache._impl.filename_base not in kept_functions():
        return False
    types = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    return cache.kept(types, dispatcher.targetctx.codegen()).is_file()
