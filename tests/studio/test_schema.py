"""Whatever is sent, the studio answers as its schema says: accepts what it allows, and no more.

    SCHEMA_EXAMPLES=25 python -m pytest tests/studio/test_schema.py

tries more, with all values at the edges of what the schema allows.
"""

from __future__ import annotations

import os
import re
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS as ALL
from schemathesis.checks import load_all_checks

from palacs.campaign import create_campaign
from palacs.storage import MemoryStorage
from palacs.studio import StudioConfig, create_app

EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "4"))
TOKEN = {"Authorization": "Bearer a-known-token-for-the-tests", "Host": "localhost"}
PATIENCE_S = 120  # the first decision after a change of the code compiles
NAME, DEMO = "fuzzed", "fuzzed-demo"

# JSON Schema has no words for what these mean together or inside, so that some of what it allows is
# refused with 422; each with what the refusal then says. docs/rest.md has a sentence for each.
INEXPRESSIBLE = {
    "params": "",  # every strategy has its own
    "strategy": "needs the parameter",
    "conditions": "costs|proportions|mistakes|caps|dirichlet",  # the classes of this campaign
    "bounds": "bounds",  # low < high, as many as features
    "features": "features",  # as many units as names
    "text": "these numbers|not a usable number",
    "file": "",
    "strokes": "the drawing is empty",
    "recording": "is not as described",  # its content by size and SHA-256
    "answers": "answered twice",
    "across": "go together",
    "up": "go together",
}

load_all_checks()
EVERY_CHECK = list(ALL.get_all())
ACCEPTED: Any = ALL.get_one("positive_data_acceptance")


def app() -> Any:
    """A studio with a campaign, in this process."""
    storage = MemoryStorage()
    # Requests expire soon and the budget is small, so that there is always something to do.
    create_campaign(NAME, ["a", "b"], storage=storage, budget=20, lease=0.5, seed=0)
    return create_app(StudioConfig(storage=storage, token="a-known-token-for-the-tests", port=80))


def described(*, edges: bool) -> Any:
    """The studio by its schema, with all values at the edges of what that allows or not."""
    found = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app(), headers=TOKEN)
    # What can be printed is what Unicode says; of these characters the schema says it exactly.
    found.config.generation.codec = "iso8859-15"
    found.config.phases.coverage.enabled = edges
    found.config.headers = TOKEN
    return found


# The event streams never end; they have tests of their own. A campaign may be created with a
# million names of features, and to make a list of these for every edge takes hours.
creating = described(edges=False).include(path="/api/v1/campaigns", method="POST")
schema = (
    described(edges=EXAMPLES > 20)
    .exclude(path_regex="/events$")
    .exclude(path="/api/v1/campaigns", method="POST")
)
schema["/api/v1/demo/digits/start"]["POST"].Case(body={"name": DEMO}).call(headers=TOKEN)


def accepts_what_the_schema_allows(ctx: Any, response: Any, case: Any) -> None:
    """Check that valid data are accepted, save for what JSON Schema cannot say."""
    body = case.body if isinstance(case.body, dict) else {}
    told = [
        body,
        case.query or {},
        *(each for each in (body.get("answers") or ()) if isinstance(each, dict)),
    ]
    if response.status_code == 422:
        said = response.json()["error"]["message"]
        fields = INEXPRESSIBLE.keys() & {name for each in told for name in each}
        if any(re.search(INEXPRESSIBLE[name], said) for name in fields):
            return
    ACCEPTED(ctx, response, case)


CHECKS = [
    accepts_what_the_schema_allows if check.__name__ == "positive_data_acceptance" else check
    for check in EVERY_CHECK
]
QUIETLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def make_it_matter(case: Any) -> None:
    """Name things that exist: a random campaign, class or request would hardly be found."""
    if "name" in case.path_parameters:
        case.path_parameters["name"] = DEMO if "/demo/" in case.path else NAME
    if not isinstance(case.body, dict) or not case.meta.generation.mode.is_positive:
        return
    real: dict[str, Any] = {"label": "a", "strategy": "uniform", "params": {}, "classes": [1, 2]}
    if case.path.endswith(("/tell", "/fail", "/performed", "/drawing", "/renew", "/claim")):
        asked = case.operation.schema.app.state.book.get(case.path_parameters["name"]).pending()
        real["id"] = asked[0].id if asked else "r1"
    for key, value in case.body.items():
        # Half of the texts and lists stay as odd as they came.
        if key in real and isinstance(value, (str, list, dict)) and len(value) % 2:
            case.body[key] = real[key]


@schema.parametrize()
@QUIETLY
def test_every_answer_is_as_the_schema_says(case: Any) -> None:
    make_it_matter(case)
    case.call_and_validate(headers=TOKEN, checks=CHECKS, timeout=PATIENCE_S)


@creating.parametrize()
@QUIETLY
def test_a_campaign_is_created_as_the_schema_says(case: Any) -> None:
    make_it_matter(case)
    case.call_and_validate(headers=TOKEN, checks=CHECKS, timeout=PATIENCE_S)


class Visits(schema.as_state_machine()):  # type: ignore[misc]
    """Calls that follow each other, each with what the one before answered."""

    def get_call_kwargs(self, case: Any) -> dict[str, Any]:
        return {"headers": TOKEN, "timeout": PATIENCE_S}

    def validate_response(self, response: Any, case: Any, **_: Any) -> None:
        sent = self.get_call_kwargs(case)
        case.validate_response(response, checks=CHECKS, transport_kwargs=sent)


test_calls_that_follow_each_other = Visits.TestCase
test_calls_that_follow_each_other.settings = settings(QUIETLY, stateful_step_count=6)
