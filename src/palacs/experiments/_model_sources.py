"""The model to judge, however somebody names it: an object, a class, a factory, or a path to one.

A file of the working directory need not be installed: its code travels to the workers with the
model.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor

from palacs.objects import object_at

_SUCH_AS = "sklearn.linear_model.LogisticRegression"
_REMEDY = f"give one such as {_SUCH_AS}, or FILE.py:NAME of your own"
_METHODS = ("fit", "predict", "get_params", "set_params")


def model_from(model: Any) -> Any:
    """Return a classifier from an instance, a class, a factory or a path.

    Parameters
    ----------
    model : scikit-learn classifier, class, callable or str
        A pipeline is a classifier too. A class and a factory are called without arguments. A path
        is an import path (``sklearn.naive_bayes.GaussianNB``), or where an object, a class or a
        factory stands in a file or module of the working directory (``my_model.py:model``,
        ``my_models:make``).

    Returns
    -------
    classifier : scikit-learn classifier

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model_from(GaussianNB), model_from(lambda: GaussianNB())
    (GaussianNB(), GaussianNB())
    """
    if isinstance(model, str):
        return classifier_from_path(model)
    if not isinstance(model, type) and hasattr(model, "fit"):
        return checked_model(model, repr(model))
    if not callable(model):
        raise ValueError(f"model={model!r} is no classifier, class or factory; {_REMEDY}.")
    return _called(model, f"model={getattr(model, '__qualname__', model)!r}")


def classifier_from_path(path: str) -> Any:
    """Make a classifier from its import path, or from FILE.py:NAME or MODULE:NAME.

    Examples
    --------
    >>> classifier_from_path("sklearn.naive_bayes.GaussianNB")
    GaussianNB()
    """
    if ":" in path:
        found = object_at(path, "a model")
        if not isinstance(found, type) and hasattr(found, "fit"):
            return checked_model(found, repr(path))
        if not callable(found):
            raise ValueError(f"{path!r} is neither a classifier, a class nor a factory; {_REMEDY}.")
        return _called(found, repr(path))
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
        # A function of that name is not called: who knows what it does.
        usable = isinstance(found, type) and issubclass(found, BaseEstimator)
        made = found() if usable else None
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ValueError(f"cannot make a classifier from {path!r} ({error}); {_REMEDY}.") from error
    if made is None:
        raise ValueError(f"{path!r} is not a classifier; {_REMEDY}.")
    return checked_model(made, repr(path))


def checked_model(model: Any, what: str) -> Any:
    """Return a classifier, or say what it lacks."""
    # Some have a method only once they are fitted, as a stack of models has; their class tells.
    places = (model, type(model))
    missing = [m for m in _METHODS if not any(callable(getattr(p, m, None)) for p in places)]
    if isinstance(model, type) or missing:
        lacks = "is a class" if isinstance(model, type) else f"has no {' and no '.join(missing)}"
        raise ValueError(f"{what} is not a scikit-learn classifier: it {lacks}; {_REMEDY}.")
    # What has no tags need not be of scikit-learn: its methods are enough.
    tagged = hasattr(model, "__sklearn_tags__")
    if tagged and (
        is_regressor(model) or (isinstance(model, BaseEstimator) and not is_classifier(model))
    ):
        raise ValueError(f"{what} is not a classifier; {_REMEDY}.")
    return model


def _called(factory: Any, what: str) -> Any:
    try:
        made = factory()
    except TypeError as error:
        raise ValueError(
            f"{what} cannot be called without arguments ({error}); give an instance, or a factory "
            "that needs none."
        ) from error
    return checked_model(made, f"what {what} makes, {made!r},")
