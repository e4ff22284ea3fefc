"""The interface in words that programs read: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from autograder.results.model import STATUSES
from autograder.service.tables import NAME_CHARS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number", "minimum": 0}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_YES: Schema = {"type": "boolean"}
_STATES = ["waiting", "running", "answered", "failed"]


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _or_null(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _of(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: dict[str, Schema] = {
    "Question": {
        **_object(
            assignment={**_TEXT, "maxLength": NAME_CHARS},
            question={**_TEXT, "maxLength": NAME_CHARS, "description": "the question's slug"},
            notebook={"type": "object", "description": "nbformat 4; outputs are not looked at"},
        ),
        "additionalProperties": True,
    },
    "Check": _object(
        title=_or_null(_TEXT),
        passed=_YES,
        message=_or_null(_TEXT),
        diagnosis=_or_null(_TEXT),
        points=_or_null(_NUMBER),
    ),
    "Answer": _object(
        question=_TEXT,
        status={"enum": [*STATUSES]},
        words={**_TEXT, "description": "the status, for people"},
        passed={**_YES, "description": "whether every check that is not reserved did"},
        score=_or_null(_NUMBER),
        max_score=_or_null(_NUMBER),
        checks=_list(_of("Check")),
        reserved={**_COUNT, "description": "checks that are kept for the final grade"},
        rests_on={
            **_list(_TEXT),
            "description": "questions to look at first, where it did not pass",
        },
        attempts_left=_or_null(_COUNT),
        next_in_seconds=_NUMBER,
    ),
    "Ticket": _object(
        id=_TEXT,
        state={"enum": _STATES},
        position={**_COUNT, "description": "1 is the next; 0 once it runs"},
        wait_seconds=_NUMBER,
        answer=_or_null(_of("Answer")),
        sentence={**_TEXT, "description": "why it failed"},
    ),
    "Questions": _object(
        assignment=_TEXT,
        open=_YES,
        until=_or_null({**_TEXT, "format": "date-time"}),
        questions=_list(
            _object(
                slug=_TEXT,
                title=_TEXT,
                attempts_left=_or_null(_COUNT),
                wait_seconds={**_NUMBER, "description": "until it may be asked about again"},
            )
        ),
    ),
    "Attempts": _object(
        assignment=_TEXT,
        attempts=_list(_object(at={**_TEXT, "format": "date-time"}, answer=_of("Answer"))),
    ),
    "Error": _object(error=_TEXT, retry_seconds=_or_null(_NUMBER)),
}
REFUSALS = {
    "400": "what was sent is no question",
    "401": "nobody that the service knows",
    "403": "closed, reserved, or not for this token",
    "404": "no such assignment, question or check",
    "408": "the notebook took too long to arrive",
    "409": "another check of the same student is under way",
    "413": "too large",
    "429": "asked too often; Retry-After says when again",
    "500": "a fault of the service's own",
    "503": "the queue is full, or a part of the service is out of order",
}


def _replies(name: str, *statuses: str) -> Schema:
    good = {"application/json": {"schema": _of(name)}}
    found = {status: {"description": name.lower(), "content": good} for status in statuses}
    return {**found, **_refusals()}


def _refusals() -> Schema:
    error = {"application/json": {"schema": _of("Error")}}
    return {status: {"description": why, "content": error} for status, why in REFUSALS.items()}


_ID: Schema = {"name": "id", "in": "path", "required": True, "schema": _TEXT}
_ASSIGNMENT: Schema = {"name": "assignment", "in": "query", "required": True, "schema": _TEXT}


def description(base: str) -> Schema:
    """The interface of a service whose routes begin with `base`."""
    body = {"required": True, "content": {"application/json": {"schema": _of("Question")}}}
    stream = {"text/event-stream": {"schema": _TEXT}}
    events = "an event for each change, named by the state, whose data is the ticket"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Check service", "version": "1"},
        "servers": [{"url": base}],
        "security": [{"token": []}],
        "paths": {
            "/api/checks": {
                "post": {
                    "summary": "Ask about a question",
                    "requestBody": body,
                    "responses": _replies("Ticket", "200", "202"),
                }
            },
            "/api/checks/{id}": {
                "get": {
                    "summary": "A ticket of one's own",
                    "parameters": [_ID],
                    "responses": _replies("Ticket", "200"),
                }
            },
            "/api/checks/{id}/events": {
                "get": {
                    "summary": "What becomes of a ticket",
                    "parameters": [_ID],
                    "responses": {
                        "200": {"description": events, "content": stream},
                        **_refusals(),
                    },
                }
            },
            "/api/questions": {
                "get": {
                    "summary": "What may be asked about",
                    "parameters": [_ASSIGNMENT],
                    "responses": _replies("Questions", "200"),
                }
            },
            "/api/attempts": {
                "get": {
                    "summary": "One's own attempts, the newest first",
                    "parameters": [_ASSIGNMENT],
                    "responses": _replies("Attempts", "200"),
                }
            },
        },
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`token TOKEN` or `Bearer TOKEN`",
                }
            },
        },
    }
