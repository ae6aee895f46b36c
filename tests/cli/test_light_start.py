"""Commands that decide start without what no decision needs, and nothing is missing later."""

from __future__ import annotations

import subprocess
import sys


def _said(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_decision_loads_neither_pandas_nor_all_of_statistics() -> None:
    code = (
        "import sys\n"
        "from palacs.cli._light_start import import_decisions\n"
        "import_decisions()\n"
        "from palacs import SpareSettled\n"
        "SpareSettled(random_state=0).query([[0.0], [0.5], [1.0]], ['a', 'b', 'a'])\n"
        "print([name in sys.modules for name in ('pandas', 'pandas.core', 'scipy.stats')])"
    )
    assert _said(code) == "[False, False, False]"


def test_what_was_left_out_is_there_when_it_is_needed() -> None:
    code = (
        "from palacs.cli._light_start import import_decisions\n"
        "import_decisions()\n"
        "from sklearn.utils import fixes\n"
        "import pandas, scipy.stats\n"
        "print(int(fixes._mode([1, 2, 2]).mode[0]), fixes.pd.DataFrame is pandas.DataFrame,"
        " scipy.stats.norm.cdf(0.0))"
    )
    assert _said(code) == "2 True 0.5"
