"""One word for any data: built-in, file or OpenML, each with its own errors."""

import gzip
import hashlib
import json
import urllib.request

import numpy as np
import pytest

from palacs.datasets import load_any

ARFF = """@RELATION smells
@ATTRIBUTE s1 NUMERIC
@ATTRIBUTE s2 INTEGER
@ATTRIBUTE day {mon,tue}
@ATTRIBUTE smell {rose,mint}
@DATA
"""


@pytest.fixture
def openml_cache(tmp_path, monkeypatch):
    """Put a data set where scikit-learn keeps those it has fetched from OpenML before."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def put(rows, targets=("smell",), ignored=("day",)):
        arff = (ARFF + "\n".join(rows) + "\n").encode()
        features = [
            {
                "index": str(i),
                "name": name,
                "data_type": kind,
                "is_target": str(name in targets).lower(),
                "is_ignore": str(name in ignored).lower(),
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
                **({"nominal_value": values} if values else {}),
            }
            for i, (name, kind, values) in enumerate(
                [
                    ("s1", "numeric", None),
                    ("s2", "numeric", None),
                    ("day", "nominal", ["mon", "tue"]),
                    ("smell", "nominal", ["rose", "mint"]),
                ]
            )
        ]
        description = {
            "id": "7",
            "name": "smells",
            "version": "1",
            "status": "active",
            "file_id": "7",
            "format": "ARFF",
            "licence": "CC0",
            "description": "",
            "url": "https://www.openml.org/data/v1/download/7/smells.arff",
            "md5_checksum": hashlib.md5(arff).hexdigest(),
        }
        answers = {
            "api/v1/json/data/7": {"data_set_description": description},
            "api/v1/json/data/features/7": {"data_features": {"feature": features}},
            "api/v1/json/data/qualities/7": {"data_qualities": {"quality": []}},
        }
        files = {path: json.dumps(answer).encode() for path, answer in answers.items()}
        # scikit-learn 1.6 asks for the file by its number, later ones by its address.
        files |= {"data/v1/download/7/smells.arff": arff, "data/v1/download/7": arff}
        for path, content in files.items():
            cached = tmp_path / "openml" / "openml.org" / f"{path}.gz"
            cached.parent.mkdir(parents=True, exist_ok=True)
            cached.write_bytes(gzip.compress(content))

    return put


def test_a_built_in_name_is_loaded_with_its_seed():
    first, again = (load_any("spirals", random_state=1) for _ in range(2))
    assert first.name == "Spirals"
    np.testing.assert_array_equal(first.X, again.X)


def test_a_file_is_read(tmp_path):
    (tmp_path / "wine.csv").write_text("x,k\n1,a\n2,b\n")
    assert load_any(tmp_path / "wine.csv", "k").n_instances == 2
    assert load_any(str(tmp_path / "wine.csv"), "k").n_instances == 2


def test_a_path_in_a_folder_is_never_taken_for_a_name(tmp_path):
    with pytest.raises(ValueError, match="cannot tell the format"):
        load_any(tmp_path / "wine")


def test_a_missing_file_is_not_found():
    with pytest.raises(FileNotFoundError, match=r"no file nowhere.csv"):
        load_any("nowhere.csv", "k")


def test_a_word_that_is_nothing_is_explained():
    with pytest.raises(
        ValueError, match=r"'vehicel' is neither.*Did you mean 'Vehicle'.*openml:ID"
    ):
        load_any("vehicel")


def test_a_built_in_name_takes_no_target():
    with pytest.raises(ValueError, match=r"'iris' is a built-in data set.*leave out.*'species'"):
        load_any("iris", "species")


@pytest.mark.parametrize("word", ["openml:", "openml:iris", "openml:-1", "openml:0", "OpenML:1.5"])
def test_openml_wants_a_number(word):
    with pytest.raises(ValueError, match=f"'{word}': after openml: comes the data set's number"):
        load_any(word)


def test_openml_data_come_with_their_own_target_name_and_licence(openml_cache):
    openml_cache(["0.5,1,mon,rose", "0.25,2,tue,mint", "1,3,tue,rose"])
    smells = load_any("openml:7")
    assert repr(smells) == "Dataset('smells', 3 instances, 2 features, 2 classes)"
    assert smells.X.tolist() == [[0.5, 1.0], [0.25, 2.0], [1.0, 3.0]]
    assert smells.labels.tolist() == ["rose", "mint", "rose"]
    assert smells.license == "CC0"
    assert smells.source == "https://www.openml.org/d/7"


def test_openml_data_can_have_another_target(openml_cache):
    openml_cache(["0.5,1,mon,rose", "0.25,2,tue,mint"])
    with pytest.raises(ValueError, match="openml:7 has features that are not numbers: 'smell'"):
        load_any("openml:7", "s2")
    with pytest.raises(ValueError, match=r"openml:7 has no column 'color'.*'s1', 's2', 'smell'"):
        load_any("openml:7", "color")


def test_openml_data_with_gaps_are_refused(openml_cache):
    openml_cache(["0.5,1,mon,rose", "?,2,tue,mint", "0.7,3,mon,mint"])
    with pytest.raises(ValueError, match=r"openml:7 has 1 missing values in 1 of 3 rows .'s1': 1"):
        load_any("openml:7")


@pytest.mark.parametrize("targets", [(), ("s1", "s2")])
def test_openml_data_without_exactly_one_target_need_it_named(openml_cache, targets):
    openml_cache(["0.5,1,mon,rose", "0.25,2,tue,mint"], targets=targets)
    with pytest.raises(ValueError, match="openml:7: say which column holds the class"):
        load_any("openml:7")


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_without_a_network_openml_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    # urllib remembers the proxies of its first use for as long as the process lives.
    monkeypatch.setattr(urllib.request, "_opener", None)
    # A proxy nobody listens at makes every machine an offline one.
    for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ConnectionError, match=r"openml:54 cannot be fetched.*download.*CSV"):
        load_any("openml:54")
