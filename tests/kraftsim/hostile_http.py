"""Hypothesis strategies for HTTP requests: those that /openapi.json describes, whole or damaged."""

import json
from typing import Any
from urllib.parse import quote, urlencode

from hypothesis import strategies as st

from kraftsim.http.openapi import openapi_document

_DOCUMENT: dict[str, Any] = openapi_document()
_OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in _DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
_DURATIONS = st.sampled_from(("0s", "1s", "5", "soon", ""))  # virtual time passes in a wait
_TEXTS = st.sampled_from(
    ("kraftsimTestCluster001", "AAAAAAAAAAAAAAAAAAAAAQ", "orders", "metadata.version", "fenced")
)
_IDS = st.sampled_from((0, 1, 2, 7, 3000, -1))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


def of_schema(schema: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Values that a schema of the document admits; `name` is that of the field or parameter."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return st.one_of([of_schema({**schema, "type": kind}, name) for kind in kinds])
    if name == "timeout":
        return _DURATIONS
    match kinds:
        case "object":
            named = schema.get("properties", {})
            values = {key: of_schema(value, key) for key, value in named.items()}
            required = {key: values.pop(key) for key in schema.get("required", ())}
            return st.fixed_dictionaries(required, optional=values)
        case "array":
            return st.lists(of_schema(schema["items"], name), max_size=3)
        case "integer":
            return _IDS | st.integers(schema.get("minimum"), schema.get("maximum"))
        case "number":
            return st.floats()
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return _TEXTS | st.text(max_size=9)


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """The value with some of its parts replaced by any JSON, left out or renamed."""
    if draw(st.integers(0, 3)) == 0:
        return draw(JSON)
    if isinstance(value, list):
        return [draw(spoiled(element)) for element in value]
    if isinstance(value, dict):
        kept = {key: draw(spoiled(element)) for key, element in value.items() if draw(_usually)}
        return kept | draw(st.dictionaries(st.text(max_size=9), JSON, max_size=1))
    return value


_usually = st.integers(0, 4).map(bool)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """A well-formed request of any operation, with any values that its schemas admit or not."""
    method, path, operation = draw(st.sampled_from(_OPERATIONS))
    query = {}
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        value = draw(of_schema(parameter["schema"], name))
        if parameter["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        elif parameter["required"] or draw(st.booleans()):
            query[name] = value
    body = b""
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        document = draw(of_schema(schema))
        body = json.dumps(draw(spoiled(document)) if draw(st.booleans()) else document).encode()
    target = path + ("?" + urlencode(query) if query else "")
    headers = ["Host: localhost", "Content-Type: application/json", *draw(_headers)]
    if draw(st.booleans()):
        headers.append(f"Content-Length: {len(body)}")
    else:
        headers.append("Transfer-Encoding: chunked")
        body = draw(chunked(body))
    head = "\r\n".join([f"{method} {target} HTTP/1.1", *headers, "", ""])
    return head.encode() + body


_headers = st.lists(
    st.sampled_from(
        (
            "Accept: */*",
            "Accept: application/x-ndjson",
            "Authorization: Bearer x",
            "Sec-Fetch-Site: same-origin",
            "Origin: http://localhost",
            "Origin: http://[",
            "Origin: null",
            "Expect: 100-continue",
            "Expect: miracles",
            "Last-Event-ID: 1",
            "Upgrade: websocket\r\nConnection: upgrade",
            "Range: bytes=0-1",
        )
    ),
    max_size=2,
    unique=True,
)


@st.composite
def chunked(draw: st.DrawFn, body: bytes) -> bytes:
    """The body as chunks, with and without extensions."""
    cut = draw(st.integers(0, len(body)))
    extension = draw(st.sampled_from((b"", b";a=b")))
    chunks = [chunk for chunk in (body[:cut], body[cut:]) if chunk]
    lines = [b"%x%s\r\n%s\r\n" % (len(chunk), extension, chunk) for chunk in chunks]
    return b"".join(lines) + b"0\r\n\r\n"


_INTRUDERS = st.binary(max_size=4) | st.sampled_from(
    (
        b"\r\n",
        b"\n",
        b"\0",
        b"\xc3(",
        b" ",
        b":",
        b"?",
        b"%",
        b"%ff",
        b"//",
        b"[",
        b"Host: [::1",
        b"\r\nHost: evil.example",
        b"\r\nContent-Length: -1",
        b"\r\nContent-Length: 99999999999999999999",
        b"\r\nTransfer-Encoding: gzip, chunked",
        b"\r\nContent-Encoding: gzip",
        b"\r\nAccept: text/event-stream",
        b"\r\nX: " + b"x" * 9_000,
        b"{" * 300,
        b"ffffffffffffffff\r\n",
        b"HEAD",
        b"PRI * HTTP/2.0",
        b"9" * 5_000,
    )
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A request with bytes replaced, put in, doubled or cut off."""
    data = bytearray(draw(requests()))
    for _ in range(draw(st.integers(1, 3))):
        lines = [place for place in range(len(data)) if data.startswith(b"\r\n", place)]
        place = draw(st.sampled_from([*lines, len(data)]) | st.integers(0, len(data)))
        how = draw(st.sampled_from(("replace", "insert", "double", "cut")))
        if how == "replace":
            data[place : place + draw(st.integers(0, 6))] = draw(_INTRUDERS)
        elif how == "insert":
            data[place:place] = draw(_INTRUDERS)
        elif how == "double":
            data[place:place] = data[place : place + draw(st.integers(0, 99))]
        else:
            del data[place:]
    return bytes(data)


def streams() -> st.SearchStrategy[bytes]:
    """The bytes of a connection: requests that are well-formed, damaged or no requests at all."""
    sent = damaged() | requests() | st.binary(max_size=64)
    return st.lists(sent, max_size=4).map(b"".join)
