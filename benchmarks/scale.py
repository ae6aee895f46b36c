"""How decisions grow with classes, instances and features: time, memory, fitted exponents.

On the CPU (the default) each size runs in a process of its own; a table and a picture are saved.
On a GPU the same decisions are held against float64, and timed beside the arithmetic's floor.

    python benchmarks/scale.py [--quick]
    python benchmarks/scale.py --device cuda [--quick]
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

# Each device's part is a module with ``report(quick, folder)``.
PARTS = {"cpu": "_scale_cpu", "cuda": "_scale_cuda"}
IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", choices=sorted(PARTS), default="cpu")
    parser.add_argument("--quick", action="store_true", help="small sizes only, in a minute")
    parser.add_argument("--folder", type=Path, default=IMAGES, help="where the picture goes")
    options = parser.parse_args()
    import_module(PARTS[options.device]).report(options.quick, options.folder)


if __name__ == "__main__":
    main()
