"""A participant without an amplifier: what eight electrodes over the motor cortex might show.

Three rhythms around 10 Hz, one below each hand's area and one between, weaken when a movement is
imagined; by how much depends on the class, on the person, on the trial and on how tired they are.
Feet and tongue look much alike. All else is noise and slow drift. Nothing here was fitted to a
real person: it shows that a chain works, not how well it will do in a lab.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.lsl._epochs import EpochSettings, band_pass

Array = npt.NDArray[np.float64]

MOVEMENTS = ("left", "right", "feet", "tongue")
ELECTRODES = ("FC3", "FC4", "C3", "Cz", "C4", "CP3", "CP4", "Pz")

# Where each rhythm is seen: below the left hand's area, the feet's and the right hand's.
_SEEN = np.array(
    [
        [0.5, 0.1, 1.0, 0.4, 0.1, 0.5, 0.1, 0.2],
        [0.3, 0.3, 0.3, 1.0, 0.3, 0.3, 0.3, 0.6],
        [0.1, 0.5, 0.1, 0.4, 1.0, 0.1, 0.5, 0.2],
    ]
)
# The logarithm of how much of each rhythm is left while a movement is imagined.
_LEFT_OVER = {
    "left": np.log([0.90, 0.95, 0.45]),
    "right": np.log([0.45, 0.95, 0.90]),
    "feet": np.log([1.15, 0.50, 1.15]),
    "tongue": np.log([1.05, 0.65, 1.05]),
}
_FROM_TRIAL_TO_TRIAL = 0.15
_LAPSES = 0.05
_REACTION_S = 0.25
_SETTLING_S = 0.15
_TIRED_AFTER_S = 1800.0
_NOISE = 4.0  # microvolts, of the noise at every electrode


class SimulatedParticipant:
    """Somebody who imagines movements.

    Parameters
    ----------
    seed : int
        Another one is another person.
    sitting : int
        Another one is the same person on another day, rested, with other noise.
    rate : float
        Samples per second.

    Examples
    --------
    >>> from palacs.lsl import SimulatedParticipant
    >>> somebody = SimulatedParticipant(seed=0)
    >>> somebody.imagine("left")
    >>> somebody.samples(250).shape
    (250, 8)
    """

    def __init__(self, seed: int = 0, sitting: int = 0, rate: float = 250.0) -> None:
        self.rate = rate
        self.seconds = 0.0
        self._rng = np.random.default_rng([seed, sitting, 0])
        # Of its own: what happens in a trial depends on how many there were, not on when.
        self._trial = np.random.default_rng([seed, sitting, 1])
        person = np.random.default_rng(seed).uniform
        self._strength = person(1.0, 1.8)
        self._amplitude = person(8, 14, 3)  # microvolts
        self._where = _SEEN * person(0.7, 1.3, _SEEN.shape)
        radius, angle = 0.95 ** (250 / rate), 2 * np.pi * person(9, 12, 3) / rate
        self._resonance = [np.array([1, -2 * radius * np.cos(a), radius**2]) for a in angle]
        # What the filter makes of white noise, so that every rhythm gets its amplitude.
        self._gain = [_spread_of(poles) for poles in self._resonance]
        self._rhythm_state = np.zeros((3, 2))
        self._noise_state = np.zeros((1, len(ELECTRODES)))
        self._drift = np.zeros(len(ELECTRODES))
        self._level = np.zeros(3)  # of the rhythms, as logarithms
        self._mood = np.zeros(3)
        self._target = self._next = np.zeros(3)
        self._waits = 0

    def imagine(self, label: str | None) -> None:
        """Imagine a movement from a moment later on; None, or an unknown word, is rest."""
        self._waits = round(_REACTION_S * self.rate)
        self._next = np.zeros(3)
        if label not in _LEFT_OVER:
            return
        lapsed, varied = self._trial.random() < _LAPSES, self._trial.normal(size=3)
        if not lapsed:
            tired = np.exp(-self.seconds / _TIRED_AFTER_S)
            effect = _LEFT_OVER[str(label)] * self._strength * tired
            self._next = effect + _FROM_TRIAL_TO_TRIAL * varied

    def samples(self, count: int) -> Array:
        """Return the next samples in microvolts, shape (n_samples, n_channels)."""
        parts = []
        if 0 < self._waits <= count:
            parts.append(self._some(self._waits))
            count, self._waits, self._target = count - self._waits, 0, self._next
        self._waits = max(0, self._waits - count)
        return np.concatenate([*parts, self._some(count)])

    def epoch(self, label: str, settings: EpochSettings, rest: float = 1.0) -> Array:
        """Return an epoch as `take_epoch` would cut it from the stream, after a rest.

        Parameters
        ----------
        label : str
            The movement.
        settings : EpochSettings
        rest : float
            Seconds before the cue, at least what the epoch needs before it.

        Returns
        -------
        samples : ndarray of shape (n_channels, n_samples)
        """
        self.imagine(None)
        before = self.samples(round(max(rest, settings.lead) * self.rate))
        self.imagine(label)
        after = self.samples(round(settings.stop * self.rate))
        self.imagine(None)
        beyond = self.samples(round(settings.pad * self.rate))
        pad, n = (round(s * self.rate) for s in (settings.pad, settings.stop - settings.start))
        whole = np.concatenate([before, after, beyond])[-(n + 2 * pad) :].T
        return band_pass(whole, self.rate, settings.band)[:, pad : pad + n]

    def _some(self, count: int) -> Array:
        from scipy.signal import lfilter  # which takes a second, and markers need it not

        rng, passed = self._rng, count / self.rate
        self.seconds += passed
        self._mood += rng.normal(0, 0.004 * np.sqrt(passed), 3)
        fade = np.exp(-np.arange(1, count + 1) / (_SETTLING_S * self.rate))[:, np.newaxis]
        level = self._target + (self._level - self._target) * fade
        self._level = level[-1] if count else self._level
        rhythms = self._rhythms(count) * self._amplitude * np.exp(level + self._mood)
        noise, self._noise_state = lfilter(
            [0.35], [1, -0.93], rng.normal(0, 1, (count, 8)), axis=0, zi=self._noise_state
        )
        drift = self._drift + np.cumsum(rng.normal(0, 0.3, (count, 8)), axis=0)
        self._drift = 0.98 * drift[-1] if count else self._drift
        louder = _NOISE * (1 + 0.2 * self.seconds / _TIRED_AFTER_S)
        return np.asarray(rhythms @ self._where + louder * noise + drift)

    def _rhythms(self, count: int) -> Array:
        from scipy.signal import lfilter

        made = np.empty((count, 3))
        for k, poles in enumerate(self._resonance):
            white = self._rng.normal(0, 1 / self._gain[k], count)
            made[:, k], self._rhythm_state[k] = lfilter(
                [1.0], poles, white, zi=self._rhythm_state[k]
            )
        return made


def _spread_of(poles: Array) -> float:
    from scipy.signal import lfilter

    response = lfilter([1.0], poles, np.eye(1, 4096)[0])
    return float(np.sqrt((response**2).sum()))
