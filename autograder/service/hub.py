"""A JupyterHub says who asks, and lets instructors in by its own login.

Theory of operation. The hub starts the service with its environment (`JUPYTERHUB_…`). A student's
server sends its own token; the hub is asked whose it is and what it may do, and the answer holds
for a minute. Only a token that may reach this service (`access:services!service=NAME`) is taken, so
an administrator gives that scope to the roles `user` and `server`. A browser is sent to the hub's
login and comes back with a code (OAuth 2), which the service exchanges for a token, to ask whose it
is.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

import httpx

from autograder.errors import UsageError
from autograder.service import refusals
from autograder.service.policy import Policy
from autograder.service.refusals import Refused
from autograder.service.who import TOKEN_CHARS, Asker, is_student_name

KNOWN_SECONDS = 60.0
UNKNOWN_SECONDS = 5.0
KEPT_TOKENS = 4096
HUB_SECONDS = 10.0
LOGIN = "oauth_callback"  # beneath the service's prefix

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HubSettings:
    """What the hub tells a service that it knows.

    Attributes:
        api: where it is asked.
        base: where browsers reach it, a path.
        prefix: where browsers reach the service, a path.
        scopes: a token needs one of them.
        url: where the hub's proxy looks for the service; empty where it does not say.
    """

    api: str
    base: str
    prefix: str
    client: str
    secret: str
    scopes: frozenset[str]
    url: str

    @classmethod
    def found(cls, environment: Mapping[str, str]) -> Self | None:
        """Those of the environment; None where no hub has set them, or for a person's own server.

        Raises:
            UsageError: a part of them is missing.
        """
        api = environment.get("JUPYTERHUB_API_URL")
        if not api or environment.get("JUPYTERHUB_USER"):
            return None
        try:
            name = environment["JUPYTERHUB_SERVICE_NAME"]
            own = [f"access:services!service={name}", "access:services"]
            listed = json.loads(environment.get("JUPYTERHUB_OAUTH_ACCESS_SCOPES") or "[]") or own
            return cls(
                api.rstrip("/"),
                environment.get("JUPYTERHUB_BASE_URL", "/"),
                environment["JUPYTERHUB_SERVICE_PREFIX"],
                environment.get("JUPYTERHUB_CLIENT_ID", f"service-{name}"),
                environment["JUPYTERHUB_API_TOKEN"],
                frozenset(map(str, listed)),
                environment.get("JUPYTERHUB_SERVICE_URL", ""),
            )
        except (KeyError, ValueError) as error:
            raise UsageError(
                f"a hub is named in JUPYTERHUB_API_URL, and {error} is missing or wrong: let the "
                "hub start the service, or give what it gives"
            ) from error


class Hub:
    """The hub, asked for those whom it knows."""

    def __init__(
        self,
        settings: HubSettings,
        policy: Policy,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._instructors = policy.instructors
        self._client = httpx.AsyncClient(timeout=HUB_SECONDS, transport=transport, trust_env=False)
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Asker | None]] = OrderedDict()

    async def close(self) -> None:
        await self._client.aclose()

    async def asker(self, token: str) -> Asker | None:
        """See `who.Door`.

        Raises:
            Refused: the hub does not answer.
        """
        if not token or len(token) > TOKEN_CHARS or not token.isascii() or not token.isprintable():
            return None
        key = _key(token)
        until, found = self._known.get(key, (0.0, None))
        if self._clock() < until:
            return found
        model = await self._asked("GET", "/user", headers={"Authorization": f"token {token}"})
        found = self._student(model) if model is not None else None
        seconds = UNKNOWN_SECONDS if found is None else KNOWN_SECONDS
        self._known[key] = (self._clock() + seconds, found)
        self._known.move_to_end(key)
        if len(self._known) > KEPT_TOKENS:
            self._known.popitem(last=False)
        return found

    def knows(self, token: str) -> bool:
        """See `who.Door`: a hub's answer of long ago counts, too, whoever shares the address."""
        return self._known.get(_key(token), (0.0, None))[1] is not None

    def login(self, state: str) -> str:
        """Where a browser is sent to log in; `state` comes back with it."""
        asked = {
            "client_id": self.settings.client,
            "redirect_uri": f"{self.settings.prefix}{LOGIN}",
            "response_type": "code",
            "state": state,
        }
        return f"{self.settings.base}hub/api/oauth2/authorize?{urlencode(asked)}"

    async def logged_in(self, code: str) -> Asker | None:
        """Who comes back from the login with `code`.

        Raises:
            Refused: the hub does not answer.
        """
        form = {
            "client_id": self.settings.client,
            "client_secret": self.settings.secret,
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": f"{self.settings.prefix}{LOGIN}",
        }
        found = await self._asked("POST", "/oauth2/token", data=form)
        token = found.get("access_token") if found else None
        return await self.asker(token) if isinstance(token, str) else None

    async def _asked(self, method: str, path: str, **given: Any) -> dict[str, Any] | None:
        """What the hub answers; None when it refuses."""
        try:
            reply = await self._client.request(method, f"{self.settings.api}{path}", **given)
            if reply.status_code in (400, 401, 403, 404):
                return None
            reply.raise_for_status()
            found = reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Refused(503, refusals.HUB_SILENT, 30) from error
        return found if isinstance(found, dict) else None

    def _student(self, model: dict[str, Any]) -> Asker | None:
        """The student of a user model; None for a service, or without the scope."""
        name, scopes = model.get("name"), model.get("scopes")
        if model.get("kind") != "user" or not isinstance(name, str) or not is_student_name(name):
            return None
        if not isinstance(scopes, list) or self.settings.scopes.isdisjoint(map(str, scopes)):
            wanted = min(self.settings.scopes, key=len)
            _log.warning(
                "a token of %s lacks the scope %s: give it to the hub's roles", name, wanted
            )
            return None
        return Asker(name, instructs=name in self._instructors)


def _key(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
