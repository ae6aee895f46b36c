"""A column of subjects is no feature, and no subject is in both parts of a split."""

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import load_any, read_table


def table():
    return pd.DataFrame(
        {
            "u": [0.1, 0.2, 0.3, 0.4],
            "subject": ["07", "07", "8", "NA"],
            "label": ["a", "b", "a", "b"],
        }
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_column_of_groups_is_kept_as_text_and_is_no_feature(tmp_path, suffix):
    path = tmp_path / f"lab.{suffix}"
    table().to_csv(path, index=False) if suffix == "csv" else table().to_parquet(path)
    dataset = read_table(path, "label", groups="subject")
    assert dataset.feature_names == ("u",)
    assert dataset.groups is not None
    assert dataset.groups.tolist() == ["07", "07", "8", "NA"]
    assert "groups in 'subject'" in dataset.description


def test_groups_come_from_an_array_too(tmp_path):
    np.savez(tmp_path / "lab.npz", X=np.eye(3), y=[0, 1, 0], who=[7, 7, 9])
    groups = read_table(tmp_path / "lab.npz", groups="who").groups
    assert groups is not None
    assert groups.tolist() == [7, 7, 9]
    with pytest.raises(ValueError, match="has no array 'whom'; it has 'X', 'y', 'who'"):
        read_table(tmp_path / "lab.npz", groups="whom")


@pytest.mark.parametrize(
    ("groups", "changed", "complaint"),
    [
        ("person", {}, r"has no column 'person' for the groups. It has 'u', 'subject', 'label'"),
        ("label", {}, "'label' holds the classes"),
        ("subject", {"subject": ["s1", "s1", "", "s2"]}, "'subject' is empty in 1 rows"),
        ("subject", {"subject": ["s1"] * 4}, "'subject' holds one group only, 's1'"),
    ],
)
def test_groups_that_cannot_be_used_are_named(tmp_path, groups, changed, complaint):
    table().assign(**changed).to_csv(tmp_path / "lab.csv", index=False)
    with pytest.raises(ValueError, match=complaint):
        read_table(tmp_path / "lab.csv", "label", groups=groups)


def test_built_in_data_sets_know_their_groups():
    with pytest.raises(ValueError, match="'iris' is a built-in data set and knows its groups"):
        load_any("iris", groups="subject")
