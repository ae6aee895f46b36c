"""A model that sees the table as it was given: names of columns, text, and the labels themselves.

Trials are played on scaled numbers and codes, from which strategies can tell distances. Whoever
brings a pipeline may have written it for columns by name, for text, for weights by label.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from palacs.checks import Codes, Features


class GivenRows:
    """The rows and labels behind the numbers of a data set.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        As trials see the instances.
    table : DataFrame or ndarray of n rows
        As the model is to see them.
    labels : ndarray of shape (n_classes,)
        By code.
    scaled : bool, default=True
        Whether the numbers of the table are scaled; the settings of a folder tell.
    """

    def __init__(
        self, X: Features, table: Any, labels: npt.NDArray[Any], *, scaled: bool = True
    ) -> None:
        self.X = X
        self.table = table
        self.labels = labels
        self.scaled = scaled
        self._places: dict[bytes, int] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Never changed, and cloned with the model at every fit.
        return self

    def rows(self, X: Features) -> Any:
        """Return the rows of the table that instances (n, n_features) of the data set are."""
        if not self._places:
            # Equal numbers come from equal rows, so that any of them will do.
            self._places = {row.tobytes(): i for i, row in enumerate(self.X)}
        places = [self._places[row.tobytes()] for row in np.ascontiguousarray(X)]
        return self.table.iloc[places] if hasattr(self.table, "iloc") else self.table[places]


class AsGiven(ClassifierMixin, BaseEstimator):
    """Fits and asks a model with rows and labels as they were given.

    Parameters
    ----------
    model : scikit-learn classifier
    given : GivenRows
    """

    def __init__(self, model: Any, given: GivenRows) -> None:
        self.model = model
        self.given = given

    def fit(self, X: Features, y: Codes) -> Self:
        """Fit the model; y (n,) are codes."""
        self.fitted_ = clone(self.model).fit(self.given.rows(X), self.given.labels[y])
        self.classes_ = self._codes(getattr(self.fitted_, "classes_", self.given.labels))
        return self

    def predict(self, X: Features) -> Codes:
        """Return codes (n,)."""
        return self._codes(self.fitted_.predict(self.given.rows(X)))

    def __getattr__(self, name: str) -> Any:
        # Where the model has no probabilities, nobody must take it to have them.
        if name == "predict_proba":
            ask = getattr(self.__dict__.get("fitted_", self.__dict__["model"]), name)
            return lambda X: ask(self.given.rows(X))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self, *args: Any, **kwargs: Any) -> str:
        return repr(self.model)

    def _codes(self, labels: npt.ArrayLike) -> Codes:
        answers = np.asarray(labels)
        code_of = {label: code for code, label in enumerate(self.given.labels.tolist())}
        try:
            return np.array([code_of[label] for label in answers.tolist()], dtype=np.int64)
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"it returns an array of shape {answers.shape}, not one of the labels for each "
                f"instance: {error}"
            ) from error
