"""The door: `Strategy.query` for instances that lie on a cluster.

Labels, candidates, pending requests, conditions and ties are the business of `Strategy`, which here
gets the numbers of the rows in place of their features; utilities are made where those lie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from distributed import Client, default_client

from palacs.checks import Codes
from palacs.classifier import ParzenWindowClassifier
from palacs.cluster._shard_evidence import sharded_evidence
from palacs.cluster._shard_gains import sharded_gains
from palacs.cluster._shards import Shards, shards_of
from palacs.conditions import ClassConditions
from palacs.evidence import (
    MANY,
    LabelledSet,
    default_model,
    halve,
    prior_of_evidence,
    select_of_many,
)
from palacs.strategies import PALACS, SpareSettled, Strategy, Utilities
from palacs.stream import Stream


def query(
    strategy: Strategy,
    X: Any,
    y: npt.ArrayLike,
    *,
    client: Client | None = None,
    scale: bool = False,
    **asked: Any,
) -> Any:
    """Say which classes to request next, given instances on the workers of a Dask cluster.

    The class is that of one machine in double precision; but where that takes a quick look at
    more than 2,000 classes first, all are looked at here. Workers need palacs of this version. Dask
    makes again what a worker that dies had, where the array says how; else there is an error.

    Parameters
    ----------
    strategy : SpareSettled or PALACS
        With the Parzen window as the model; PAL-ACS by Monte Carlo.
    X : dask.array.Array of shape (n, n_features)
        The instances in the order of acquisition, in chunks of rows: each chunk lies on one
        worker. Persist it where decisions follow each other.
    y : array-like of shape (n,)
        Their classes. They lie here, with 16 bytes for every instance.
    client : distributed.Client or None, default=None
        None takes the one in use.
    scale : bool, default=False
    **asked
        What else `Strategy.query` takes: ``classes``, ``candidates``, ``pending``, ``batch_size``,
        ``return_utilities``, ... PAL-ACS takes limits alone as ``conditions``.

    Returns
    -------
    labels : ndarray of shape (batch_size,)
    utilities : ndarray of shape (n_classes,)
        Only with ``return_utilities``.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from palacs import SpareSettled
    >>> from palacs.cluster import query
    >>> X = da.from_array([[0.1], [0.12], [0.14], [0.70], [0.76], [0.82]], chunks=(2, -1))
    >>> y = ["rest"] * 3 + ["left"] * 3
    >>> strategy = SpareSettled(random_state=0)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     query(strategy, X, y, client=client) == strategy.query(X.compute(), y)
    array([ True])
    """
    decides = _decider(strategy)
    client = default_client() if client is None else client
    shards = shards_of(client, X, scale=scale)
    numbers = np.arange(len(shards), dtype=np.float64)[:, None]
    return _OnCluster(decides, shards).query(numbers, y, **asked)


def _decider(strategy: Strategy) -> SpareSettled | PALACS:
    strategy._validate_params()
    if type(strategy) is SpareSettled and type(_model_of(strategy)) is ParzenWindowClassifier:
        return strategy
    if type(strategy) is PALACS and strategy.sampling == "monte-carlo" and not strategy.classifier:
        return strategy
    raise ValueError(
        f"{strategy!r} does not decide on a cluster; use SpareSettled() or PALACS() there, with "
        "the Parzen window as the model and sampling by Monte Carlo."
    )


def _model_of(strategy: SpareSettled) -> Any:
    return default_model() if strategy.classifier is None else strategy.classifier


class _OnCluster(Strategy):
    """A strategy whose labelled set holds the numbers of rows on a cluster."""

    def __init__(self, strategy: SpareSettled | PALACS, shards: Shards) -> None:
        self.strategy = strategy
        self.shards = shards
        self.random_state = strategy.random_state

    def _validate_params(self) -> None:
        """Leave it to the strategy, which has been asked."""

    def _check_conditions(self, conditions: ClassConditions, n_classes: int) -> None:
        if conditions.weighing and isinstance(self.strategy, PALACS):
            raise ValueError(
                "on a cluster PAL-ACS takes limits alone as conditions; use SpareSettled() where "
                "classes or mistakes differ in cost or frequency."
            )
        self.strategy._check_conditions(conditions, n_classes)

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return the strategy's utilities, shape (n_classes,)."""
        if isinstance(self.strategy, PALACS):
            shards = self.shards.labelled(_rows(labelled), labelled.y)
            return sharded_gains(self.strategy, shards, labelled, stream)
        model = _model_of(self.strategy)
        model._validate_params()
        rows, steady_rows = _rows(labelled), None
        known = halve(labelled.y, labelled.counts, stream)
        if len(labelled) > MANY:
            some = select_of_many(labelled)
            rows, known, steady_rows = rows[some.places], some.known, some.width_rows
        parzen = (model.bandwidth, prior_of_evidence(model, labelled))
        shards = self.shards.labelled(rows, known.y)
        evidence = sharded_evidence(shards, known, parzen, steady_rows)
        return self.strategy.utilities_by(evidence, labelled)


def _rows(labelled: LabelledSet) -> Codes:
    rows: Codes = labelled.X[:, 0].astype(np.int64)
    return rows
