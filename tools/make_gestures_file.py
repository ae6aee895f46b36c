"""Rebuild or verify the file of gestures under src/palacs/datasets/data from its public carrier.

The samples are those of the tests of LibEMG, in its source distribution on the Python Package
Index. Download it (``pip download --no-deps --no-binary libemg libemg==2.0.3``) and hand its path
to this script:

    python tools/make_gestures_file.py libemg-2.0.3.tar.gz --check

``--check`` compares with the shipped file and writes nothing; without it the file is written and
its SHA-256 sum printed, which belongs into ``palacs.datasets._gestures``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
import tarfile
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "src/palacs/datasets/data/gestures.csv.gz"
HEADER = ",".join(["repetition", "gesture", *(f"emg{channel}" for channel in range(8))])


def as_csv(archive: tarfile.TarFile) -> bytes:
    """Write every sample as the source spells it, with its repetition and gesture in front."""
    lines = [HEADER]
    for repetition in range(4):
        for gesture in range(5):
            name = f"libemg-2.0.3/tests/data/myo_dataset/R_{repetition}_C_{gesture}_EMG.csv"
            found = archive.extractfile(name)
            assert found is not None
            for line in found.read().decode("ascii").split():
                if len([int(value) for value in line.split(",")]) != 8:
                    raise SystemExit(f"{name}: {line!r} does not have eight channels.")
                lines.append(f"{repetition},{gesture},{line}")
    return ("\n".join(lines) + "\n").encode("ascii")


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libemg", type=Path, help="source distribution of libemg 2.0.3")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    args = parser.parse_args()
    with tarfile.open(args.libemg) as archive:
        content = as_csv(archive)
    if not args.check:
        # A fixed time stamp keeps the file the same from one run to the next.
        FILE.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))
    same = FILE.exists() and gzip.decompress(FILE.read_bytes()) == content
    print(hashlib.sha256(content).hexdigest(), "same" if same else "DIFFERS")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
