"""One table of the built-in data sets; it feeds `load`, the command line and the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType

import numpy as np

from palacs.datasets import _gestures, _sklearn, _smartwatch, _synthetic, _uci
from palacs.datasets._dataset import Array, Codes, Dataset, Seed
from palacs.datasets._recorded import RecordedDataset

Sampler = Callable[[np.random.Generator], tuple[Array, Codes]]


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """What the registry knows about a data set before it is loaded.

    Parameters
    ----------
    name : str
        The name, spelled as in the paper where the paper has it.
    title : str
        One line on what it is.
    origin : str
        Where it comes from, in a word or two.
    load : callable
        ``load(random_state) -> Dataset``; data sets that are not synthetic ignore the seed.
    sample : callable or None
        For synthetic data sets ``sample(rng) -> (X, y)``, a fresh sample without the wrapping.
    budget : int or None
        The paper's budget, where it used the data set.
    extra : str or None
        The extra of palacs that the data set needs.
    aliases : tuple of str
        Other names `load` understands.
    """

    name: str
    title: str
    origin: str
    load: Callable[[Seed], Dataset]
    sample: Sampler | None = None
    budget: int | None = None
    extra: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def synthetic(self) -> bool:
        """Whether every load draws a fresh sample."""
        return self.sample is not None


def _draw(
    random_state: Seed, *, name: str, sample: Sampler, feature_names: tuple[str, ...], title: str
) -> Dataset:
    X, y = sample(np.random.default_rng(random_state))
    return Dataset(
        name=name,
        X=X,
        y=y,
        class_names=tuple(f"class {code + 1}" for code in np.unique(y)),
        feature_names=feature_names,
        description=f"{title} A fresh sample for every seed.",
        source="Drawn by palacs.",
        license="BSD-3-Clause",
    )


def _synthetic_info(
    name: str,
    title: str,
    sample: Sampler,
    *,
    budget: int | None = None,
    feature_names: tuple[str, ...] = ("x1", "x2"),
    aliases: tuple[str, ...] = (),
) -> DatasetInfo:
    load = partial(_draw, name=name, sample=sample, feature_names=feature_names, title=title)
    return DatasetInfo(name, title, "synthetic", load, sample, budget, aliases=aliases)


def _fixed_info(
    name: str,
    title: str,
    origin: str,
    load: Callable[[], Dataset],
    *,
    budget: int | None = None,
    extra: str | None = None,
    aliases: tuple[str, ...] = (),
) -> DatasetInfo:
    def load_ignoring_seed(random_state: Seed) -> Dataset:
        return load()

    return DatasetInfo(
        name, title, origin, load_ignoring_seed, budget=budget, extra=extra, aliases=aliases
    )


_INFOS = (
    _synthetic_info(
        "3Clusters",
        "Three Gaussians, one far away, two that overlap.",
        _synthetic.sample_three_clusters,
        budget=60,
        aliases=("three clusters",),
    ),
    _synthetic_info(
        "Bars",
        "Two classes that alternate in six bars, a third above them.",
        _synthetic.sample_bars,
        budget=120,
    ),
    _synthetic_info(
        "Spirals",
        "Two interleaved spiral arms beside a Gaussian.",
        _synthetic.sample_spirals,
        budget=120,
    ),
    _fixed_info(
        "Vehicle", "Silhouettes of four model vehicles.", "UCI", _uci.load_vehicle, budget=80
    ),
    _fixed_info(
        "Vertebral",
        "Spines of healthy people and of two groups of patients.",
        "UCI",
        _uci.load_vertebral,
        budget=60,
        aliases=("vertebral column",),
    ),
    _fixed_info(
        "Yeast",
        "Where a yeast protein lives, the paper's four classes.",
        "UCI",
        _uci.load_yeast,
        budget=60,
    ),
    _fixed_info(
        "yeast-all", "Where a yeast protein lives, all ten classes.", "UCI", _uci.load_yeast_all
    ),
    _synthetic_info(
        "line",
        "Three Gaussians on a line, one apart, two that overlap.",
        _synthetic.sample_line,
        feature_names=("x",),
    ),
    _synthetic_info(
        "Rings",
        "A stress case: four classes of very unequal spread around one centre.",
        _synthetic.sample_rings,
        aliases=("stress rings",),
    ),
    _synthetic_info(
        "Modes",
        "A stress case: a class of twelve modes around two that overlap.",
        _synthetic.sample_modes,
        aliases=("twelve modes",),
    ),
    _fixed_info("digits", "Handwritten digits, 8 x 8.", "scikit-learn", _sklearn.load_digits),
    _fixed_info("wine", "Wines of three cultivars.", "scikit-learn", _sklearn.load_wine),
    _fixed_info(
        "breast-cancer",
        "Malignant and benign tumours.",
        "scikit-learn",
        _sklearn.load_breast_cancer,
        aliases=("cancer",),
    ),
    _fixed_info("iris", "Three species of iris.", "scikit-learn", _sklearn.load_iris),
    _fixed_info(
        "gestures",
        "Five gestures of a hand in eight channels of EMG, four times each.",
        "LibEMG",
        _gestures.load_gestures,
        aliases=("emg",),
    ),
    _fixed_info(
        "smartwatch",
        "Seven shoulder exercises of ten people.",
        "seglearn",
        _smartwatch.load_smartwatch,
        extra="smartwatch",
        aliases=("watch",),
    ),
)

DATASETS: Mapping[str, DatasetInfo] = MappingProxyType({info.name: info for info in _INFOS})
"""Every built-in data set by name, those of the paper first, in the paper's order."""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())


_BY_PLAIN_NAME = {
    _plain(spelling): info for info in _INFOS for spelling in (info.name, *info.aliases)
}


def available() -> tuple[str, ...]:
    """Return the names of the built-in data sets.

    Examples
    --------
    >>> available()[:6]
    ('3Clusters', 'Bars', 'Spirals', 'Vehicle', 'Vertebral', 'Yeast')
    """
    return tuple(DATASETS)


def find(name: str) -> DatasetInfo:
    """Look a data set up by name, in any case and with or without spaces, dashes, underscores.

    Examples
    --------
    >>> find("BREAST cancer").name
    'breast-cancer'
    """
    info = _BY_PLAIN_NAME.get(_plain(name))
    if info is None:
        raise ValueError(
            f"There is no data set {name!r}.{suggestion(name)} Available: {', '.join(DATASETS)}."
        )
    return info


def is_known(name: str) -> bool:
    """Whether `find` would succeed."""
    return _plain(name) in _BY_PLAIN_NAME


def suggestion(name: str) -> str:
    """Return `` Did you mean ...?`` for a near miss, else nothing."""
    close = get_close_matches(_plain(name), _BY_PLAIN_NAME, n=1)
    return f" Did you mean {_BY_PLAIN_NAME[close[0]].name!r}?" if close else ""


def load(name: str, *, random_state: Seed = None) -> Dataset:
    """Load a built-in data set.

    Parameters
    ----------
    name : str
        One of `available()`, in any spelling: ``"3Clusters"``, ``"3clusters"``.
    random_state : int, Generator or None
        Seed of the sample of a synthetic data set: the same seed gives the same sample, None a
        new one each time. Other data sets are always the same and ignore it.

    Returns
    -------
    Dataset
        With raw, not normalised, values.

    Raises
    ------
    ValueError
        If there is no such data set.
    ImportError
        If it needs an extra that is not installed.

    Examples
    --------
    >>> load("spirals", random_state=0)
    Dataset('Spirals', 1200 instances, 2 features, 3 classes)
    >>> load("yeast").class_counts
    {'CYT': 463, 'NUC': 429, 'ME1+ME2': 95, 'ME3': 163}
    """
    return find(name).load(random_state)


_RECORDED: Mapping[str, Callable[[], RecordedDataset]] = {
    "gestures": _gestures.load_gesture_recordings,
    "smartwatch": _smartwatch.load_smartwatch_recordings,
}


def load_recordings(name: str) -> RecordedDataset:
    """Load the raw recordings behind a built-in data set.

    Parameters
    ----------
    name : str
        ``"gestures"`` or ``"smartwatch"``, in any spelling that `load` takes.

    Examples
    --------
    >>> load_recordings("gestures").rate
    200.0
    """
    info = find(name)
    if info.name not in _RECORDED:
        raise ValueError(
            f"of {info.name!r} there are features alone; recordings are there of "
            f"{' and '.join(_RECORDED)}."
        )
    return _RECORDED[info.name]()
