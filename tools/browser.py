"""The browser in which the pages are tested: the system's, or else Playwright's own.

``python tools/browser.py`` gets one, and curl for the example client, where it may: from the
system's package manager, and without rights on the system by Playwright's download. Where neither
works it says what to do and exits with 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DOWNLOAD_S = 300
WITHOUT = """\
no browser: none of {names} is on the PATH, and Playwright's own
could not be {failed}: {why}
The pages are tested in a real browser. Let somebody with the rights install one
(Debian: sudo apt-get install chromium; Fedora: sudo dnf install chromium; macOS: brew install
--cask chromium), or repeat this where the network allows the download. All other tests run with:
{venv}/bin/pytest --ignore=tests/studio"""


def find() -> str | None:
    """Return the path of a browser that is installed, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None) or _own()


def _own() -> str | None:
    """Return Playwright's own browser, if it was downloaded."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return str(path) if path.is_file() else None


def _install(packages: list[str]) -> bool:
    """Ask the system's package manager; say whether there is one that may be used."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-q"], check=True)
        install = ["apt-get", "install", "-qy", "--no-install-recommends", *packages]
        return subprocess.run(install, env=quiet, check=False).returncode == 0
    if shutil.which("brew"):
        for name in packages:
            how = ["--cask"] if name == "chromium" else []
            subprocess.run(["brew", "install", *how, name], check=True)
        return True
    return False


def _download() -> str:
    """Get Playwright's own browser and open it once; return what went wrong, or nothing."""
    print("no browser on the PATH; downloading Playwright's own.", file=sys.stderr, flush=True)
    get = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        got = subprocess.run(get, capture_output=True, text=True, timeout=DOWNLOAD_S, check=False)
    except subprocess.TimeoutExpired:
        return _sorry("downloaded", f"nothing came within {DOWNLOAD_S} s")
    own = _own() if got.returncode == 0 else None
    if own is None:
        return _sorry("downloaded", _first_error(got.stdout + got.stderr))
    opened = subprocess.run(
        [own, "--headless", "--no-sandbox", "--dump-dom", "about:blank"],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if opened.returncode == 0 else _sorry("opened", _first_error(opened.stderr))


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    where = next((i for i, line in enumerate(lines) if "error" in line.lower()), len(lines) - 1)
    # What it was caused by stands in the next line.
    return " ".join(lines[where : where + 2]) or "no reason was given"


def _sorry(failed: str, why: str) -> str:
    names = ", ".join(name for name in NAMES if "/" not in name)
    return WITHOUT.format(names=names, failed=failed, why=why, venv=os.path.relpath(sys.prefix))


def main() -> int:
    """Get what is missing; return the exit status."""
    absent = [] if find() else ["chromium"]
    absent += [] if shutil.which("curl") else ["curl"]
    if not absent or _install(absent):
        return 0
    if "curl" in absent:
        print("the tests need curl; install it first (Debian: sudo apt-get install curl).")
        return 1
    problem = _download()
    if problem:
        print(problem, file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
