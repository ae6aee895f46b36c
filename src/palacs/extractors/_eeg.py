"""EEG as features: common spatial patterns and the tangent space, both by pyRiemann.

Epochs are filtered to a band first, since slow drifts would otherwise be what the covariances
are about. Both are fitted on what was collected, with the classes.
"""

from __future__ import annotations

from typing import Any

from palacs.extractors._signals import BandPass
from palacs.extras import need

_MU_AND_BETA = (8.0, 30.0)  # what imagined movements change


def csp(
    n_filters: int = 4,
    band: tuple[float, float] | None = _MU_AND_BETA,
    rate: float | None = None,
) -> Any:
    """Return common spatial patterns: log variance of the mixtures that tell classes apart.

    Parameters
    ----------
    n_filters : int
        How many mixtures of channels, at most as many as there are channels.
    band : pair or None
        Lowest and highest frequency in Hz that is let through; None filters nothing.
    rate : float or None
        Sampling rate in Hz; None takes the recording's own.
    """
    need("eeg", "The extractor csp")
    from pyriemann.spatialfilters import CSP

    return _of_covariances(CSP(nfilter=n_filters), band, rate)


def tangent_space(
    band: tuple[float, float] | None = _MU_AND_BETA, rate: float | None = None
) -> Any:
    """Return covariances as vectors in the tangent space at their mean.

    Parameters
    ----------
    band, rate
        As in `csp`.
    """
    need("eeg", "The extractor tangent-space")
    from pyriemann.tangentspace import TangentSpace

    return _of_covariances(TangentSpace(), band, rate)


def _of_covariances(last: Any, band: tuple[float, float] | None, rate: float | None) -> Any:
    from pyriemann.estimation import Covariances
    from sklearn.pipeline import make_pipeline

    # Shrunk: an epoch may have hardly more samples than channels.
    steps = [] if band is None else [BandPass(band[0], band[1], rate)]
    return make_pipeline(*steps, Covariances("oas"), last)
