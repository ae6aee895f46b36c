"""On a network: which addresses are answered, TLS with certificate files, and a proxy in front."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from palacs.cli._studio import _at, _warning
from palacs.studio import (
    StudioConfig,
    certificate_warning,
    check_certificate,
    create_app,
    reachable_address,
)

Through = Callable[..., list[dict[str, Any]]]
TOKEN = "a-known-token-for-the-tests"


def answer(
    through: Through, config: StudioConfig, path: str = "/api/v1/clock", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of one request."""
    app = app_of(config)
    given = {"authorization": f"Bearer {TOKEN}", **headers}
    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items() if v]
    bare, _, query = path.partition("?")
    scope = {"type": "http", "method": "GET", "path": bare, "headers": raw}
    sent = through(app, {**scope, "raw_path": bare.encode(), "query_string": query.encode()})
    named = {k.decode().lower(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], named, b"".join(part.get("body", b"") for part in sent[1:])


app_of = cache(create_app)


def config(**given: Any) -> StudioConfig:
    return StudioConfig(storage="memory", token=TOKEN, **given)


def test_only_addresses_that_were_said_are_answered(through: Through) -> None:
    public = config(public_url="https://lab.example")
    for host in ("lab.example", "LAB.example:443", "127.0.0.1:8765", "localhost:8765"):
        assert answer(through, public, host=host)[0] == 200, host
    for host in ("lab.example:8765", "lab.example.evil", "evil", "192.168.1.20:8765"):
        status, _, body = answer(through, public, host=host)
        assert (status, json.loads(body)["error"]["kind"]) == (400, "host"), host
    assert answer(through, config(), host="lab.example")[0] == 400


def test_what_a_proxy_says_counts_only_when_told_so(through: Through) -> None:
    said = {"host": "127.0.0.1:9", "x_forwarded_host": "lab.example", "x_forwarded_proto": "https"}
    told = config(public_url="https://lab.example", proxy=True)
    assert answer(through, told, **said)[0] == 200
    assert answer(through, config(public_url="https://lab.example"), **said)[0] == 400
    assert answer(through, told, **{**said, "x_forwarded_proto": "http"})[0] == 400
    assert answer(through, told, **{**said, "x_forwarded_host": "evil.example"})[0] == 400
    # Nor can it be talked out of looking at where a page comes from.
    for origin, status in (("https://lab.example", 200), ("http://lab.example", 403)):
        assert answer(through, told, **said, origin=origin)[0] == status


def test_over_tls_the_cookie_is_for_this_host_alone(through: Through) -> None:
    public = config(public_url="https://lab.example")
    path = f"/?token={TOKEN}"
    _, headers, _ = answer(through, public, path, host="lab.example", authorization="")
    assert headers["set-cookie"].startswith("__Host-palacs-studio-8765=")
    assert "Secure" in headers["set-cookie"]
    assert TOKEN not in headers["set-cookie"]
    _, headers, _ = answer(through, public, path, host="127.0.0.1:8765", authorization="")
    assert headers["set-cookie"].startswith("palacs-studio-8765=")


def test_without_tls_the_launch_token_is_for_this_machine(through: Through) -> None:
    public = config(public_url="http://192.168.1.20:8765")
    status, _, body = answer(through, public, host="192.168.1.20:8765")
    assert (status, json.loads(body)["error"]["kind"]) == (403, "not-encrypted")
    path = f"/?token={TOKEN}"
    status, headers, _ = answer(through, public, path, host="192.168.1.20:8765", authorization="")
    assert status == 403
    assert "set-cookie" not in headers
    assert answer(through, public, host="127.0.0.1:8765")[0] == 200


@pytest.mark.parametrize(
    "address",
    ["lab.example", "ftp://lab.example", "https://lab.example/studio", "https://a@b", "https://"],
)
def test_an_address_that_is_none_is_refused_at_the_start(address: str) -> None:
    with pytest.raises(ValueError, match="is no address for a studio"):
        config(public_url=address)


def test_half_a_certificate_or_one_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "studio.pem"
    with pytest.raises(ValueError, match="both a certificate and its key"):
        config(certificate=file)
    with pytest.raises(ValueError, match="https only"):
        config(certificate=file, key=file, public_url="http://lab.example")
    with pytest.raises(ValueError, match=r"there is no file .*studio\.pem"):
        check_certificate(config(certificate=file, key=file))
    file.write_text("no certificate")
    with pytest.raises(ValueError, match="cannot be used for TLS"):
        check_certificate(config(certificate=file, key=file))


def test_an_address_of_this_machine_is_what_it_is_and_what_others_can_do_is_said() -> None:
    assert reachable_address("127.0.0.2") == "127.0.0.2"
    said = _warning(_at(config(), "127.0.0.2"))
    assert "http://127.0.0.2:8765, which is not encrypted" in said
    assert "can read and change what is sent" in said
    assert "--certificate" in said
    assert "has a link can do what it allows" in _warning(config(public_url="https://lab.example"))


def test_tls_by_files_is_spoken_and_what_that_means_is_said(
    new_studio: Callable[..., Any], tmp_path: Path
) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("makes its certificate with openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "1", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key)),
            *("-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    files = ("--certificate", str(certificate), "--key", str(key))
    studio = new_studio(*files, "--public-url", "https://localhost:{port}", scheme="https")
    trusting = ssl.create_default_context(cafile=str(certificate))
    request = urllib.request.Request(
        f"https://localhost:{studio.port}/api/v1/clock",
        headers={"Authorization": f"Bearer {studio.token}"},
    )
    with urllib.request.urlopen(request, timeout=30, context=trusting) as found:
        assert found.status == 200
    with pytest.raises((urllib.error.URLError, ConnectionError, OSError)):
        urllib.request.urlopen(f"http://localhost:{studio.port}/static/icon.svg", timeout=30)
    assert certificate_warning(config(certificate=certificate, key=key)) == ""


def test_a_certificate_whose_time_is_over_is_said(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("makes its certificate with openssl")
    (tmp_path / "index").touch()
    (tmp_path / "serial").write_text("01")
    (tmp_path / "ca.cnf").write_text(
        "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n"
    )
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    whose = ("-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "asked.pem")
    signed = ("-selfsign", "-keyfile", "key.pem", "-in", "asked.pem", "-out", "old.pem")
    dates = ("-startdate", "200101000000Z", "-enddate", "210101000000Z")
    for command in (
        ("req", "-new", *new_key, *whose),
        ("ca", "-batch", "-config", "ca.cnf", *signed, *dates),
    ):
        subprocess.run([openssl, *command], check=True, capture_output=True, cwd=tmp_path)
    old = config(certificate=tmp_path / "old.pem", key=tmp_path / "key.pem")
    check_certificate(old)
    assert "certificate has expired" in certificate_warning(old)
