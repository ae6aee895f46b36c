"""``palacs demo bci``: the whole chain of a brain-computer interface, without any hardware.

A simulated participant in a process of its own sends eight channels as a lab stream and reacts to
the markers. A campaign decides which movement to ask for; epochs come back, are checked, kept,
turned into band power and told; the studio shows it live.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palacs.cli._campaign_io import reporting
from palacs.cli._printable import say
from palacs.extras import need

if TYPE_CHECKING:
    from palacs.campaign import Campaign, Instance
    from palacs.lsl import EpochSettings

_NAME = "bci"
_EXTRACTOR = "band-power(bands=((8, 13),))"
_UNSEEN_PER_CLASS = 60
_BAR = 40

demo_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Try a whole experiment without any hardware.",
)


@demo_app.callback()
def _group() -> None:
    """Keep the commands below apart, although there is one."""


@demo_app.command()
def bci(
    trials: Annotated[int, typer.Option("--trials", min=4, help="How many epochs to record.")] = 40,
    strategy: Annotated[str | None, typer.Option("--strategy", help="See palacs strategies.")] = (
        None
    ),
    seed: Annotated[int, typer.Option("--seed", help="Another one is another participant.")] = 0,
    out: Annotated[Path, typer.Option("--out", help="A new folder for everything.")] = Path("bci"),
    studio: Annotated[bool, typer.Option(help="Show it live in the browser, too.")] = True,
) -> None:
    """Run a brain-computer interface with a simulated participant, in about a minute and a half.

    Four movements are imagined, two of them alike. Markers and samples are real lab streams (LSL)
    that stay on this machine; only the person is simulated, and nothing about them was fitted to
    a real one.
    """
    with reporting():
        need("plots", "palacs demo bci")
        if out.exists() and any(out.iterdir()):
            raise ValueError(f"the folder {str(out)!r} is not empty; give a new one with --out.")
        out.mkdir(parents=True, exist_ok=True)
        storage = f"sqlite:///{out.absolute()}/palacs.db"
        chain = _Chain(out, storage, strategy, seed)
        with chain.campaign, _watched(storage, studio):
            chain.record(trials)
            chain.report()


class _Chain:
    """Everything between the participant and the accuracy."""

    def __init__(self, out: Path, storage: str, strategy: str | None, seed: int) -> None:
        from palacs.campaign import create_campaign
        from palacs.lsl import MOVEMENTS, EpochSettings, stay_on_this_machine

        stay_on_this_machine(f"palacs-demo-{os.getpid()}")
        self.out, self.seed, self.classes = out, seed, list(MOVEMENTS)
        self.settings = EpochSettings(0.5, 2.0, band=(6, 32), pad=0.2)
        self.campaign: Campaign = create_campaign(
            _NAME, MOVEMENTS, strategy=strategy, storage=storage, extractor=_EXTRACTOR, seed=seed
        )
        self.unseen, self.truth = _unseen(seed, self.settings)
        self.trials: list[dict[str, Any]] = []

    def record(self, trials: int) -> None:
        from palacs.lsl import ParticipantProcess
        from palacs.sources import LabStream

        with (
            ParticipantProcess(f"palacs-demo-{os.getpid()}", self.seed),
            LabStream(
                self.out / "epochs", "name=participant", self.settings, rest=(0.2, 0.4)
            ) as lab,
        ):
            say("Waiting for the participant to sit down ...")
            if not lab.markers.wait_for_listener(60):
                raise OSError("the simulated participant did not start within a minute.")
            say(
                f"{trials} trials of {self.settings.stop:g} s. Accuracy on {len(self.truth)} "
                "epochs of another sitting, which nobody learns from:\n"
            )
            self.campaign.run(
                lab, until=trials, on_told=self._told, on_failed=self._failed, progress=False
            )

    def _told(self, instance: Instance) -> None:
        self.trials.append({"label": instance.label, "accuracy": self._accuracy()})
        accuracy = self.trials[-1]["accuracy"]
        text = "" if accuracy != accuracy else f"{accuracy:4.0%}  {'█' * round(_BAR * accuracy)}"
        say(f"{len(self.trials):4}  {instance.label:8}{text}")

    def _failed(self, request: Any, reason: str) -> None:
        say(f"   -  {request.label:8}not recorded: {reason}")

    def _accuracy(self) -> float:
        y = self.campaign.labelled_set()[1]
        if len(set(y)) < len(self.classes):
            return float("nan")
        decided = self.campaign.model().predict(self.unseen)
        return float((decided == self.truth).mean())

    def report(self) -> None:
        import pandas as pd

        from palacs.plots import save, session_progress

        frame = pd.DataFrame(self.trials)
        about = (
            f"{len(frame)} trials of a simulated participant; accuracy of the campaign's model on "
            f"{len(self.truth)} epochs of another sitting."
        )
        figure = session_progress(frame, 1 / len(self.classes), about)
        pictures = save(figure, self.out / "accuracy")
        counts = frame["label"].value_counts()
        asked = ", ".join(f"{label} {counts.get(label, 0)}" for label in self.classes)
        say(f"\nAsked for: {asked} (feet and tongue are the two alike).")
        say(f"Picture:   {pictures[0]}")
        say(f"Epochs:    {self.out / 'epochs'} (XDF, with their SHA-256 in the record)")
        say(f"Look on:   palacs studio --storage sqlite:///{self.out / 'palacs.db'}")


def _unseen(seed: int, settings: EpochSettings) -> tuple[Any, Any]:
    """Return features and classes of another sitting of the same participant."""
    import numpy as np

    from palacs.extractors import extractor_from, with_rate
    from palacs.lsl import MOVEMENTS, SimulatedParticipant

    somebody = SimulatedParticipant(seed, sitting=1)
    truth = np.array(list(MOVEMENTS) * _UNSEEN_PER_CLASS)
    epochs = [with_rate(somebody.epoch(str(one), settings), somebody.rate) for one in truth]
    return extractor_from(_EXTRACTOR).extract(epochs), truth


@contextmanager
def _watched(storage: str, wanted: bool) -> Iterator[None]:
    """Show the campaign in the studio meanwhile, as a process of its own."""
    if not wanted:
        yield
        return
    need("studio", "the page of palacs demo bci (--no-studio goes without)")
    command = [sys.executable, "-m", "palacs", "studio", "--port", "0", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--storage", storage], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        say(f"Watch it live: {line.partition(': ')[2] or 'the studio did not start'}")
        yield
    finally:
        process.terminate()
        process.wait(20)
