"""The instructor's page: what goes on, where students are stuck, and whether the sentences teach.

Theory of operation. A browser sends no token by itself. Whoever signs in, with a token or through
the hub, gets a cookie that holds one of the service's own tokens for a day; no script can read it,
another site has it sent by a link alone, and it opens this page alone, only where a person looks at
it. The page has no script.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from autograder.pages.class_report.asking import MOST_TOLD, Asking
from autograder.pages.class_report.rendering import environment
from autograder.results.plain import encodable
from autograder.service import refusals
from autograder.service.attempts import asking_in
from autograder.service.headers import PAGE_POLICY, is_page_visit
from autograder.service.hub import LOGIN, Hub
from autograder.service.refusals import Refused
from autograder.service.service import Service
from autograder.service.tickets import Measures
from autograder.service.who import DAY, TOKEN_CHARS, Asker, Door, Tokens

TEMPLATES = Path(__file__).parent / "templates"
COOKIE, STATE = "autograder-check-service", "autograder-check-service-login"
LOGIN_SECONDS = 600
FORM = "application/x-www-form-urlencoded"
MINUTE = 60.0
PAGE_SECONDS = 60.0  # of a class that has asked much


class Page:
    """The page of one service.

    Args:
        tokens: makes and reads what the cookie holds.
        visitor: who looks at the page without signing in, where it is open to whoever reaches it.
        hub: where to sign in; with None, by a form.
        base: the path of the page.
    """

    def __init__(
        self,
        service: Service,
        tokens: Tokens,
        visitor: Door | None,
        hub: Hub | None,
        base: str = "/",
    ) -> None:
        self._service = service
        self._tokens = tokens
        self._visitor = visitor
        self._hub = hub
        self._base = base
        self._bodies, self._failures = service.bodies, service.failures
        self._templates = environment(TEMPLATES)

    def routes(self) -> list[BaseRoute]:
        """Those of the page, beneath the service's prefix."""
        found: list[BaseRoute] = [
            Route("/", self.show),
            Route("/sign-in", self.sign_in, methods=["POST"]),
        ]
        return [*found, Route(f"/{LOGIN}", self.come_back)] if self._hub else found

    async def show(self, request: Request) -> Response:
        asker = await self._asker(request)
        if asker is None:
            if self._hub is not None:
                return self._sent_to_login(request, self._hub)
            return self._said("Sign in", "This page is for instructors.", 401, form=True)
        if not asker.instructs:
            return self._said("Not for you", refusals.INSTRUCTORS_ONLY, 403)
        wished, now = request.query_params.get("assignment", ""), self._service.desk.measures()
        aside = self._service.aside
        return HTMLResponse(await aside.within(PAGE_SECONDS, self._page, wished, now))

    async def sign_in(self, request: Request) -> Response:
        if self._hub is not None:
            raise Refused(404, refusals.NO_SUCH_PAGE)
        async with self._bodies.read(request, FORM, TOKEN_CHARS * 2) as body:
            asker = self._tokens.read(_token_in(body))
        if asker is None:
            self._failures.add(request)
            return self._said("Sign in", refusals.UNKNOWN_ASKER, 401, form=True)
        return self._let_in(request, asker)

    async def come_back(self, request: Request) -> Response:
        """From the hub's login, with a code and the state that it was sent with."""
        assert self._hub is not None
        state, sent = request.query_params.get("state", ""), request.cookies.get(STATE, "")
        if not sent or not secrets.compare_digest(state.encode(), sent.encode()):
            return self._said("Not signed in", "Sign in again: the login took too long.", 403)
        self._failures.expect_few(request)
        asker = await self._hub.logged_in(request.query_params.get("code", ""))
        if asker is None:
            self._failures.add(request)
            return self._said("Not signed in", "The hub does not let you in here.", 403)
        return self._let_in(request, asker)

    async def _asker(self, request: Request) -> Asker | None:
        if self._visitor is not None:
            return await self._visitor.asker("")
        if not is_page_visit(request.headers):
            return None
        token = request.cookies.get(COOKIE, "")
        asker = self._tokens.read(token)
        if token and asker is None:
            self._failures.add(request)
        return asker

    def _let_in(self, request: Request, asker: Asker) -> Response:
        if not asker.instructs:
            return self._said("Not for you", refusals.INSTRUCTORS_ONLY, 403)
        reply = RedirectResponse(self._base, 303)
        reply.delete_cookie(STATE, self._base)
        return self._with_cookie(reply, request, COOKIE, self._tokens.made(asker.student, 1), DAY)

    def _sent_to_login(self, request: Request, hub: Hub) -> Response:
        state = secrets.token_urlsafe(24)
        reply = RedirectResponse(hub.login(state), 302)
        return self._with_cookie(reply, request, STATE, state, LOGIN_SECONDS)

    def _with_cookie(
        self, reply: Response, request: Request, name: str, value: str, seconds: int
    ) -> Response:
        reply.set_cookie(
            name,
            value,
            max_age=seconds,
            path=self._base,
            secure=_came_encrypted(request),
            httponly=True,
            samesite="lax",  # or who comes by a link would be sent to log in for ever
        )
        return reply

    def _page(self, wished: str, now: Measures) -> str:
        names = self._service.questions.assignments
        name = wished if wished in names else names[0] if names else ""
        return encodable(
            self._templates.get_template("page.html.j2").render(
                policy=PAGE_POLICY,
                made=datetime.now().astimezone(),
                now=now,
                last_minute=self._service.attempts.count_since(self._service.now() - MINUTE),
                assignments=names,
                assignment=name,
                asking=self._asking(name) if name else [],
                most_told=MOST_TOLD,
            )
        )

    def _asking(self, name: str) -> list[Asking]:
        order = self._service.questions.slugs(name)
        return asking_in(self._service.attempts, name, order)

    def _said(self, title: str, sentence: str, status: int, *, form: bool = False) -> Response:
        template = self._templates.get_template("sign_in.html.j2")
        shown = template.render(policy=PAGE_POLICY, title=title, sentence=sentence, form=form)
        return HTMLResponse(shown, status)


def _token_in(form: bytearray) -> str:
    try:
        fields = parse_qs(form.decode("latin-1"), max_num_fields=4)
    except ValueError as error:
        raise Refused(400, refusals.NO_QUESTION) from error
    return fields.get("token", [""])[0].strip()


def _came_encrypted(request: Request) -> bool:
    """Whether the browser spoke TLS, if only with a proxy; who forges that harms themselves."""
    told = request.headers.get("x-forwarded-proto", request.url.scheme)
    return told.partition(",")[0].strip() == "https"
