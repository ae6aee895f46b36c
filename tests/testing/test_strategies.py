"""The shipped contract suite catches strategies that break a promise, and names the promise."""

import itertools

import numpy as np
import pytest

from palacs import InverseAccuracy, ProportionalSelection, UniformSelection
from palacs.strategies import Strategy
from palacs.testing import check_strategy, strategy_checks


class Good(Strategy):
    """Requests the class with the widest spread; a strategy as a third party would write it."""

    def __init__(self, weight=1.0, random_state=None):
        self.weight = weight
        self.random_state = random_state

    def utilities(self, labelled, stream):
        spread = np.zeros(labelled.n_classes)
        scale = np.abs(labelled.X).max() or 1.0
        for code in np.flatnonzero(labelled.counts):
            spread[code] = self.weight * (labelled.X[labelled.y == code] / scale).std()
        return spread / (1.0 + labelled.counts_with_pending)


class ChangesAParameter(Good):
    def __init__(self, weight=1.0, random_state=None):
        self.weight = float(weight) * 2
        self.random_state = random_state


class SetsMoreThanParameters(Good):
    def __init__(self, weight=1.0, random_state=None):
        super().__init__(weight, random_state)
        self.history = []


class HasNoSeed(Good):
    random_state = None

    def __init__(self, weight=1.0):
        self.weight = weight


class IgnoresItsSeed(Good):
    def utilities(self, labelled, stream):
        return np.random.default_rng().random(labelled.n_classes)


class HasOneOrderForAllSeeds(Good):
    def query(self, X, y, **options):
        return Good(self.weight, random_state=0).query(X, y, **options)


class UsesGlobalRandomNumbers(Good):
    def utilities(self, labelled, stream):
        return np.random.random(labelled.n_classes)  # noqa: NPY002


class Counts(Good):
    calls = itertools.count()

    def utilities(self, labelled, stream):
        return super().utilities(labelled, stream) + next(self.calls)


class RemembersTheLastQuestion(Good):
    last = 0

    def utilities(self, labelled, stream):
        answer = np.roll(np.arange(labelled.n_classes, dtype=float), type(self).last)
        type(self).last = len(labelled)
        return answer


class WritesIntoX(Good):
    def utilities(self, labelled, stream):
        labelled.X[0] += 1.0
        return super().utilities(labelled, stream)


class ReadsTheLabels(Good):
    def utilities(self, labelled, stream):
        return np.array([float(len(str(label))) for label in labelled.classes.tolist()])


class IgnoresPending(Good):
    def query(self, X, y, *, pending=None, **options):
        return super().query(X, y, **options)


class RepeatsOnePickForABatch(Good):
    def query(self, X, y, *, batch_size=1, return_utilities=False, **options):
        picks, utilities = super().query(X, y, return_utilities=True, **options)
        batch = np.repeat(picks, batch_size)
        return (batch, utilities) if return_utilities else batch


class IgnoresCandidates(Good):
    def query(self, X, y, *, candidates=None, **options):
        return super().query(X, y, **options)


class PicksTheWorst(Good):
    def query(self, X, y, *, return_utilities=False, **options):
        picks, utilities = super().query(X, y, return_utilities=True, **options)
        return (picks, -utilities) if return_utilities else picks


class ForgetsUnseenClasses(Good):
    def _decide(self, labelled, allowed, *others):
        return np.where(allowed, 1.0, np.nan)


class DividesByTheSpread(Good):
    def utilities(self, labelled, stream):
        with np.errstate(all="ignore"):
            return super().utilities(labelled, stream) / labelled.X.std()


class FindsNoNumber(Good):
    def utilities(self, labelled, stream):
        return np.full(labelled.n_classes, np.nan)


class NeedsTwoInstancesPerClass(Good):
    def utilities(self, labelled, stream):
        if labelled.counts.min() < 2:
            raise RuntimeError("too few instances")
        return super().utilities(labelled, stream)


class CannotCountToAThousand(Good):
    def utilities(self, labelled, stream):
        return super().utilities(labelled, stream)[:999]


class RefusesWideData(Good):
    def utilities(self, labelled, stream):
        if labelled.X.shape[1] > 1_000:
            raise MemoryError("too many features")
        return super().utilities(labelled, stream)


class AnswersAnything(Good):
    def query(self, X, y, **options):
        try:
            return super().query(X, y, **options)
        except ValueError:
            return np.array(["a"])


BROKEN = [
    (ChangesAParameter, "check_parameters_are_only_assigned"),
    (SetsMoreThanParameters, "check_parameters_are_only_assigned"),
    (HasNoSeed, "check_parameters_are_only_assigned"),
    (IgnoresItsSeed, "check_same_seed_same_answer"),
    (UsesGlobalRandomNumbers, "check_global_random_numbers_are_left_alone"),
    (Counts, "check_nothing_is_remembered"),
    (RemembersTheLastQuestion, "check_nothing_is_remembered"),
    (WritesIntoX, "check_input_is_not_changed"),
    (ReadsTheLabels, "check_labels_are_names_only"),
    (PicksTheWorst, "check_utilities_describe_the_pick"),
    (IgnoresCandidates, "check_only_candidates_are_requested"),
    (IgnoresPending, "check_batches_count_each_pick_as_pending"),
    (RepeatsOnePickForABatch, "check_batches_count_each_pick_as_pending"),
    (RepeatsOnePickForABatch, "check_unseen_classes_come_first"),
    (ForgetsUnseenClasses, "check_unseen_classes_come_first"),
    (IgnoresPending, "check_pending_without_instances"),
    (NeedsTwoInstancesPerClass, "check_a_class_with_one_instance"),
    (DividesByTheSpread, "check_constant_features"),
    (FindsNoNumber, "check_duplicated_points"),
    (FindsNoNumber, "check_far_and_unscaled_features"),
    (CannotCountToAThousand, "check_a_thousand_classes"),
    (RefusesWideData, "check_ten_thousand_features"),
    (AnswersAnything, "check_bad_input_is_refused"),
    (HasOneOrderForAllSeeds, "check_seeds_matter_where_chance_decides"),
]


def test_a_third_partys_good_strategy_passes_as_a_whole():
    check_strategy(Good(weight=2.0))


def test_a_strategy_that_depends_on_the_classes_is_made_by_a_function():
    check_strategy(lambda classes: ProportionalSelection(dict.fromkeys(classes.tolist(), 1)))


@pytest.mark.parametrize(("broken", "check"), BROKEN)
def test_a_broken_promise_is_found_and_named(broken, check):
    by_name = {each.__name__: each for each in strategy_checks()}
    with pytest.raises(AssertionError, match=rf"^{check}: "):
        by_name[check](broken())


def test_every_check_can_fail():
    assert {check for _, check in BROKEN} == {check.__name__ for check in strategy_checks()}


@pytest.mark.parametrize("broken", sorted({broken for broken, _ in BROKEN}, key=repr))
def test_the_whole_suite_refuses_every_broken_strategy(broken):
    with pytest.raises(AssertionError, match=r"^check_\w+: "):
        check_strategy(broken())


def test_the_strategy_given_is_not_changed():
    strategy = InverseAccuracy(folds=3, random_state=11)
    check_strategy(strategy)
    assert vars(strategy) == vars(InverseAccuracy(folds=3, random_state=11))


def test_every_check_says_what_it_checks():
    names = [check.__name__ for check in strategy_checks()]
    assert len(set(names)) == len(names)
    assert all((check.__doc__ or "").startswith("Check that") for check in strategy_checks())


def test_a_check_can_be_run_alone():
    for check in strategy_checks()[:3]:
        check(UniformSelection())
