"""Reads declarations that are written as text.

A paragraph declares an API, a record, a structure that several messages share, or constants:

    63 BrokerHeartbeat 0-2 flexible 0          key, name, versions, first flexible version
     "What the versions add."
     >                                         the request
      broker_id!:int32 "id of the broker"
     < cached                                  the response
      error_code:int16

    record 2 TopicRecord 0-0
    control 5 KraftVersion 0-0 class KRaftVersion
    data DefaultPrincipalData 0-0 class ForwardedPrincipal
    struct SnapshotId
    struct LeaderEndpoint class NodeEndpoint   other bytes for objects of the same class
    const NO_LEADER = -1 "no broker leads"

A field is a name, its marks, and its type:

    name!         the class has no default: whoever creates the object, and HTTP, must name it
    @3-9          the versions that have it; `@3-` and `@-9` leave a bound open
    ?4            null is permitted from this version on; `?` alone means in every version
    #0            its tag
    (a,b=c)       options: key=NAME (a map by this field), repeats, on_demand, json=NAME,
                  empty_is_null_before=VERSION
    =-1           its default: a number, a constant, true, false, null, or numbers with commas;
                  without it zero, an empty text, an empty array, or a structure of defaults.
                  `=zero` is a structure of zeros, from which only the wire's default is made
    :int32        its type; `:int32[]` is an array
    [Name ...]    an array of structures of this class, `{Name ...}` one of them. Without fields
                  the structure is a shared one; the name `.` stands for no class: the only field
                  is the element itself
    "text"        what it is; behind a bracket, what the structure is

A field that begins with `+` is an attribute that no message carries. A field without a comment has
that of its name in `glossary.py`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...core.value import value

LATEST = 32767  # versions are int16
NEVER = LATEST + 1
UNNAMED = "."
RECORDS = "records"
"""The subject of every record, also of a record that is declared beside its API."""

_HEAD = re.compile(
    r"(?:(?P<sort>record|control|data|struct) )?(?:(?P<key>-?\d+) )?(?P<name>\w+)"
    r"(?: (?P<low>\d+)-(?P<high>\d+))?(?: flexible (?P<flexible>\d+))?(?: class (?P<model>\w+))?"
)
_CONSTANT = r'const (\w+) = (-?\w+)(?: "([^"]*)")?'
_TOKEN = re.compile(
    r'"(?P<comment>[^"]*)"|(?P<closes>[\]}])|(?P<own>\+)?(?P<name>\w+)(?P<required>!)?'
    r"(?:@(?P<since>\d*)-(?P<until>\d*))?(?:\?(?P<nullable>\d*))?(?:#(?P<tag>\d+))?"
    r"(?:\((?P<options>[^)]*)\))?(?:=(?P<default>[^:\[{\s]+))?"
    r"(?::(?P<type>\w+)(?P<many>\[\])?|(?P<opens>[\[{])(?P<model>[\w.]+))"
)


class DeclaredField(NamedTuple):
    """A field; `type` names a type of the wire, or is a structure."""

    name: str
    type: "str | DeclaredStruct"
    is_array: bool
    is_required: bool
    is_sent: bool
    since: int
    until: int
    nullable_since: int
    tag: int | None
    default: str | None
    options: Mapping[str, str]
    comment: str

    @property
    def is_optional(self) -> bool:
        """True if the attribute can be None."""
        return self.nullable_since != NEVER or self.default == "null"


class DeclaredStruct(NamedTuple):
    """A structure; `fields` of None refers to the shared structure of this name."""

    name: str
    comment: str
    fields: tuple[DeclaredField, ...] | None


class Declaration(NamedTuple):
    """The head and the body of a paragraph.

    `sort` is "api", "record", "control", "data" or "struct". `flexible_since` exceeds every version
    if none is flexible. `model` is the name of the class, for an API without Request or Response.
    """

    sort: str
    key: int
    name: str
    min_version: int
    max_version: int
    flexible_since: int
    model: str
    subject: str
    body: str


@value(kw_only=False)
class Side:
    """The request or the response of an API: the words behind its sign, and its structure."""

    words: tuple[str, ...]
    struct: DeclaredStruct


def declarations(text: str, subject: str) -> Iterator[Declaration]:
    """Yields the declarations of a text, except for its constants."""
    for paragraph in text.strip().split("\n\n"):
        if not paragraph.startswith("const "):
            head, _, body = paragraph.partition("\n")
            yield _declaration(head, body, subject)


def _declaration(head: str, body: str, subject: str) -> Declaration:
    found = _HEAD.fullmatch(head)
    assert found is not None, f"{subject}: expected the head of a declaration, got {head!r}"
    sort = found["sort"] or "api"
    flexible = int(found["flexible"] or (NEVER if sort == "api" else 0))
    return Declaration(
        sort,
        int(found["key"] or 0),
        found["name"],
        int(found["low"] or 0),
        int(found["high"] or LATEST),
        flexible,
        found["model"] or found["name"],
        RECORDS if sort == "record" else subject,
        body,
    )


def constants(text: str) -> Iterator[tuple[str, str, str]]:
    """Yields name, value and comment of each constant of a text."""
    for found in re.finditer(_CONSTANT, text):
        yield found[1], found[2], found[3] or ""


def sides(api: Declaration) -> tuple[Side, Side]:
    """Returns the request and the response of an API."""
    _, _, both = f"\n{api.body}".partition("\n >")
    request, _, response = both.partition("\n <")
    return _side(f"{api.name}Request", request), _side(f"{api.name}Response", response)


def _side(name: str, text: str) -> Side:
    words, _, body = text.partition("\n")
    return Side(tuple(words.split()), read_struct(name, body))


def read_struct(name: str, text: str) -> DeclaredStruct:
    """Returns the structure whose fields are a text."""
    struct = _struct(name, _tokens(name, text))
    return struct._replace(fields=struct.fields or ())


def _tokens(name: str, text: str) -> Iterator[re.Match[str]]:
    position = 0
    for token in _TOKEN.finditer(text):
        _expect_blank(name, text[position : token.start()])
        yield token
        position = token.end()
    _expect_blank(name, text[position:])


def _expect_blank(name: str, text: str) -> None:
    if text.strip():
        raise ValueError(f"{name}: expected a field, got {text.strip()!r}")


def _struct(name: str, tokens: Iterator[re.Match[str]]) -> DeclaredStruct:
    """Returns the structure that ends at the next closing bracket, or with the tokens."""
    comment = ""
    read: list[DeclaredField] = []
    for token in tokens:
        if token["closes"]:
            break
        if token["comment"] is None:
            inside = _struct(token["model"], tokens) if token["opens"] else None
            read.append(_field(token, inside))
        elif read:
            read[-1] = read[-1]._replace(comment=_one_line(token["comment"]))
        else:
            comment = _one_line(token["comment"])
    return DeclaredStruct(name, comment, tuple(read) or None)


def _field(token: re.Match[str], inside: DeclaredStruct | None) -> DeclaredField:
    nullable, tag = token["nullable"], token["tag"]
    words = (word.partition("=") for word in (token["options"] or "").split(",") if word)
    return DeclaredField(
        token["name"],
        inside or token["type"],
        is_array=token["many"] is not None or token["opens"] == "[",
        is_required=token["required"] is not None,
        is_sent=token["own"] is None,
        since=int(token["since"] or 0),
        until=int(token["until"] or LATEST),
        nullable_since=NEVER if nullable is None else int(nullable or 0),
        tag=None if tag is None else int(tag),
        default=token["default"],
        options={name: value for name, _, value in words},
        comment="",
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
