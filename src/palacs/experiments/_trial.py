"""One trial: a strategy plays one split to the end of its budget.

A trial is a pure function of (split, strategy, classifier, seed). The paper's strategies run in
a compiled loop; any other strategy or classifier runs step by step, by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palacs.checks import Codes, Features
from palacs.classifier import ParzenWindowClassifier, prior_or_none
from palacs.conditions import Conditions
from palacs.evidence import MANY
from palacs.experiments._judge import make_judge
from palacs.experiments._replay import CompiledSplit, compiled_form_of, replay
from palacs.experiments._split import Split
from palacs.strategies import Strategy, as_number
from palacs.stream import seed_of


@dataclass(frozen=True)
class Trial:
    """What happened in one trial.

    Attributes
    ----------
    requested : ndarray of shape (budget,)
        Code of the class requested at each acquisition; the first instance of every class,
        given before, is not counted.
    errors : ndarray of shape (budget,)
        Error rate on the test set after each acquisition.
    """

    requested: Codes
    errors: Features


@dataclass(frozen=True)
class TrialRules:
    """Under which conditions and in which batches a trial is played.

    Parameters
    ----------
    conditions : Conditions or None
        By class codes. The model is judged by them.
    blind : bool
        Whether the strategy knows the limits only.
    batch_size : int
        How many classes are requested at a time.
    """

    conditions: Conditions | None = None
    blind: bool = False
    batch_size: int = 1


def run_trial(
    split: Split,
    strategy: Strategy,
    classifier: Any,
    budget: int,
    *,
    refill: bool = False,
    fused: bool = True,
    rules: TrialRules | None = None,
) -> Trial:
    """Play one trial.

    Parameters
    ----------
    split : Split
    strategy : Strategy
        With an integer ``random_state``, the trial's seed.
    classifier : scikit-learn classifier
        What is judged after every acquisition.
    budget : int
        Acquisitions after the first instance of every class.
    refill : bool, default=False
        Whether a class whose instances ran out yields them again from the first. Otherwise it
        is no candidate any more.
    fused : bool, default=True
        False asks the strategy step by step even where a compiled loop exists.
    rules : TrialRules or None, default=None
        Conditions and batches; None is the paper's: none, one by one.

    Returns
    -------
    trial : Trial

    Raises
    ------
    ValueError
        If the split has too few instances for the budget.
    """
    check_supply(split, budget, refill)
    strategy._validate_params()
    parzen = type(classifier) is ParzenWindowClassifier
    if parzen:
        classifier._validate_params()
    rules = rules or TrialRules()
    as_in_paper = rules.conditions is None and rules.batch_size == 1
    # Of more instances strategies look at a selection, which the compiled loops do not.
    usable = fused and parzen and as_in_paper and split.n_classes + budget <= MANY
    form = compiled_form_of(strategy, split.X.shape[1]) if usable else None
    if form is None:
        return _step_by_step(split, strategy, classifier, budget, refill, rules)
    requested, errors = replay(
        CompiledSplit(split.X, split.first, split.start, split.X_test, split.y_test),
        (form, strategy.drawn),
        (
            as_number(classifier.bandwidth),
            classifier.nothing_near == "nearest",
            prior_or_none(classifier, split.n_classes),
        ),
        (budget, refill),
        seed_of(strategy.random_state),
    )
    return Trial(requested, errors)


def check_supply(split: Split, budget: int, refill: bool) -> None:
    """Refuse a split that cannot serve a trial to the end."""
    if split.queue_sizes.min() < 1:
        raise ValueError(
            f"no instance of class number {int(split.queue_sizes.argmin())} is left to train on "
            "after splitting; test on fewer instances, or divide the data into more groups."
        )
    left = len(split.X) - split.n_classes
    if budget > left and not refill:
        raise ValueError(
            f"a budget of {budget} is more than the {left} instances that are left after "
            f"splitting and starting; use a budget of at most {left}."
        )


def _step_by_step(
    split: Split, strategy: Strategy, classifier: Any, budget: int, refill: bool, rules: TrialRules
) -> Trial:
    n_classes = split.n_classes
    judge = make_judge(split, classifier, n_classes + budget, rules.conditions)
    X = np.empty((n_classes + budget, split.X.shape[1]))
    y = np.empty(n_classes + budget, dtype=np.int64)
    counts = np.zeros(n_classes, dtype=np.int64)
    errors = np.empty(budget)
    requests = split.start.tolist()
    for n in range(n_classes + budget):
        if not requests:
            most = min(rules.batch_size, n_classes + budget - n)
            supply = None if refill else split.queue_sizes - counts
            requests = _ask(strategy, X[:n], y[:n], supply, rules, most)
        c = requests.pop(0)
        X[n] = split.X[split.first[c] + counts[c] % split.queue_sizes[c]]
        y[n] = c
        counts[c] += 1
        error = judge.add(X[: n + 1], y[: n + 1], wanted=n >= n_classes)
        if n >= n_classes:
            errors[n - n_classes] = error
    return Trial(y[n_classes:], errors)


def _ask(
    strategy: Strategy,
    X: Features,
    y: Codes,
    supply: Codes | None,
    rules: TrialRules,
    batch_size: int,
) -> list[int]:
    """Return the next requests, as codes; ``supply`` (n_classes,) is what is left of each."""
    known = rules.conditions
    if known is not None and rules.blind:
        known = known.limits_only()
    n_classes = int(y.max()) + 1  # a trial begins with an instance of every class
    classes = np.arange(n_classes)
    candidates = None if supply is None else classes[supply > 0]
    if supply is not None and batch_size > 1:
        # A batch must not ask for more than there is.
        caps = {c: int((y == c).sum() + supply[c]) for c in range(n_classes)}
        known = Conditions() if known is None else known
        own = known.caps or {}
        known = replace(known, caps={c: min(cap, own.get(c, cap)) for c, cap in caps.items()})
    picks: list[int] = strategy.query(
        X, y, classes=classes, candidates=candidates, batch_size=batch_size, conditions=known
    ).tolist()
    return picks
