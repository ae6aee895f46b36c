"""A client that a generator makes of the schema is small, complete and runs a whole campaign."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openapi_python_client", reason="comes with the extra dev")


_STRICT = ("--meta", "none", "--fail-on-warning")


class Generated:
    """The modules of a generated client."""

    def __init__(self, name: str, studio: Any) -> None:
        self._name = name
        self.models = importlib.import_module(f"{name}.models")
        self.types = importlib.import_module(f"{name}.types")
        client = importlib.import_module(f"{name}.client").AuthenticatedClient
        self._client = client(base_url=studio.base_url, token=studio.token)

    def call(self, operation: str, *args: Any, **more: Any) -> Any:
        """Call an operation by its tag and id; return what the answer was parsed to."""
        module = importlib.import_module(f"{self._name}.api.{operation}")
        return module.sync(*args, client=self._client, **more)


@pytest.fixture(scope="module")
def folder(first_studio: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the client was generated, from the schema that the studio serves."""
    place = tmp_path_factory.mktemp("client")
    schema, config, made_in = (place / name for name in ("schema.json", "c.yml", "palacs_client"))
    schema.write_text(json.dumps(first_studio.get("/openapi.json")))
    config.write_text("post_hooks: []\n")
    options = ["--path", str(schema), "--config", str(config), "--output-path", str(made_in)]
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", *options, *_STRICT],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made_in


def test_the_client_is_small(folder: Path) -> None:
    models = list((folder / "models").glob("*.py"))
    assert len(models) < 130, sorted(path.stem for path in models)
    names = {path.stem for path in (folder / "api").glob("*/*.py")}
    assert {"ask", "tell", "tell_many", "upload", "history", "export", "create"} <= names
    assert max(map(len, names)) <= 20


def test_the_client_runs_a_whole_campaign(
    folder: Path, shared_studio: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder.parent)
    client = Generated(folder.name, shared_studio)
    m, name = client.models, "generated"
    body = m.NewCampaign(name=name, classes=["left", "right"], budget=5, seed=1)
    made = client.call("campaigns.create", body=body, idempotency_key="make")
    assert (made.status.budget, made.settings.strategy.name) == (5, "spare-settled")
    [first] = client.call("campaigns.ask", name, body=m.Ask()).requests
    numbers = m.Tell(id=first.id, x=[0.5, 1.5])
    numbers.attrs = m.Attrs.from_dict({"subject": "s01"})
    told = client.call("campaigns.tell", name, body=numbers)
    assert (told.instance.label, told.instance.x) == (first.label, [0.5, 1.5])
    [second] = client.call("campaigns.ask", name, body=m.Ask()).requests
    file = client.types.File(io.BytesIO(b"0.25, 2.5"), "trial.csv", "text/csv")
    sent = client.call("record.upload", name, body=m.BodyUpload(file=file), id=second.id)
    assert sent.instance.x == [0.25, 2.5]
    more = client.call("campaigns.ask", name, body=m.Ask(n=2)).requests
    answers = [m.Tell(id=each.id, x=[float(i), 1.0]) for i, each in enumerate(more)]
    assert len(client.call("campaigns.tell_many", name, body=m.TellMany(answers)).instances) == 2
    rows = client.call("record.history", name, limit=3)
    assert (rows.total, len(rows.rows), "after=3" in rows.next_) == (4, 3, True)
    assert rows.rows[0].attrs.to_dict() == {"subject": "s01"}
    predicted = client.call("campaigns.predict", name, body=m.Predict([[0.0, 1.0]]))
    assert predicted.labels[0] in predicted.classes
    assert client.call("campaigns.status", name).instances == 4
    module = importlib.import_module(f"{folder.name}.api.record.export")
    whole = module.sync_detailed(name, client=client._client, format_=m.ExportFormat.CSV)
    assert b"generated" in whole.content
    refused = client.call("campaigns.tell", name, body=m.Tell(id="r99", x=[1.0, 2.0]))
    assert (type(refused), refused.error.kind) == (m.Error, "entry-not-found")
    again = client.call("campaigns.create", body=body, idempotency_key="other")
    assert again.error.kind == "campaign-exists"
