"""What the paper leaves open, and how palacs reads each point."""

from __future__ import annotations

from palacs.experiments import paper

for reading in paper.READINGS:
    print(f"{reading.point}\n: {reading.reading.replace('*', chr(92) + '*')}\n")
