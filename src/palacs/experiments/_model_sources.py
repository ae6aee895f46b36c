"""The model to judge, however somebody names it: an object, a class, a factory, or a path to one.

A file of the working directory need not be installed: its code travels to the workers with the
model.
"""

from __future__ import annotations

import sys
from importlib import import_module, util
from pathlib import Path
from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor

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
    where, colon, name = path.rpartition(":")
    if colon:
        found = _named_in(_local_module(where, path), name, path)
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
    missing = [method for method in _METHODS if not callable(getattr(model, method, None))]
    if isinstance(model, type) or missing:
        lacks = "is a class" if isinstance(model, type) else f"has no {' and no '.join(missing)}"
        raise ValueError(f"{what} is not a scikit-learn classifier: it {lacks}; {_REMEDY}.")
    if is_regressor(model) or (isinstance(model, BaseEstimator) and not is_classifier(model)):
        raise ValueError(f"{what} is not a classifier; {_REMEDY}.")
    return model


def seeded(model: Any, seed: int) -> Any:
    """Return the model with every seed that was left open set, so that trials can be repeated.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7).random_state
    7
    """
    open_seeds = {
        key: seed
        for key, value in sorted(model.get_params(deep=True).items())
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    }
    return clone(model).set_params(**open_seeds) if open_seeds else model


def _called(factory: Any, what: str) -> Any:
    try:
        made = factory()
    except TypeError as error:
        raise ValueError(
            f"{what} cannot be called without arguments ({error}); give an instance, or a factory "
            "that needs none."
        ) from error
    return checked_model(made, f"what {what} makes, {made!r},")


def _local_module(where: str, path: str) -> ModuleType:
    file = Path(where if where.endswith(".py") else f"{where.replace('.', '/')}.py")
    try:
        if file.is_file():
            return _load(file)
        if where.endswith(".py") or not where:
            raise ValueError(f"there is no file {file} (looked in {file.absolute().parent})")
        _look_in(Path.cwd())
        return import_module(where)
    except Exception as error:
        # The file is somebody's own code and may fail in any way.
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(
            f"cannot read a model from {path!r} ({kind}{error}); {_REMEDY}."
        ) from error


def _load(file: Path) -> ModuleType:
    """Run a file as a module that travels to other processes by value."""
    # Not its bare name: a file may be called like a module that is there already.
    spec = util.spec_from_file_location(f"palacs_model_{file.stem}", file.absolute())
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    _look_in(file.absolute().parent)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for pickler in ("joblib.externals.cloudpickle", "cloudpickle"):
        if util.find_spec(pickler) is not None:
            import_module(pickler).register_pickle_by_value(module)
    return module


def _look_in(folder: Path) -> None:
    # Workers take over where modules are looked for. Last: a file here may be called json.py.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _named_in(module: ModuleType, name: str, path: str) -> Any:
    if hasattr(module, name):
        return getattr(module, name)
    own = [key for key in vars(module) if not key.startswith("_")][:10]
    raise ValueError(f"{path!r}: there is no {name!r}; there is {', '.join(own) or 'nothing'}.")
