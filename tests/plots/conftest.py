import numpy as np
import pandas as pd
import pytest

STRATEGIES = ("PAL-ACS", "Random", "My own")
DATASETS = ("Spirals", "Yeast")


@pytest.fixture
def curves():
    rows = [
        (dataset, strategy, n, 0.5 / n + 0.1 + 0.01 * i, 0.05)
        for dataset in DATASETS
        for i, strategy in enumerate(STRATEGIES)
        for n in range(1, 13)
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "strategy", "acquired", "mean_error", "std_error"]
    )


@pytest.fixture
def table1():
    rows = [
        (dataset, strategy, phase, 0.3 + 0.01 * i, 0.5, paper, 0.4)
        for dataset in DATASETS
        for i, (strategy, paper) in enumerate(zip(STRATEGIES, (0.29, 0.34, np.nan), strict=True))
        for phase in (1, 2, 3, 4)
    ]
    return pd.DataFrame(
        rows,
        columns=[
            "dataset", "strategy", "phase", "error", "win_ratio", "paper_error", "paper_win_ratio",
        ],
    )  # fmt: skip


@pytest.fixture
def table2():
    rows = [
        (dataset, strategy, name, share, paper)
        for dataset in DATASETS
        for strategy in STRATEGIES
        for name, share, paper in (("easy", 0.2, 0.25), ("hard", 0.8, np.nan))
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "strategy", "class", "proportion", "paper_proportion"]
    )


@pytest.fixture
def comparison():
    return pd.DataFrame(
        {
            "strategy": ["PAL-ACS", "Uniform"],
            "versus": ["Random", "Random"],
            "mean_difference": [-0.021, 0.004],
            "low": [-0.03, -0.001],
            "high": [-0.012, 0.009],
            "p_holm": [0.00001, 0.31],
        }
    )
