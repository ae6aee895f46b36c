"""What a campaign was created with, the content of its first event, and what may change later.

Settings themselves never change: a later event that changes the course gives new ones.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from palacs._version import __version__
from palacs.campaign import _values
from palacs.campaign._attrs import check_attrs, check_groups
from palacs.campaign._features import check_features, check_named
from palacs.campaign._session_settings import check_session, renamed_session
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.conditions import Conditions
    from palacs.strategies import Strategy

DEFAULT_LEASE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in force in a campaign.

    Attributes
    ----------
    classes : tuple of str or int
        The classes it started with, by the names they have now.
    strategy : dict
        The strategy's spec, as `palacs.strategies.to_spec` writes it.
    seed : int
        Where every request's own seed comes from.
    budget : int or None
        How many instances requests may bring in.
    lease : float or None
        Seconds until a request stops counting as pending.
    bounds : list of pairs or None
        Declared range of each feature, or one pair for all.
    palacs : str
        Version that created the campaign.
    conditions : dict or None
        As `palacs.conditions.Conditions.to_dict` writes them.
    budget_cost : float or None
        How much requests may cost altogether.
    n_features : int or None
        How many features every instance has, where that was declared.
    attrs : dict or None
        What holds for every instance unless something else is noted about it.
    features : dict or None
        Names, units, sampling rate and version of what extracts them, as far as declared.
    groups : list of str or None
        The attributes that say what an instance belongs to, such as its subject.
    named : list of str or None
        Names of the features that came with instances, where none were declared; they hold
        while there are instances.
    title : str or None
        What people see instead of the name, which addresses and programs go by.
    session : dict or None
        How one trial of a session goes, see `palacs.campaign.SESSIONS`.
    extractor : dict or None
        What makes features of recordings: its ``version``; the name or path it was ``given`` by;
        whether it is ``fitted``; the ``packages`` it came from; and the ``event`` that brought
        it, unless it was there from the beginning.
    """

    classes: tuple[Label, ...]
    strategy: dict[str, Any]
    seed: int
    budget: int | None = None
    lease: float | None = DEFAULT_LEASE_S
    bounds: list[list[float]] | None = None
    palacs: str = __version__
    conditions: dict[str, Any] | None = None
    budget_cost: float | None = None
    n_features: int | None = None
    attrs: dict[str, Any] | None = None
    features: dict[str, Any] | None = None
    groups: list[str] | None = None
    session: dict[str, Any] | None = None
    extractor: dict[str, Any] | None = None
    title: str | None = None
    named: list[str] | None = None

    @property
    def names(self) -> list[str] | None:
        """What the features are called: as declared, else as they came."""
        declared: list[str] | None = (self.features or {}).get("names")
        return self.named if declared is None else declared

    def to_payload(self) -> dict[str, Any]:
        """Return the JSON form; what is not used is left out, as in records before it was known."""
        later = {
            "conditions": self.conditions,
            "budget_cost": self.budget_cost,
            "n_features": self.n_features,
            "attrs": self.attrs,
            "features": self.features,
            "groups": self.groups,
            "session": self.session,
            "extractor": self.extractor,
            "title": self.title,
            "named": self.named,
        }
        return {
            "classes": list(self.classes),
            "strategy": self.strategy,
            "seed": self.seed,
            "budget": self.budget,
            "lease": self.lease,
            "bounds": self.bounds,
            "palacs": self.palacs,
            **{key: value for key, value in later.items() if value is not None},
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Settings:
        """Undo `to_payload`, checking everything again."""
        try:
            spec = payload["strategy"]
            if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
                raise ValueError(f"strategy={spec!r} is no strategy spec.")
            bounds = _values.check_bounds(payload.get("bounds"))
            features = check_features(payload.get("features"))
            return cls(
                classes=_values.check_classes(payload["classes"]),
                strategy=dict(spec),
                seed=_values.check_seed(payload["seed"]),
                budget=_values.check_budget(payload.get("budget")),
                lease=_values.stored_lease(payload.get("lease")),
                bounds=bounds,
                palacs=str(payload.get("palacs", "")),
                conditions=_plain_conditions(payload.get("conditions")),
                budget_cost=_values.check_amount(payload.get("budget_cost"), "budget_cost"),
                n_features=_declared(payload.get("n_features"), features, bounds),
                attrs=check_attrs(payload.get("attrs")),
                features=features,
                groups=check_groups(payload.get("groups")),
                session=check_session(payload.get("session")),
                extractor=_plain_extractor(payload.get("extractor")),
                title=_check_title(payload.get("title")),
                named=check_named(payload.get("named")),
            )
        except KeyError as error:
            raise ValueError(f"the campaign's settings lack {error}.") from error

    def changed(self, new: Mapping[str, Any]) -> Settings:
        """Return the settings after a change, checking everything again."""
        settings = {key: value for key, value in new.items() if key not in ("reason", "call")}
        unknown = set(settings) - {*CHANGEABLE, "named"}
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]!r} is nothing this palacs can change.")
        return Settings.from_payload({**self.to_payload(), **settings})

    def extracted(self, payload: Mapping[str, Any], event: int) -> Settings:
        """Return the settings after an extraction: what was declared of other features is gone."""
        rate = (self.features or {}).get("sampling_rate")
        extractor = _plain_extractor({**payload["extractor"], "event": event})
        return replace(
            self,
            bounds=None,
            n_features=_values.check_n_features(payload.get("n_features"), None),
            features=None if rate is None else {"sampling_rate": rate},
            extractor=extractor,
            named=None,
        )

    def renamed(
        self, now: Callable[[Label], Label], conditions: Mapping[str, Any] | None
    ) -> Settings:
        """Return the settings with other names for classes, and the conditions that use them."""
        classes = tuple(now(label) for label in self.classes)
        session = renamed_session(self.session, now, {str(each): each for each in self.classes})
        plain = _plain_conditions(conditions)
        return replace(self, classes=classes, conditions=plain, session=session)


class Changes(TypedDict, total=False):
    """What may be changed in the middle of a campaign; the meanings are `create_campaign`'s."""

    budget: int | None
    budget_cost: float | None
    lease: float | timedelta | None
    conditions: Conditions | Mapping[str, Any] | None
    strategy: Strategy | Mapping[str, Any] | str
    session: Mapping[str, Any] | str | None
    title: str | None


CHANGEABLE = tuple(Changes.__annotations__)


def check_changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes as the record keeps them."""
    unknown = set(given) - set(CHANGEABLE)
    if unknown or not given:
        what = f"{sorted(unknown)[0]!r} cannot be changed" if unknown else "nothing to change"
        raise ValueError(f"{what}; give {', '.join(CHANGEABLE)}, or several of these.")
    if given.get("strategy", "") is None:
        raise ValueError("strategy=None is no strategy; name one, palacs strategies lists them.")
    checks: dict[str, Callable[[Any], Any]] = {
        "budget": _values.check_budget,
        "budget_cost": lambda value: _values.check_amount(value, "budget_cost"),
        "lease": _values.check_lease,
        "conditions": _written_conditions,
        "strategy": _spec_of,
        "session": check_session,
        "title": _check_title,
    }
    return {key: checks[key](value) for key, value in given.items()}


def make_settings(
    classes: Iterable[Label],
    strategy: Strategy | Mapping[str, Any] | str | None,
    *,
    seed: int | None,
    budget: int | None,
    lease: float | timedelta | None,
    bounds: Any,
    conditions: Conditions | Mapping[str, Any] | None = None,
    budget_cost: float | None = None,
    n_features: int | None = None,
    attrs: Mapping[str, Any] | None = None,
    features: Sequence[str] | Mapping[str, Any] | None = None,
    groups: str | Sequence[str] | None = None,
    extractor: Mapping[str, Any] | None = None,
) -> Settings:
    """Check what the user gave and return the settings."""
    labels = _values.check_classes(classes)
    pairs = _values.check_bounds(bounds)
    described = check_features(features)
    spec = _spec_of(strategy)
    if seed is None:
        seed = _own_seed(spec)
    return Settings(
        classes=labels,
        strategy=spec,
        seed=_values.check_seed(seed),
        budget=_values.check_budget(budget),
        lease=_values.check_lease(lease),
        bounds=pairs,
        conditions=_written_conditions(conditions),
        budget_cost=_values.check_amount(budget_cost, "budget_cost"),
        n_features=_declared(n_features, described, pairs),
        attrs=check_attrs(attrs),
        features=described,
        groups=check_groups(groups),
        extractor=_plain_extractor(extractor),
    )


def _declared(
    n_features: Any, features: Mapping[str, Any] | None, bounds: list[list[float]] | None
) -> int | None:
    """Return how many features were declared, by number or by names."""
    names = None if features is None else features.get("names")
    declared = _values.check_n_features(n_features, bounds)
    if names is None:
        return declared
    if declared not in (None, len(names)):
        raise ValueError(
            f"features have {len(names)} names for n_features={declared}; name each of them."
        )
    return _values.check_n_features(len(names), bounds)


def _check_title(title: Any) -> str | None:
    return None if title is None else _values.check_name(title, "title")


def _plain_extractor(plain: Any) -> dict[str, Any] | None:
    if plain is not None and not (
        isinstance(plain, Mapping) and isinstance(plain.get("version"), str)
    ):
        raise ValueError(f"extractor={_values.brief(plain)} has no version.")
    return None if plain is None else dict(plain)


def _plain_conditions(plain: Any) -> dict[str, Any] | None:
    # What they say is checked when a decision reads them; telling need not wait for that.
    if plain is not None and not isinstance(plain, Mapping):
        raise ValueError(f"conditions={plain!r} are no object of fields.")
    return None if plain is None else dict(plain)


def _written_conditions(
    conditions: Conditions | Mapping[str, Any] | None,
) -> dict[str, Any] | None:
    if conditions is None:
        return None
    from palacs.conditions import Conditions

    if not isinstance(conditions, (Conditions, Mapping)):
        raise ValueError(
            f"conditions={_values.brief(conditions)} must be an object of fields, see "
            "palacs.Conditions."
        )
    if not isinstance(conditions, Conditions):
        conditions = Conditions.from_dict(conditions)
    return conditions.to_dict() or None


def _spec_of(strategy: Strategy | Mapping[str, Any] | str | None) -> dict[str, Any]:
    from palacs import strategies

    if strategy is None:
        strategy = strategies.DEFAULT_STRATEGY
    if isinstance(strategy, str):
        strategy = strategies.make(strategy)
    if isinstance(strategy, Mapping):
        strategy = strategies.from_spec(dict(strategy))
    if not isinstance(strategy, strategies.Strategy):
        raise ValueError(
            f"strategy={_values.brief(strategy)} is no strategy; give one, or its name as "
            "palacs strategies lists it."
        )
    return strategies.to_spec(strategy)


def _own_seed(spec: Mapping[str, Any]) -> int:
    # A strategy that was given a seed passes it on; otherwise draw one and write it down.
    given = spec.get("params", {}).get("random_state")
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return int(given)
    return secrets.randbelow(2**32)
