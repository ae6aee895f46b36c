"""What turns recordings into features, however somebody names it, with its version for a record.

A fixed extractor looks at one recording at a time and always gives the same features for it. One
that is fitted learns from recordings and their classes first; fitted again on the same ones, it
has to give the same features, which is why seeds that were left open are set.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.extractors._reading import RecordedArray, with_rate
from palacs.extractors._shipped import shipped
from palacs.objects import describe_object, object_at, seeded

Features = npt.NDArray[np.float64]

_REMEDY = (
    "give a scikit-learn transformer, a function of one recording, FILE.py:NAME of one, or a name "
    "that palacs campaign extract --help lists"
)


@dataclass(frozen=True)
class Extractor:
    """Turns recordings into features.

    Attributes
    ----------
    version : str
        What it is, for the record: class, parameters, digest of code that is not installed.
    given : str or None
        The name or path it was given by, if it was.
    fitted : bool
        Whether it has to be fitted; else it is fixed.
    transformer : object
        With ``transform``, and ``fit`` where it has to be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.extractors import extractor_from
    >>> spread = extractor_from(np.ptp)
    >>> spread.fitted, spread.extract([np.array([1.0, 4.0]), np.array([2.0, 2.0])]).tolist()
    (False, [[3.0], [0.0]])
    """

    version: str
    given: str | None
    fitted: bool
    transformer: Any

    @property
    def packages(self) -> dict[str, str]:
        """The versions of the packages that its parts come from, by name."""
        parts = [self.transformer, *_parameters(self.transformer)]
        tops = {type(part).__module__.partition(".")[0] for part in parts}
        found = {name: getattr(sys.modules.get(name), "__version__", None) for name in tops}
        return {name: str(version) for name, version in sorted(found.items()) if version}

    def fit(self, recordings: Sequence[npt.NDArray[Any]], labels: Sequence[Any]) -> Extractor:
        """Return the extractor fitted on recordings and their classes; a fixed one is itself.

        Parameters
        ----------
        recordings : sequence of ndarray
        labels : sequence
            The class of each.
        """
        if not self.fitted:
            return self
        if len(recordings) == 0:
            raise ValueError(
                f"the extractor {self.version} is fitted on what was collected, and there is "
                "nothing yet; begin with a fixed one, such as band-power, and change to it later."
            )
        from sklearn.base import clone

        learner = clone(self.transformer)
        try:
            learner.fit(together(recordings), np.asarray(labels))
        except Exception as error:
            raise _failed(self, "be fitted on", recordings, error) from error
        return replace(self, transformer=learner)

    def extract(self, recordings: Sequence[npt.NDArray[Any]]) -> Features:
        """Return the features of recordings, shape (n_recordings, n_features).

        Parameters
        ----------
        recordings : sequence of ndarray
            Those of one shape are handed to a transformer as one array, with the recordings
            along its first axis; others as a list.
        """
        n = len(recordings)
        try:
            if hasattr(self.transformer, "transform"):
                found = self.transformer.transform(together(recordings))
            else:
                found = np.stack([np.ravel(self.transformer(one)) for one in recordings])
            found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
            features = found.astype(np.float64).reshape(n, -1)
        except ModuleNotFoundError:
            raise
        except Exception as error:
            raise _failed(self, "turn into features", recordings, error) from error
        if found.shape[:1] != (n,) or features.shape[1] == 0:
            raise ValueError(
                f"the extractor {self.version} made features of shape {found.shape} from "
                f"{n} recordings; one row for each is wanted."
            )
        return features


def extractor_from(given: Any) -> Extractor:
    """Return an extractor from a name, a path, a transformer or a function.

    Parameters
    ----------
    given : str, scikit-learn transformer or pipeline, callable or Extractor
        A name is that of a shipped one, with parameters where others than the defaults are
        wanted: ``"band-power"``, ``"band-power(rate=250)"``. A path is ``FILE.py:NAME`` or
        ``MODULE:NAME``. A class is called without arguments. A callable takes one recording and
        returns its features. A transformer is fitted, unless it needs no fitting or is wrapped
        in `sklearn.frozen.FrozenEstimator`.

    Examples
    --------
    >>> from palacs.extractors import extractor_from
    >>> from sklearn.decomposition import PCA
    >>> extractor_from(PCA(n_components=2)).fitted
    True
    """
    if isinstance(given, Extractor):
        return given
    name = given if isinstance(given, str) else None
    found = given if name is None else _named(name)
    if isinstance(found, Extractor):
        return replace(found, given=name)
    if isinstance(found, type):
        found = found()
    if not hasattr(found, "transform") and not callable(found):
        raise ValueError(f"extractor={given!r:.200} is no extractor; {_REMEDY}.")
    fitted = _needs_fit(found)
    if fitted and hasattr(found, "get_params"):
        found = seeded(found, 0)
    # Where in this room a class stands is nothing a record should know.
    version = re.sub(r"\bpalacs\.extractors\._\w+\.", "palacs.extractors.", describe_object(found))
    version += _frozen(found) + getattr(found, "identity", "")
    return Extractor(version, name, fitted, found)


def together(recordings: Sequence[npt.NDArray[Any]]) -> Any:
    """Return recordings of one shape as one array, shape (n_recordings, ...); others as a list."""
    if len({np.shape(one) for one in recordings}) != 1:
        return list(recordings)
    rates = {getattr(one, "rate", None) for one in recordings}
    if len(rates) > 1:
        return list(recordings)
    stack: RecordedArray = with_rate(np.stack([np.asarray(one) for one in recordings]), rates.pop())
    return stack


def _named(name: str) -> Any:
    made = shipped(name)
    if made is not None:
        return made
    if ":" in name:
        return object_at(name, "an extractor")
    raise ValueError(f"extractor={name!r:.200} is not known; {_REMEDY}.")


def _needs_fit(thing: Any) -> bool:
    from sklearn.frozen import FrozenEstimator
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.utils import get_tags

    if not (hasattr(thing, "transform") and hasattr(thing, "fit")):
        return False
    if isinstance(thing, FrozenEstimator):
        return False
    if isinstance(thing, (Pipeline, FeatureUnion)):
        steps = thing.steps if isinstance(thing, Pipeline) else thing.transformer_list
        return any(_needs_fit(step) for _, step in steps if not isinstance(step, str))
    try:
        return bool(get_tags(thing).requires_fit)
    except (AttributeError, TypeError):  # it does not speak scikit-learn
        return True


def _parameters(thing: Any) -> list[Any]:
    return list(thing.get_params(deep=True).values()) if hasattr(thing, "get_params") else []


def _frozen(thing: Any) -> str:
    """Return digests of what was fitted before and stays so, which no parameter tells."""
    import joblib
    from sklearn.frozen import FrozenEstimator

    parts = [thing, *_parameters(thing)]
    frozen = [part for part in parts if isinstance(part, FrozenEstimator)]
    return "".join(f" fitted {joblib.hash(part)[:12]}" for part in frozen)


def _failed(
    extractor: Extractor, what: str, recordings: Sequence[npt.NDArray[Any]], error: Exception
) -> ValueError:
    shapes = sorted({np.shape(one) for one in recordings})
    several = "" if len(shapes) < 2 else f" and {len(shapes) - 1} other shapes"
    text = " ".join(str(error).split()) or type(error).__name__
    return ValueError(
        f"the extractor {extractor.version} cannot {what} {len(recordings)} recordings of shape "
        f"{shapes[0] if shapes else ()}{several}: {text[:300]}"
    )
