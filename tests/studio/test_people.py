"""Several people by links: who is let in, what they reach, and what is in the record of it."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest
from typer.testing import CliRunner

from palacs.cli._app import build_app

from .wire import cookie, send


@pytest.fixture(scope="module")
def lab(first_studio: Any) -> Any:
    for name in ("people", "elsewhere"):
        first_studio.post("/campaigns", {"name": name, "classes": ["a", "b"], "seed": 1})
    return first_studio


def let_in(studio: Any, role: str, campaign: str | None = "people", **more: Any) -> dict[str, Any]:
    """Make a link; its secret is added to what is answered."""
    body = {"role": role, "campaign": campaign, "name": f"{role} of {campaign}", **more}
    made: dict[str, Any] = studio.post("/links", body)
    return {**made, "secret": made["url"].partition("token=")[2]}


def call(
    studio: Any, link: dict[str, Any], method: str, path: str, body: Any = None, **headers: Any
) -> tuple[int, Any]:
    """Send a request as whoever has the link."""
    answer = send(
        studio,
        method,
        f"/api/v1{path}",
        body,
        Authorization=f"Bearer {link['secret']}",
        **headers,
    )
    return answer.status, json.loads(answer.body) if answer.body else None


def upload(studio: Any, link: dict[str, Any], id_: str, content: bytes, name: str, op: str) -> Any:
    """Bring a recording."""
    border = "palacs-test"
    head = (
        f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    request = urllib.request.Request(
        f"{studio.base_url}/api/v1/campaigns/people/recording?id={id_}",
        data=head.encode() + content + f"\r\n--{border}--\r\n".encode(),
        headers={
            "Authorization": f"Bearer {link['secret']}",
            "Content-Type": f"multipart/form-data; boundary={border}",
            "Palacs-Holder": "phone",
            "Idempotency-Key": op,
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def test_a_link_leads_to_its_own_page_and_its_secret_leaves_the_address(lab: Any) -> None:
    for role, page in (("participant", "/cue"), ("annotator", "/annotate"), ("viewer", "")):
        link = let_in(lab, role)
        assert link["url"].startswith(f"{lab.base_url}/?token=")
        assert link["qr"].startswith("data:image/svg+xml")
        answer = send(lab, "GET", f"/?token={link['secret']}")
        assert answer.status == 303
        assert answer.headers["Location"] == f"/campaigns/people{page}"
        assert link["secret"] not in str(answer.headers)
        mine = cookie(lab, link["secret"])
        assert send(lab, "GET", "/", Cookie=mine).headers["Location"] == f"/campaigns/people{page}"
        assert send(lab, "GET", f"/campaigns/people{page}", Cookie=mine).status == 200
        refused = send(lab, "GET", "/campaigns/elsewhere", Cookie=mine, Accept="text/html")
        assert refused.status == 403
        assert b"not part of it" in refused.body


def test_secrets_are_in_no_file(lab: Any) -> None:
    link = let_in(lab, "viewer")
    kept = lab.folder / "lab.db.links"
    assert kept.stat().st_mode & 0o077 == 0
    for file in lab.folder.glob("lab.db*"):
        assert not file.is_file() or link["secret"].encode() not in file.read_bytes()


def test_annotators_work_on_their_own_and_the_record_says_who_did_it(lab: Any) -> None:
    anna, ben = let_in(lab, "annotator", name="Anna"), let_in(lab, "annotator", name="Ben")
    asked = []
    for link in (anna, ben):
        # Whatever name and holder they claim, they are who the link was made for.
        _, seen = call(
            lab,
            link,
            "POST",
            "/campaigns/people/next",
            {},
            Palacs_Holder="same",
            Palacs_Person="Mallory",
        )
        asked.append(seen["asked"]["id"])
    assert asked[0] != asked[1]
    assert call(lab, anna, "POST", "/campaigns/people/performed", {"id": asked[0]})[0] == 409
    holders = {link["name"]: f"{link['id']}.same" for link in (anna, ben)}
    for link, theirs in ((ben, asked[0]), (anna, asked[1])):
        for what, body in (
            ("performed", {"id": theirs}),
            ("fail", {"id": theirs}),
            ("tell", {"id": theirs, "x": [1.0]}),
            ("claim", {"id": theirs, "take_over": True}),
        ):
            for holder in ("same", *holders.values()):
                status, answer = call(
                    lab,
                    link,
                    "POST",
                    f"/campaigns/people/{what}",
                    body,
                    Palacs_Holder=holder,
                )
                assert (status, answer["error"]["kind"]) == (409, "conflict"), (what, holder)
    elsewhere = {"id": asked[0], "x": [0.5], "recording": {"uri": "file:///etc/hostname"}}
    status, answer = call(
        lab, anna, "POST", "/campaigns/people/tell", elsewhere, Palacs_Holder="same"
    )
    assert (status, answer["error"]["message"]) == (
        422,
        "a recording at an address is for experimenters; send its content.",
    )
    for link, id_ in ((anna, asked[0]), (ben, asked[1])):
        told = {"id": id_, "x": [0.5]}
        assert (
            call(lab, link, "POST", "/campaigns/people/tell", told, Palacs_Holder="same")[0] == 200
        )
    # Undo takes back one's own, whatever it names.
    status, undone = call(
        lab,
        anna,
        "POST",
        "/campaigns/people/undo",
        {"by": holders["Ben"]},
        Palacs_Holder="same",
    )
    assert (status, undone["id"], undone["state"]) == (200, asked[0], "retracted")
    rows = {row["id"]: row for row in lab.get("/campaigns/people/history")["rows"]}
    assert [rows[id_]["told_by"] for id_ in asked] == ["Anna", "Ben"]
    assert rows[asked[1]]["state"] == "delivered"


def test_what_is_brought_is_kept_and_sent_twice_is_there_once(lab: Any) -> None:
    anna = let_in(lab, "annotator", name="Anna")

    def ask() -> str:
        _, seen = call(lab, anna, "POST", "/campaigns/people/next", {}, Palacs_Holder="phone")
        return str(seen["asked"]["id"])

    before = lab.get("/campaigns/people/status")["instances"]
    id_ = ask()
    for _ in range(2):
        answer = upload(lab, anna, id_, b"0.25\n", "trial.csv", "op-table")
        assert (answer["id"], answer["state"]) == (id_, "delivered")
    photo = bytes(range(256)) * 2000
    id_ = ask()
    for _ in range(2):
        answer = upload(lab, anna, id_, photo, "IMG.JPG", "op-photo")
        assert (answer["state"], answer["why"]) == ("awaiting", "no extractor is in force yet")
    assert lab.get("/campaigns/people/status")["instances"] == before + 1
    (kept,) = (lab.folder / "lab.db.recordings" / "people").iterdir()
    assert kept.read_bytes() == photo
    assert kept.stat().st_mode & 0o077 == 0
    assert str(lab.folder) not in json.dumps(answer)
    (mine, *_) = call(lab, anna, "GET", "/campaigns/people/mine", Palacs_Holder="phone")[1]["mine"]
    assert (mine["id"], mine["state"], mine["recorded"]) == (id_, "awaiting", True)
    # The numbers of what waits can be told by whoever reads it.
    lab.post("/campaigns/people/tell", {"id": id_, "x": [0.75]})
    told = lab.get(f"/campaigns/people/instance?id={id_}")["instance"]
    assert told["recording"]["sha256"]
    too_large = send(
        lab,
        "POST",
        f"/api/v1/campaigns/people/recording?id={id_}",
        Authorization=f"Bearer {anna['secret']}",
        Content_Length=str(65 * 2**20),
    )
    assert (too_large.status, too_large.kind) == (413, "too-large")
    assert b"shorter recording" in too_large.body


def test_a_stream_says_no_more_than_a_role_may_know_and_ends_with_the_link(lab: Any) -> None:
    anna, view = let_in(lab, "participant"), let_in(lab, "viewer")
    streams = {}
    for link in (anna, view):
        request = urllib.request.Request(
            f"{lab.base_url}/api/v1/events?campaign=people&campaign=elsewhere",
            headers={"Authorization": f"Bearer {link['secret']}"},
        )
        streams[link["id"]] = urllib.request.urlopen(request, timeout=30)

    def heard(link: dict[str, Any], until: str) -> str:
        text = ""
        while until not in text:
            line = streams[link["id"]].readline().decode()
            assert line, f"the stream ended: {text}"
            text += line
        return text

    for link in (anna, view):
        assert "elsewhere" not in heard(link, "event: hello\n")
    lab.post("/campaigns/elsewhere/pause", {"label": "b"})
    lab.post("/campaigns/people/pause", {"label": "b"})
    lab.post("/campaigns/people/resume", {"label": "b"})
    seen = heard(view, "resumed")
    assert '"paused"' in seen
    assert "elsewhere" not in seen
    seen = "".join(heard(anna, "event: changed\n") + heard(anna, "\n\n") for _ in range(2))
    assert "paused" not in seen
    assert '"label"' not in seen
    lab.post("/links/revoke", {"id": anna["id"]})
    lab.post("/campaigns/people/pause", {"label": "b"})
    lab.post("/campaigns/people/resume", {"label": "b"})
    rest = streams[anna["id"]].read().decode()
    assert "event" not in rest
    for stream in streams.values():
        stream.close()


def test_links_are_made_listed_and_revoked_on_the_command_line_beside_a_studio(lab: Any) -> None:
    def palacs(*given: str) -> str:
        ran = CliRunner().invoke(build_app(), ["studio", *given, "--storage", lab.storage])
        assert ran.exit_code == 0, ran.output
        return ran.output

    made = json.loads(palacs("link", "people", "--name", "Cleo", "--role", "viewer", "--json"))
    assert made["url"].startswith(f"{lab.base_url}/?token=")
    link = {"secret": made["url"].partition("token=")[2]}
    assert call(lab, link, "GET", "/campaigns/people/status")[0] == 200
    assert f"{made['id']}\topen\tviewer\tpeople\tCleo" in palacs("links")
    assert "1 ended" in palacs("unlink", made["id"])
    assert call(lab, link, "GET", "/campaigns/people/status")[0] == 401


def test_experimenters_of_a_campaign_let_others_in_to_it_and_take_them_along(lab: Any) -> None:
    boss = let_in(lab, "experimenter")
    status, made = call(
        lab, boss, "POST", "/campaigns/people/links", {"role": "viewer", "name": "Dora"}
    )
    assert (status, made["campaign"], made["by"]) == (201, "people", boss["id"])
    guest = {"secret": made["url"].partition("token=")[2]}
    assert call(lab, guest, "GET", "/campaigns/people/status")[0] == 200
    assert call(lab, boss, "POST", "/links", {"role": "viewer", "name": "Emil"})[0] == 403
    other = let_in(lab, "viewer", "elsewhere")
    ended = {"id": other["id"]}
    assert call(lab, boss, "POST", "/campaigns/people/links/revoke", ended)[0] == 404
    assert lab.post("/links/revoke", {"id": boss["id"]})["ended"] == 2
    assert call(lab, guest, "GET", "/campaigns/people/status")[0] == 401


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"role": "annotator", "name": "x"}, "say which"),
        ({"role": "king", "name": "x"}, "role"),
        ({"role": "viewer", "name": ""}, "name"),
        ({"role": "viewer", "name": "x", "days": 0}, "days"),
        ({"role": "viewer", "name": "x", "campaign": "nowhere"}, "nowhere"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused(lab: Any, wrong: dict[str, Any], said: str) -> None:
    status, answer = lab.call("POST", "/links", wrong)
    assert status in (404, 422)
    assert said in answer["error"]["message"]


def test_a_file_of_links_that_is_damaged_locks_out_nobody_but_them(lab: Any) -> None:
    link, file = let_in(lab, "viewer"), lab.folder / "lab.db.links"
    whole = file.read_bytes()
    try:
        file.write_bytes(b"no database" * 100)
        status, answer = call(lab, link, "GET", "/campaigns/people/status")
        assert (status, answer["error"]["kind"]) == (503, "links")
        assert str(lab.folder) not in answer["error"]["message"]
        assert lab.call("GET", "/campaigns/people/status")[0] == 200
        assert lab.call("GET", "/links")[0] == 503
    finally:
        file.write_bytes(whole)
    assert call(lab, link, "GET", "/campaigns/people/status")[0] == 200
