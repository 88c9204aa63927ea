"""The schemas of the data plane, each read from the text of its module at first use.

A paragraph of the text is one API: key, name, versions and the first flexible version, then the
fields of the request after `>`, and those of the response after `<`.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ...core.rpc.data_plane import DataPlaneRequest, DataPlaneResponse
from ..codec.schema import NEVER, Message
from ..codec.schema_text import read_struct
from . import groups, messages, security, share_groups, streams_groups, transactions

_TEXTS = tuple(
    module.TEXT
    for module in (messages, transactions, groups, share_groups, streams_groups, security)
)
_HEAD = re.compile(r"(\d+) (\w+) (\d+)-(\d+)(?: flexible (\d+))?\n")


class TextApi(NamedTuple):
    """An API of the text. `flexible_since` exceeds every version if none is flexible."""

    key: int
    name: str
    min_version: int
    max_version: int
    flexible_since: int
    body: str

    @cache  # noqa: B019 (there are as many as paragraphs)
    def messages(self) -> tuple[Message, Message]:
        """Returns the schemas of the request and of the response."""
        asked, _, answered = self.body.partition("\n <")
        request = self._message("Request", asked, DataPlaneRequest)
        response = self._message("Response", answered, DataPlaneResponse)
        setattr(request.model, "api_key", self.key)  # noqa: B010 (a class variable of the base)
        setattr(request.model, "response", response.model)  # noqa: B010
        return request, response

    def _message(self, kind: str, text: str, base: type) -> Message:
        name = f"{self.name}{kind}"
        struct = read_struct(text, name, base)
        return Message(name, struct, self.min_version, self.max_version, self.flexible_since)


def text_apis() -> Iterator[TextApi]:
    """Yields key, name and versions of every API of the text."""
    for paragraph in "\n".join(_TEXTS).strip().split("\n\n"):
        head = _HEAD.match(paragraph)
        assert head is not None, paragraph
        key, name, low, high, flexible = head.groups()
        since = NEVER if flexible is None else int(flexible)
        yield TextApi(int(key), name, int(low), int(high), since, paragraph[head.end() :])
