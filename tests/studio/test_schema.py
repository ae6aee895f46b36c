"""Whatever is sent, the REST interface answers as its OpenAPI schema says, and never fails."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks

from palacs.studio import StudioConfig, create_app

NAME, DEMO = "fuzzed", "fuzzed-demo"
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture(scope="module")
def fuzzed_studio(shared_studio: Any) -> Any:
    # Requests expire soon and the budget is small, so that there is always something to do.
    made = {"name": NAME, "classes": ["a", "b"], "budget": 20, "lease": 0.5, "seed": 0}
    shared_studio.post("/campaigns", made)
    shared_studio.post("/demo/digits/start", {"name": DEMO})
    return shared_studio


# The event stream never ends; it has tests of its own.
schema = schemathesis.openapi.from_dict(
    create_app(StudioConfig(storage="memory")).openapi()
).exclude(path_regex="/events$")


def make_it_matter(case: Any, studio: Any) -> None:
    """Name things that exist: a random campaign, class or request would hardly be found."""
    if "name" in case.path_parameters:
        case.path_parameters["name"] = DEMO if "/demo/" in case.path else NAME
    if not isinstance(case.body, dict):
        return
    real: dict[str, Any] = {"label": "a", "strategy": "uniform", "params": {}, "classes": [1, 2]}
    if case.path.endswith(("/tell", "/fail", "/performed", "/drawing")):
        pending = studio.get(f"/campaigns/{case.path_parameters['name']}/insight")["pending"]
        real["id"] = pending[0]["id"] if pending else "r1"
    for key, value in case.body.items():
        # Half of the texts and lists stay as odd as they came.
        if key in real and isinstance(value, (str, list, dict)) and len(value) % 2:
            case.body[key] = real[key]


@schema.parametrize()
@settings(
    max_examples=8,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_no_input_makes_the_studio_fail(case: Any, fuzzed_studio: Any) -> None:
    make_it_matter(case, fuzzed_studio)
    headers = {"Authorization": f"Bearer {fuzzed_studio.token}"}
    case.call_and_validate(fuzzed_studio.base_url, headers=headers, checks=CHECKS, timeout=60)
