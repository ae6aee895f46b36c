"""How long people and programs wait for the studio: pages, words, news, fifty clients, 600 streams.

    python benchmarks/studio.py [--clients 50] [--seconds 60] [--instances 10000] [--streams 600]

Starts real studios on SQLite files of their own, and a real browser. Fails if an acknowledged
instance is missing from the record. ``--clients 0`` and ``--streams 0`` leave these out.
"""

from __future__ import annotations

import argparse

from _studio_load import clients_at_once, streams_open
from _studio_pages import fill, pages, told_elsewhere, visiting, words
from _studio_running import heading, running_studio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument("--streams", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=5, help="Visits to each page.")
    options = parser.parse_args()
    heading()
    kept = True
    if options.clients:
        with running_studio() as studio:
            kept = clients_at_once(studio, options.clients, options.seconds)
    if options.streams:
        with running_studio() as studio:
            streams_open(studio, options.streams, 20)
    with running_studio() as studio:
        fill(studio, options.instances)
        print(f"with {options.instances:,} instances:")
        with visiting(studio) as context:
            pages(studio, context, options.repeats)
            told_elsewhere(studio, context, 20)
            words(studio, context, options.presses)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
