"""Who asks is told by a JupyterHub, and instructors come in by its login."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.requests import Request

from autograder.errors import UsageError
from autograder.service import refusals
from autograder.service.app import Api
from autograder.service.hub import Hub, HubSettings
from autograder.service.policy import CheckService, Policy
from autograder.service.refusals import Refused
from autograder.service.service import Service
from autograder.service.who import Asker

GIVEN = {
    "JUPYTERHUB_API_URL": "http://127.0.0.1:8081/hub/api",
    "JUPYTERHUB_BASE_URL": "/class/",
    "JUPYTERHUB_SERVICE_NAME": "check",
    "JUPYTERHUB_SERVICE_PREFIX": "/class/services/check/",
    "JUPYTERHUB_SERVICE_URL": "http://127.0.0.1:10101",
    "JUPYTERHUB_API_TOKEN": "own-secret",
}
POLICY = Policy.of(CheckService(instructors=["demo-teacher"]))
SCOPE = "access:services!service=check"
USERS: dict[str, dict[str, Any]] = {
    "of-a": {"kind": "user", "name": "demo-a", "scopes": [SCOPE]},
    "of-all": {"kind": "user", "name": "demo-b", "scopes": ["access:services"]},
    "of-teacher": {"kind": "user", "name": "demo-teacher", "scopes": [SCOPE, "self"]},
    "no-scope": {"kind": "user", "name": "demo-a", "scopes": ["self", "access:services!service=x"]},
    "no-list": {"kind": "user", "name": "demo-a", "scopes": SCOPE},
    "service": {"kind": "service", "name": "demo-a", "scopes": [SCOPE]},
    "odd-name": {"kind": "user", "name": "../demo-a", "scopes": [SCOPE]},
    "no-name": {"kind": "user", "scopes": [SCOPE]},
}


class FakeHub:
    """Speaks the part of the hub's interface that the service asks for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.codes: list[str] = []
        self.status = 200
        self.now = 0.0
        settings = HubSettings.found(GIVEN)
        assert settings is not None
        self.hub = Hub(settings, POLICY, httpx.MockTransport(self._reply), lambda: self.now)

    def _reply(self, request: httpx.Request) -> httpx.Response:
        assert str(request.url).startswith(GIVEN["JUPYTERHUB_API_URL"])
        if request.url.path.endswith("/oauth2/token"):
            form = {name: value for name, [value] in parse_qs(request.content.decode()).items()}
            secret = form["client_id"], form["client_secret"]
            assert secret == ("service-check", "own-secret")
            self.codes.append(form["code"])
            good = form["code"] == "good" and form["redirect_uri"].endswith("/oauth_callback")
            return httpx.Response(200 if good else 400, json={"access_token": "of-teacher"})
        token = request.headers["Authorization"].removeprefix("token ")
        self.asked.append(token)
        if self.status != 200:
            return httpx.Response(self.status)
        found = USERS.get(token)
        return httpx.Response(200, json=found) if found else httpx.Response(403)

    def asker(self, token: str) -> Asker | None:
        return asyncio.run(self.hub.asker(token))


@pytest.mark.parametrize(
    ("token", "asker"),
    [
        ("of-a", Asker("demo-a")),
        ("of-all", Asker("demo-b")),
        ("of-teacher", Asker("demo-teacher", instructs=True)),
        *((token, None) for token in ("no-scope", "no-list", "service", "odd-name", "no-name")),
        ("forged", None),
    ],
)
def test_a_token_is_whose_the_hub_says_if_it_may_reach_this_service(
    token: str, asker: Asker | None
) -> None:
    assert FakeHub().asker(token) == asker


def test_a_scope_that_is_missing_is_told_to_who_runs_the_service(
    caplog: pytest.LogCaptureFixture,
) -> None:
    FakeHub().asker("no-scope")
    [said] = caplog.messages
    assert said.startswith("a token of demo-a lacks the scope access:services")


@pytest.mark.parametrize("token", ["", "a\r\nX-Admin: yes", "é", "x" * 5000])
def test_what_can_be_no_token_is_not_asked_about(token: str) -> None:
    fake = FakeHub()
    assert fake.asker(token) is None
    assert fake.asked == []


def test_the_hub_is_asked_once_a_minute_and_sooner_about_strangers() -> None:
    fake = FakeHub()
    for fake.now in (0.0, 59.0, 61.0):
        assert fake.asker("of-a") == Asker("demo-a")
    assert fake.asked == ["of-a"] * 2
    for fake.now in (100.0, 104.0, 106.0):
        assert fake.asker("forged") is None
    assert fake.asked[2:] == ["forged"] * 2


def test_whom_the_hub_has_named_no_strangers_at_the_same_address_shut_out() -> None:
    fake = FakeHub()
    nothing: Any = None
    api = Api(Service(POLICY, nothing, nothing, nothing), [fake.hub], "/")

    def asked(token: str) -> Asker:
        headers = [(b"authorization", f"token {token}".encode())]
        scope = {"type": "http", "headers": headers, "client": ("192.0.2.1", 1)}
        return asyncio.run(api.asker(Request(scope)))

    assert asked("of-a") == Asker("demo-a")
    for number in range(40):
        with pytest.raises(Refused):
            asked(f"forged-{number}")
    fake.now = 1000.0  # so that the hub is asked again
    assert asked("of-a") == Asker("demo-a")
    with pytest.raises(Refused) as caught:
        asked("of-all")
    assert str(caught.value) == refusals.TOO_MANY_FAILURES


def test_while_the_hub_is_silent_nobody_is_let_in_and_nobody_is_forgotten() -> None:
    fake = FakeHub()
    fake.status = 500
    with pytest.raises(Refused) as caught:
        fake.asker("of-a")
    assert (caught.value.status, str(caught.value)) == (503, refusals.HUB_SILENT)
    fake.status = 200
    assert fake.asker("of-a") == Asker("demo-a")


def test_a_browser_is_sent_to_the_hubs_login_and_comes_back_with_a_code() -> None:
    fake = FakeHub()
    address = urlsplit(fake.hub.login("st&te"))
    assert address.path == "/class/hub/api/oauth2/authorize"
    assert (address.scheme, address.netloc) == ("", "")
    assert parse_qs(address.query) == {
        "client_id": ["service-check"],
        "redirect_uri": ["/class/services/check/oauth_callback"],
        "response_type": ["code"],
        "state": ["st&te"],
    }
    assert asyncio.run(fake.hub.logged_in("good")) == Asker("demo-teacher", instructs=True)
    assert asyncio.run(FakeHub().hub.logged_in("stale")) is None


def test_without_a_hub_there_are_no_settings_and_with_half_a_hub_a_sentence() -> None:
    assert HubSettings.found({}) is None
    assert HubSettings.found({**GIVEN, "JUPYTERHUB_USER": "demo-teacher"}) is None
    for missing in ("SERVICE_NAME", "SERVICE_PREFIX", "API_TOKEN"):
        half = {name: value for name, value in GIVEN.items() if not name.endswith(missing)}
        with pytest.raises(UsageError, match=f"JUPYTERHUB_{missing}' is missing or wrong"):
            HubSettings.found(half)


def test_the_scopes_are_those_that_the_hub_names() -> None:
    listed = {"JUPYTERHUB_OAUTH_ACCESS_SCOPES": '["access:services!service=other"]'}
    found = HubSettings.found({**GIVEN, **listed})
    assert found is not None
    assert found.scopes == {"access:services!service=other"}
