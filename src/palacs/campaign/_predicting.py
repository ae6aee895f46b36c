"""What a campaign's model takes instances for: the class of each and how likely every class is.

The model is the one behind every number the campaign shows (`CampaignReader.model`); it is fitted
once for each state of the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from palacs.campaign import _values
from palacs.campaign._reader import CampaignReader
from palacs.storage import Label

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Predicted:
    """What some instances were taken for.

    Attributes
    ----------
    classes : list of labels
        All classes, in the campaign's order.
    labels : list of labels
        The likeliest class of each instance.
    probabilities : ndarray of shape (n, n_classes)
        Of every class, for each instance.
    """

    classes: list[Label]
    labels: list[Label]
    probabilities: npt.NDArray[np.float64]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able form."""
        chances = self.probabilities.tolist()
        return {"classes": self.classes, "labels": self.labels, "probabilities": chances}


class PredictingCampaign(CampaignReader):
    """The part of a campaign that says what instances are taken for."""

    _fitted: tuple[int, Pipeline] | None = None

    def predict(self, X: npt.ArrayLike) -> Predicted:
        """Return what the campaign's model takes instances for; nothing is recorded.

        Parameters
        ----------
        X : array-like of shape (n, n_features) or (n_features,)
            Raw feature values; a pandas table where features have names.

        Returns
        -------
        Predicted
            ``labels``, and ``probabilities`` in the order of ``classes``.

        Raises
        ------
        CampaignError
            Nothing was acquired yet.

        Examples
        --------
        >>> from palacs.campaign import create_campaign
        >>> c = create_campaign("demo", ["low", "high"], storage="memory")
        >>> for value in (0.1, 0.2, 0.8, 0.9):
        ...     _ = c.add([value], "low" if value < 0.5 else "high")
        >>> c.predict([[0.0], [1.0]]).labels
        ['low', 'high']
        """
        model, classes, n_features = self._model()
        rows = X if hasattr(X, "columns") else _checked(X, n_features)
        order = {label: place for place, label in enumerate(model.classes_.tolist())}
        chances = model.predict_proba(rows)[:, [order[label] for label in classes]]
        return Predicted(classes, model.predict(rows).tolist(), chances)

    def _model(self) -> tuple[Pipeline, list[Label], int]:
        from palacs.campaign._campaign_model import fit_model

        now, known = self.snapshot(), self._fitted
        if known is None or known[0] != now.seq:
            known = self._fitted = now.seq, fit_model(now, None)
        return known[1], now.classes, now.scaled.shape[1]


_REMEDY = "leave the instance out, or fill the value in"


def _checked(X: npt.ArrayLike, n_features: int) -> npt.NDArray[np.float64]:
    if not hasattr(X, "__len__"):
        raise ValueError(f"X={_values.brief(X)} holds no instance; give rows of numbers.")
    one = np.ndim(X) == 1 if isinstance(X, np.ndarray) else not _holds_rows(X)
    rows: Any = [X] if one else X
    if len(rows) == 0:
        raise ValueError("X holds no instance; give at least one row of numbers.")
    found = []
    for place, row in enumerate(rows):
        try:
            found.append(_values.check_vector(row, n_features, _REMEDY))
        except ValueError as error:
            raise type(error)(f"row {place}: {error}" if not one else str(error)) from error
    return np.array(found)


def _holds_rows(X: Any) -> bool:
    return len(X) == 0 or np.ndim(X[0]) > 0
