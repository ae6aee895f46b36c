"""Spare settled: hard classes share the requests equally, settled ones get a few.

So many mistakes are made on a class, and so many more would be made with half of it missing:
where both are small beside a typical one's, one more instance brings little. It does not ask which
class is hardest, for equally hard classes differ by chance; it asks which are settled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.arrays import is_tensor, like, on_host
from palacs.checks import ClassifierWith, Codes, Features
from palacs.classifier import ParzenWindowClassifier
from palacs.compiled import compiled, without_compiling
from palacs.evidence import (
    LEFT_OUT,
    MANY,
    VERY_MANY,
    WIDER,
    ClassEvidence,
    LabelledSet,
    check_labelled_set,
    default_model,
    evidence_of_held,
    evidence_of_many,
    evidence_of_tensor,
    halve,
    latest_of_each,
    no_evidence,
    out_of_fold_evidence,
    prior_of_evidence,
    screen,
    select_of_many,
    tally,
)
from palacs.kernel import (
    BLOCK,
    LOOP_FEATURES,
    resolve_bandwidth,
    resolve_bandwidth_tensor,
    squared_distances,
)
from palacs.strategies._base import Strategy
from palacs.strategies._compiled_form import Acquired, as_number, bandwidth_for, decides_for
from palacs.strategies._counts import fewest
from palacs.strategies._needs import Needs
from palacs.strategies._pick import Pick, Utilities
from palacs.strategies._weights import (
    REFITTED,
    RULE,
    Rule,
    needs_of,
    needs_of_refitted,
    overdue_by,
)
from palacs.stream import Stream, seed_of

# A quick look at very many classes knows mistakes alone, and not how many decisions they rest on.
_QUICK = Rule(slope=0.0, cap=0.75, worthless=1e-6, chance=0.0)
# Of very many classes so many are looked at closely, and those around them.
OPEN = 100


class SpareSettled(Strategy):
    """Share the requests equally among the classes that are not settled yet.

    A class is settled as far as decisions on its left-out instances are right, and would stay
    right with half of its instances. Settled classes are asked for about as often as the square
    root of the others' counts; where chance explains how classes differ, or more instances would
    not mend the mistakes, this is `UniformSelection`. Of more than 4,000 instances an even
    selection says who is settled, at most 50 of each class or 4,000 in all. Of more than 2,000
    classes a quick look finds the 100 that are most overdue; these and what they may be taken for
    are looked at closely, and one of them is asked for. Of more than 4,000 rows of a tensor on a
    GPU the object keeps, on that GPU, what its next decision needs.

    Parameters
    ----------
    classifier : scikit-learn classifier or None, default=None
        Whose decisions count. None is the Parzen window with the data's bandwidth. Decisions of a
        Parzen window are left out one by one, and corrected for class sizes unless it has a prior
        of its own; any other classifier is fitted anew, out of fold, about ten times per class
        and decision. The model that will be used is the one to ask. A class of fewer than six
        instances is then never spared; folds that the model refuses say nothing.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    Two classes overlap on the right, one is alone on the left: equal counts would waste requests
    on it.

    >>> from palacs.strategies import SpareSettled
    >>> rest = [[0.10], [0.12], [0.14], [0.11], [0.13]]
    >>> left = [[0.70], [0.76], [0.82], [0.73], [0.79]]
    >>> right = [[0.72], [0.78], [0.80], [0.74], [0.77]]
    >>> X, y = rest + left + right, ["rest"] * 5 + ["left"] * 5 + ["right"] * 5
    >>> strategy = SpareSettled(random_state=0)
    >>> strategy.query(X, y, batch_size=10).tolist().count("rest") <= 3
    True
    >>> strategy.explain(X, y).reason
    'left and right are still confused; rest is settled.'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "classifier": [ClassifierWith("fit", "predict"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        classifier: Any | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return how overdue each class is, shape (n_classes,)."""
        if self._screens(labelled):
            return self._open_utilities(labelled, stream)
        return self.utilities_by(self._evidence(labelled, stream), labelled)

    def utilities_by(self, evidence: ClassEvidence, labelled: LabelledSet) -> Utilities:
        """Return how overdue each class is by evidence, whoever found it, shape (n_classes,)."""
        weights, _ = self._weights(evidence, labelled)
        overdue: Utilities = overdue_by(weights, labelled.counts_with_pending)
        return overdue

    def _weights(self, evidence: ClassEvidence, labelled: LabelledSet) -> tuple[Features, Features]:
        if self.takes_tensors():
            weights, lost = needs_of(evidence, labelled.counts, RULE)
        else:
            weights, lost = needs_of_refitted(evidence, labelled.counts, REFITTED)
        return weights, lost

    def _screens(self, labelled: LabelledSet) -> bool:
        return labelled.n_classes > VERY_MANY and len(labelled) > MANY and labelled.steady

    def _open_utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return utilities of the classes that are looked at closely, above all the others'."""
        quick, codes = open_classes(labelled, stream)
        some = labelled.of_classes(codes)
        weights, _ = self._weights(self._evidence(some, stream), some)
        looked_at = overdue_by(weights, labelled.counts_with_pending[codes])
        utilities: Utilities = quick * (0.5 * looked_at.min() / quick.max())
        utilities[codes] = looked_at
        return utilities

    def explain(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        scale: bool = False,
    ) -> Needs:
        """Show which classes are settled and which are confused.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        classes, pending, scale
            As in `query`.

        Returns
        -------
        needs : Needs
            What `query` with the same seed decides by.
        """
        self._validate_params()
        tensors = self.takes_tensors()
        labelled = check_labelled_set(X, y, classes, pending, scale=scale, tensors=tensors)
        if len(labelled) == 0:
            raise ValueError("the labelled set is empty; there is nothing to explain yet.")
        step = np.uint64(len(labelled) + len(labelled.pending))
        return self._needs(labelled, Stream(seed_of(self.random_state), step))

    def reason(self, pick: Pick) -> str | None:
        """Say what the class is confused with, or that it is asked for although it is settled."""
        if pick.conditions.weighing:
            return None
        labelled, code, allowed = pick.labelled, pick.code, ~np.isnan(pick.utilities)
        if self._screens(labelled):
            _, codes = open_classes(labelled, pick.stream)
            if code not in codes:
                return None
            labelled, code = labelled.of_classes(codes), int(np.searchsorted(codes, code))
            allowed = allowed[codes]
        needs = self._needs(labelled, pick.stream)
        if needs.equal:
            return fewest(pick)
        counts = labelled.counts_with_pending
        overdue = overdue_by(needs.weights, counts)
        if overdue[~allowed].max(initial=0.0) > overdue[code]:
            return "because it needs an instance the most of those that may be asked for now"
        others = np.delete(counts, code)
        if 0 < counts[code] < others.min() and _still_next(needs.weights, counts, code):
            many = "instance" if counts[code] == 1 else "instances"
            return f"because it has only {counts[code]} {many} yet, with those under way"
        return needs.because(code)

    def takes_tensors(self) -> bool:
        """Whether tensors are looked at where they lie: where the Parzen window is the model."""
        return self.classifier is None or type(self.classifier) is ParzenWindowClassifier

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops, where the Parzen window is the model."""
        model = default_model() if self.classifier is None else self.classifier
        if type(model) is not ParzenWindowClassifier or n_features > LOOP_FEATURES:
            return None
        model._validate_params()
        if not (model.class_prior is None or isinstance(model.class_prior, str)):
            return None
        return SpareForm(True, as_number(model.bandwidth), RULE)

    def _needs(self, labelled: LabelledSet, stream: Stream) -> Needs:
        if self._screens(labelled):
            labelled = labelled.of_classes(open_classes(labelled, stream)[1])
        with without_compiling(len(labelled)):
            evidence = self._evidence(labelled, stream)
            weights, lost = self._weights(evidence, labelled)
        decided = evidence.left_out
        shares = np.where(decided > 0, evidence.mistaken / np.maximum(decided, 1.0), np.nan)
        few = (labelled.counts <= REFITTED.folds) & (not self.takes_tensors())
        return Needs(labelled.classes, shares, lost, weights, evidence.confused, few)

    def _evidence(self, labelled: LabelledSet, stream: Stream) -> ClassEvidence:
        model = self.classifier
        if model is None:
            model = default_model()
        # A subclass may predict differently, so only the class itself takes the fast path.
        if type(model) is not ParzenWindowClassifier:
            return out_of_fold_evidence(labelled.thinned(), model, REFITTED.folds, stream)
        model._validate_params()
        if len(labelled) > MANY and labelled.steady:
            return self._evidence_of_many(labelled, model)
        labelled = labelled.thinned()
        X, y, n_classes = labelled.X, labelled.y, labelled.n_classes
        known = halve(y, labelled.counts, stream)
        rows = latest_of_each(y, n_classes, LEFT_OUT)
        prior = prior_of_evidence(model, labelled)
        if is_tensor(X):
            width = WIDER * resolve_bandwidth_tensor(model.bandwidth, X, y, n_classes)
            return evidence_of_tensor(X, rows, known, (width, prior))
        bandwidth = WIDER * resolve_bandwidth(model.bandwidth, X, y)
        evidence = no_evidence(n_classes)
        step = max(1, BLOCK // len(y))
        for first in range(0, len(rows), step):
            block = rows[first : first + step]
            squared = squared_distances(X[block], X, bandwidth)
            tally(squared, block, known, (bandwidth, prior), evidence)
        return evidence

    def _evidence_of_many(
        self, labelled: LabelledSet, model: ParzenWindowClassifier
    ) -> ClassEvidence:
        prior = prior_of_evidence(model, labelled)
        if is_tensor(labelled.X) and labelled.X.device.type == "cpu":
            # An array to the compiled code, and both decide alike.
            labelled = replace(labelled, X=on_host(labelled.X))
        if not is_tensor(labelled.X):
            return evidence_of_many(labelled, model.bandwidth, prior)
        held = evidence_of_held(labelled, model.bandwidth, prior, self)
        if held is not None:
            return held
        some = select_of_many(labelled)
        y, n_classes = some.known.y, labelled.n_classes
        X = labelled.X[like(some.places, labelled.X, keep=True)]
        width = resolve_bandwidth_tensor(model.bandwidth, X, y, n_classes, some.width_rows)
        rows = latest_of_each(y, n_classes, LEFT_OUT)
        return evidence_of_tensor(X, rows, some.known, (WIDER * width, prior))


def _still_next(weights: Features, counts: Codes, code: int) -> bool:
    """Whether a class would be asked for once more right away, by weights (n_classes,)."""
    once_more = counts.copy()
    once_more[code] += 1
    return int(overdue_by(weights, once_more).argmax()) == code


def open_classes(
    labelled: LabelledSet, stream: Stream, most: int = OPEN
) -> tuple[Utilities, Codes]:
    """Return quick utilities of all classes (n_classes,), and which to look at closely, ascending.

    Half of the ``most`` are overdue by a quick look, half would be if they were far from settled;
    ties at random. And what these may be taken for.
    """
    seen = screen(labelled)
    nothing = np.zeros((labelled.n_classes, 1))
    evidence = ClassEvidence(np.ones(len(nothing)), seen.mistaken, nothing, nothing[:0])
    weights, _ = needs_of(evidence, labelled.counts, _QUICK)
    quick: Utilities = overdue_by(weights, labelled.counts_with_pending)
    chance = stream.generator().random(labelled.n_classes)
    # Of a class without an instance, paused or under way, there is nothing to look at.
    known = np.flatnonzero(labelled.counts)
    by_look = np.lexsort((chance[known], -quick[known]))[: most // 2]
    fewest_first = (chance, -seen.mistaken, labelled.counts_with_pending)
    by_count = np.lexsort([key[known] for key in fewest_first])[: most - most // 2]
    first = known[np.union1d(by_look, by_count)]
    return quick, np.union1d(first, seen.rivals[first].ravel()).astype(np.int64)


class SpareForm(NamedTuple):
    """Spare settled for compiled loops."""

    compares: bool
    bandwidth: float
    rule: Rule


@decides_for(SpareForm)
@compiled
def _spare_utilities(form: SpareForm, acquired: Acquired, n: int, stream: Stream) -> Utilities:
    y, n_classes = acquired.y[:n], acquired.counts.shape[0]
    known = halve(y, acquired.counts, stream)
    rows = latest_of_each(y, n_classes, LEFT_OUT)
    squared = np.empty((rows.shape[0], n))
    for r in range(rows.shape[0]):
        squared[r] = acquired.squared[rows[r], :n]
    prior = np.full(n_classes, 1.0 / n_classes)
    evidence = no_evidence(n_classes)
    bandwidth = WIDER * bandwidth_for(form.bandwidth, acquired, n)
    tally(squared, rows, known, (bandwidth, prior), evidence)
    weights, _ = needs_of(evidence, acquired.counts, form.rule)
    overdue: Utilities = overdue_by(weights, acquired.counts)
    return overdue
