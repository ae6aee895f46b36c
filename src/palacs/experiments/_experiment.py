"""What an experiment is made of, before anything runs: data, strategies, classifier, seeds.

An `Experiment` is a value. Its trials are numbered; each is a pure function of the experiment
and its number, so it does not matter when, where or in which order they run.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from palacs._version import __version__
from palacs.checks import Bandwidth, Codes, Features
from palacs.classifier import ParzenWindowClassifier
from palacs.conditions import Conditions
from palacs.datasets import DATASETS, Dataset
from palacs.evidence import normalise
from palacs.experiments._described import describe
from palacs.experiments._few_per_class import expect_few_per_class
from palacs.experiments._split import Split, make_split
from palacs.experiments._trial import Trial, TrialRules, run_trial
from palacs.strategies import ProportionalSelection, Strategy, find, make

# In the settings of data that is not built in; folders made before trials were drawn so lack it.
DRAWN_BY = "drawn_by"
# Splits looked at to know how large whole groups are.
_DEALT = 20

Sampler = Callable[[np.random.Generator], tuple[Features, Codes]]


@dataclass(frozen=True)
class Task:
    """One data set and how it is played.

    Parameters
    ----------
    dataset : Dataset
        Its features scaled to [0, 1]. A synthetic set is drawn anew in every trial.
    budget : int
        Acquisitions after the first instance of every class.
    test_per_class : int
        Test instances per class.
    strategies : dict
        Strategy templates by title; the trial's seed replaces their ``random_state``.
    """

    dataset: Dataset
    budget: int
    test_per_class: int
    strategies: Mapping[str, Strategy]

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.dataset.name

    @property
    def fresh(self) -> bool:
        """Whether every trial draws data of its own instead of re-splitting the same."""
        return _sampler(self.dataset) is not None

    @property
    def built_in(self) -> bool:
        """Whether it is one of `palacs.datasets.DATASETS`, and no file that bears its name."""
        return self.dataset.source == _source(self.dataset.name)

    @property
    def key(self) -> int:
        """What the trials are drawn by, beside the seed: a built-in set's name, else the classes.

        A file may be called anything, and its columns may come in any order or number: the same
        instances are split in the same way.
        """
        if self.built_in:
            return zlib.crc32(self.name.encode())
        return zlib.crc32(np.ascontiguousarray(self.dataset.y, dtype="<i8").tobytes())

    def split(self, rng: np.random.Generator) -> Split:
        """Draw a split, of a fresh sample where the set is synthetic."""
        dataset = self.dataset
        sample = _sampler(dataset)
        if sample is not None:
            X, y = sample(rng)
            dataset = replace(dataset, X=normalise(X), y=y)
        return make_split(dataset, self.test_per_class, rng)


@dataclass(frozen=True)
class Experiment:
    """Many trials of several strategies on one or more data sets.

    Parameters
    ----------
    tasks : tuple of Task
    classifier : scikit-learn classifier
        What is judged.
    trials : int
        Trials per data set; all strategies share each trial's split and order.
    seed : int
    refill : bool
        Whether a class that ran out yields its instances again.
    beside_paper : bool
        Whether it follows the paper, so that the paper's numbers may stand beside its results.
    conditions : Conditions or None
        By class names. Strategies act under them, and errors are those in use.
    blind : tuple of str
        Titles of strategies that know the limits only.
    batch_size : int
        How many classes are requested at a time.
    budget_cost : float or None
        How much money may be spent; what a trial spends beyond it is not compared.
    """

    tasks: tuple[Task, ...]
    classifier: Any
    trials: int
    seed: int = 0
    refill: bool = False
    beside_paper: bool = False
    conditions: Conditions | None = None
    blind: tuple[str, ...] = ()
    batch_size: int = 1
    budget_cost: float | None = None

    def task(self, name: str) -> Task:
        """Return the task of a data set."""
        for task in self.tasks:
            if task.name == name:
                return task
        names = ", ".join(repr(task.name) for task in self.tasks)
        raise ValueError(f"no data set {name!r} in this experiment; it has {names}.")

    def only(self, name: str) -> Experiment:
        """Return the same experiment with one data set: all that a worker needs."""
        return replace(self, tasks=(self.task(name),))

    def deal(self, dataset: str, trial: int) -> tuple[Split, int]:
        """Return a trial's split and the seed of its strategies."""
        sequence = np.random.SeedSequence([self.seed, self.task(dataset).key, trial])
        split = self.task(dataset).split(np.random.default_rng(sequence))
        return split, int(sequence.spawn(1)[0].generate_state(1)[0])

    def test_ratio(self, dataset: str) -> float:
        """Return how many instances trials put aside for testing per instance left to acquire.

        It says how much trials that re-split one data set have in common; it is 0 where every
        trial draws data of its own. Of groups, whole ones are put aside.
        """
        task = self.task(dataset)
        if task.fresh:
            return 0.0
        # Without groups all splits have the same sizes.
        dealt = 1 if task.dataset.groups is None else min(self.trials, _DEALT)
        left = np.mean([len(self.deal(dataset, trial)[0].X) for trial in range(dealt)])
        return float((len(task.dataset) - left) / left)

    def run(self, dataset: str, trial: int) -> dict[str, Trial]:
        """Play trial number ``trial`` with every strategy, by title."""
        expect_few_per_class()
        task = self.task(dataset)
        split, seed = self.deal(dataset, trial)
        conditions = self.conditions
        if conditions is not None:
            names = {name: code for code, name in enumerate(task.dataset.class_names)}
            conditions = conditions.relabelled(names)
        return {
            title: run_trial(
                split,
                clone(strategy).set_params(random_state=seed),
                self.classifier,
                task.budget,
                refill=self.refill,
                rules=TrialRules(conditions, title in self.blind, self.batch_size),
            )
            for title, strategy in task.strategies.items()
        }

    @property
    def titles(self) -> list[str]:
        """The strategies' titles, the same for every data set."""
        return list(self.tasks[0].strategies)

    def settings(self) -> dict[str, Any]:
        """Describe everything the results depend on, as plain JSON values."""
        settings = {
            "palacs": __version__,
            "datasets": [
                {
                    "name": task.name,
                    "budget": task.budget,
                    "test_per_class": task.test_per_class,
                    "sha256": None if task.fresh else _fingerprint(task.dataset),
                    **({} if task.built_in else {DRAWN_BY: "classes"}),
                    "strategies": {t: describe(s) for t, s in task.strategies.items()},
                }
                for task in self.tasks
            ],
            "classifier": describe(self.classifier),
            "trials": self.trials,
            "seed": self.seed,
            "refill": self.refill,
        }
        # Only where they are used, so that folders made without them go on.
        if self.conditions is not None:
            settings["conditions"] = {**self.conditions.to_dict(), "blind": list(self.blind)}
        if self.batch_size != 1:
            settings["batch_size"] = self.batch_size
        return settings


def scaled(dataset: Dataset) -> Dataset:
    """Return the data set with each feature scaled to [0, 1]."""
    return replace(dataset, X=normalise(dataset.X))


def strategy_for(name: str, classifier: Any, bandwidth: Bandwidth, dataset: Dataset) -> Strategy:
    """Make a strategy by its command-line name, fitted to the experiment.

    Strategies that cross-validate use the judged classifier, those with a kernel the shared
    bandwidth and, as in the paper, no other model, and Original Proportion the data set's own
    class sizes.
    """
    info = find(name)
    wanted = info.strategy._get_param_names()
    params: dict[str, Any] = {}
    if "classifier" in wanted and "bandwidth" not in wanted:
        params["classifier"] = classifier
    if "bandwidth" in wanted:
        params["bandwidth"] = bandwidth
    if issubclass(info.strategy, ProportionalSelection):
        params["proportions"] = list(dataset.class_counts.values())
    return make(name, **params)


def parzen(bandwidth: Bandwidth) -> ParzenWindowClassifier:
    """Return the paper's classifier, which takes class sizes for how often classes occur."""
    return ParzenWindowClassifier(bandwidth=bandwidth)


def _sampler(dataset: Dataset) -> Sampler | None:
    """Return what draws a synthetic data set anew, None for any other."""
    info = DATASETS.get(dataset.name)
    # A file may bear the same name; it must be played as it is.
    if info is None or info.sample is None or dataset.source != _source(dataset.name):
        return None
    return info.sample


@cache
def _source(name: str) -> str | None:
    """Return what a built-in data set names as its source; None of anything else."""
    info = DATASETS.get(name)
    try:
        return None if info is None else info.load(0).source
    except ImportError:
        return None


def _fingerprint(dataset: Dataset) -> str:
    digest = hashlib.sha256()
    for array in (dataset.X, dataset.y):
        digest.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    digest.update("\0".join(dataset.class_names).encode())
    if dataset.groups is not None:
        digest.update("\0".join(map(str, dataset.groups.tolist())).encode())
    return digest.hexdigest()
