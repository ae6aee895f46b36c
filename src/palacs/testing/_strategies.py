"""The contract of a strategy: one function per promise, run on small, seeded labelled sets.

`check_strategy` runs all of them; `strategy_checks` lists them, one pytest case each. A broken
promise is an AssertionError that names the check. The promises of the answer are here, those
about the data a strategy must cope with in `_strategies_data`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from palacs.compiled import insisting
from palacs.strategies import Strategy
from palacs.testing._strategies_data import DATA_CHECKS
from palacs.testing._subject import SEEDS, Subject, same_answer, three_classes

StrategyCheck = Callable[[Strategy | Callable[[Any], Strategy]], None]


def check_strategy(strategy: Strategy | Callable[[Any], Strategy]) -> None:
    """Run every check of the contract.

    Parameters
    ----------
    strategy : Strategy or callable
        A strategy; it is cloned, and the clones get seeds. Where the parameters depend on the
        classes: a function that takes the class labels, shape (n_classes,), and returns one.

    Raises
    ------
    AssertionError
        Names the first promise that is broken.

    Examples
    --------
    >>> from palacs import ProportionalSelection
    >>> from palacs.testing import check_strategy
    >>> check_strategy(lambda classes: ProportionalSelection(range(1, len(classes) + 1)))
    """
    for check in strategy_checks():
        check(strategy)


def strategy_checks() -> list[StrategyCheck]:
    """List the checks, each a function of what `check_strategy` takes.

    Examples
    --------
    With pytest, one case for each promise::

        @pytest.mark.parametrize("check", strategy_checks(), ids=lambda check: check.__name__)
        def test_my_strategy_keeps_the_contract(check):
            check(MyStrategy())

    >>> from palacs.testing import strategy_checks
    >>> strategy_checks()[0].__name__
    'check_parameters_are_only_assigned'
    """
    return [_named(check) for check in (*_ANSWER_CHECKS, *DATA_CHECKS)]


def _named(check: Callable[[Subject], None]) -> StrategyCheck:
    def run(strategy: Strategy | Callable[[Any], Strategy]) -> None:
        try:
            # Or Python might give one answer and machine code the next, alike but for last digits.
            with insisting():
                check(Subject(strategy))
        except Exception as error:
            raise AssertionError(f"{check.__name__}: {type(error).__name__}: {error}") from error

    run.__name__ = run.__qualname__ = check.__name__
    run.__doc__ = check.__doc__
    return run


def check_parameters_are_only_assigned(subject: Subject) -> None:
    """Check that ``__init__`` assigns its parameters and nothing else, so that clone works."""
    strategy = subject.make(["a", "b", "c"], seed=0)
    params = strategy.get_params(deep=False)
    assert "random_state" in params, "__init__ takes no random_state, so no answer can be repeated"
    assert set(vars(strategy)) == set(params), (
        f"__init__ sets {sorted(set(vars(strategy)) ^ set(params))} beyond its parameters"
    )
    for name, value in type(strategy)(**params).get_params(deep=False).items():
        assert value is params[name], f"__init__ changes the parameter {name}"
    copy = clone(strategy)
    assert type(copy) is type(strategy)
    assert set(copy.get_params(deep=False)) == set(params)
    X, y = three_classes()
    assert same_answer(copy, strategy, X, y), "a clone answers differently"


def check_same_seed_same_answer(subject: Subject) -> None:
    """Check that the answer follows from the labelled set and the seed, in any process."""
    X, y = three_classes()
    for seed in SEEDS:
        first, second = subject.make(np.unique(y), seed), subject.make(np.unique(y), seed)
        assert same_answer(first, second, X, y), f"two answers with random_state={seed} differ"
        thawed = pickle.loads(pickle.dumps(first))
        assert same_answer(first, thawed, X, y), "a pickled copy answers differently"


def check_global_random_numbers_are_left_alone(subject: Subject) -> None:
    """Check that with an integer seed, NumPy's global random numbers are neither used nor moved."""
    X, y = three_classes()
    strategy = subject.make(np.unique(y), seed=0)
    # NumPy's global generator on purpose: a strategy must not depend on it.
    outer = np.random.get_state()  # noqa: NPY002
    answers, draws = [], []
    try:
        for seed in (1, 2):
            np.random.seed(seed)  # noqa: NPY002
            answers.append(strategy.query(X, y, batch_size=3))
            draws.append(np.random.random())  # noqa: NPY002
    finally:
        np.random.set_state(outer)  # noqa: NPY002
    assert np.array_equal(answers[0], answers[1]), "the answer depends on numpy.random.seed"
    untouched = [np.random.RandomState(seed).random_sample() for seed in (1, 2)]
    assert draws == untouched, "the strategy drew from numpy.random"


def check_nothing_is_remembered(subject: Subject) -> None:
    """Check that a strategy asked again, also after other questions, gives the same answer."""
    X, y = three_classes()
    strategy = subject.make(np.unique(y), seed=3)
    first = strategy.query(X, y, batch_size=3, return_utilities=True)
    strategy.query(X[:-4], y[:-4], classes=np.unique(y))
    again = strategy.query(X, y, batch_size=3, return_utilities=True)
    assert np.array_equal(first[0], again[0]), f"first {first[0]}, asked again {again[0]}"
    assert np.array_equal(first[1], again[1]), f"first {first[1]}, asked again {again[1]}"


def check_seeds_matter_where_chance_decides(subject: Subject) -> None:
    """Check that seeds give different orders of unseen classes, and seeds of any type work."""
    classes = [f"class {i}" for i in range(20)]
    orders = {
        tuple(subject.make(classes, seed).query([], [], classes=classes, batch_size=20).tolist())
        for seed in SEEDS
    }
    assert len(orders) > 1, f"the seeds {SEEDS} all give the order {orders}"
    X, y = three_classes()
    for random_state in (None, np.random.RandomState(0), np.int64(4)):
        assert subject.make(np.unique(y), random_state).query(X, y)[0] in y


def check_input_is_not_changed(subject: Subject) -> None:
    """Check that neither the labelled set nor the lists of labels are written to."""
    X, y = three_classes()
    given: dict[str, Any] = {
        "X": X,
        "y": y,
        "classes": np.array(["c", "a", "b"]),
        "candidates": np.array(["b", "c"]),
        "pending": np.array(["b"]),
    }
    kept = {name: array.copy() for name, array in given.items()}
    subject.make(given["classes"], seed=0).query(**given, batch_size=3)
    for name, array in given.items():
        assert np.array_equal(array, kept[name]), f"query changed {name}"
    for array in given.values():
        array.flags.writeable = False
    subject.make(given["classes"], seed=0).query(**given, batch_size=3)


def check_labels_are_names_only(subject: Subject) -> None:
    """Check that text, numbers, objects and lists as labels give the same answer."""
    X, y = three_classes()
    numbers = np.searchsorted(["a", "b", "c"], y)
    forms: list[tuple[Any, Any]] = [
        (y, ["a", "b", "c"]),
        (y.tolist(), None),
        (y.astype(object), ["a", "b", "c"]),
        (numbers, None),
        (numbers * 10 - 7, [-7, 3, 13]),
        (np.array(["z", "m", "d"])[numbers], ["z", "m", "d"]),
    ]
    answers = []
    for labels, classes in forms:
        known = np.unique(labels) if classes is None else np.asarray(classes)
        picks, utilities = subject.make(known, seed=0).query(
            X.tolist(), labels, classes=classes, batch_size=4, return_utilities=True
        )
        assert set(picks.tolist()) <= set(known.tolist()), f"{picks} are not all among {known}"
        answers.append(([known.tolist().index(pick) for pick in picks.tolist()], utilities))
    for (places, utilities), (labels, _) in zip(answers, forms, strict=True):
        assert places == answers[0][0], f"other picks where the labels are {labels[:3]}..."
        np.testing.assert_allclose(utilities, answers[0][1], rtol=1e-12)


def check_utilities_describe_the_pick(subject: Subject) -> None:
    """Check that utilities are finite, one per class, and that the pick follows from them."""
    X, y = three_classes()
    for seed in SEEDS:
        strategy = subject.make(np.unique(y), seed)
        picks, utilities = strategy.query(X, y, return_utilities=True)
        assert utilities.shape == (3,), f"utilities have shape {utilities.shape}, not (3,)"
        assert np.isfinite(utilities).all(), f"utilities are {utilities}"
        assert np.array_equal(strategy.query(X, y), picks), "return_utilities changes the pick"
        chosen = utilities[np.searchsorted(["a", "b", "c"], picks[0])]
        if strategy.drawn:
            assert (utilities >= 0).all(), f"drawn by negative utilities {utilities}"
            assert chosen > 0, f"{picks[0]} was drawn with utility {chosen}"
        else:
            assert chosen == utilities.max(), f"{picks[0]} was picked, utilities are {utilities}"


def check_only_candidates_are_requested(subject: Subject) -> None:
    """Check that only candidates are picked; all other classes have the utility NaN."""
    X, y = three_classes()
    for candidates in (["b"], ["c", "a"], ["a", "b", "c"]):
        allowed = np.isin(["a", "b", "c"], candidates)
        for seed in SEEDS:
            picks, utilities = subject.make(np.unique(y), seed).query(
                X, y, candidates=candidates, batch_size=4, return_utilities=True
            )
            assert set(picks.tolist()) <= set(candidates), f"{picks} for candidates {candidates}"
            assert np.array_equal(np.isnan(utilities), ~allowed), (
                f"utilities {utilities} for candidates {candidates} of a, b, c"
            )


def check_batches_count_each_pick_as_pending(subject: Subject) -> None:
    """Check that a batch is what asking one by one gives, with every earlier pick pending."""
    X, y = three_classes()
    for seed in SEEDS:
        strategy = subject.make(np.unique(y), seed)
        batch = strategy.query(X, y, pending=["a"], batch_size=5)
        assert batch.shape == (5,), f"a batch of 5 has shape {batch.shape}"
        pending = ["a"]
        for pick in batch.tolist():
            alone = strategy.query(X, y, pending=pending)
            assert alone.shape == (1,), f"a batch of 1 has shape {alone.shape}"
            assert alone[0] == pick, f"{alone[0]} alone, {pick} in the batch {batch}"
            pending.append(pick)


def check_unseen_classes_come_first(subject: Subject) -> None:
    """Check that every class is requested once before any is requested twice, from nothing on."""
    classes = ["b", "d", "a", "c"]
    nothing: tuple[Any, ...] = ([], np.zeros((0, 2)))
    for empty in nothing:
        picks, utilities = subject.make(classes, seed=1).query(
            empty, [], classes=classes, batch_size=4, return_utilities=True
        )
        assert sorted(picks.tolist()) == sorted(classes), f"from nothing: {picks}"
        assert np.isposinf(utilities).all(), f"utilities of unseen classes are {utilities}"
    X, y = three_classes()
    for seed in SEEDS:
        strategy = subject.make(classes, seed)
        picks, utilities = strategy.query(X, y, classes=classes, return_utilities=True)
        assert picks.tolist() == ["d"], f"{picks} although d has no instance"
        assert np.array_equal(np.isposinf(utilities), [False, True, False, False])
        later = strategy.query(X, y, classes=classes, pending=["d"], batch_size=2)
        assert set(later.tolist()) <= set(classes)
        spared = strategy.query(X, y, classes=classes, candidates=["a", "b"])
        assert spared[0] in ("a", "b")


def check_pending_without_instances(subject: Subject) -> None:
    """Check that where every class is under way and none has arrived, requests are spread."""
    classes = ["a", "b", "c"]
    for seed in SEEDS:
        picks, utilities = subject.make(classes, seed).query(
            [], [], classes=classes, pending=["a", "b", "c", "a", "b"], return_utilities=True
        )
        assert picks[0] in classes
        assert np.isfinite(utilities).all(), f"utilities are {utilities}"
        assert utilities.argmax() == 2, f"{utilities}: c is under way the least often"


_ANSWER_CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_parameters_are_only_assigned,
    check_same_seed_same_answer,
    check_global_random_numbers_are_left_alone,
    check_nothing_is_remembered,
    check_seeds_matter_where_chance_decides,
    check_input_is_not_changed,
    check_labels_are_names_only,
    check_utilities_describe_the_pick,
    check_only_candidates_are_requested,
    check_batches_count_each_pick_as_pending,
    check_unseen_classes_come_first,
    check_pending_without_instances,
)
