"""Reads the log of a running cluster over HTTP, with the standard library only."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.log_paths import LOG, LOG_END

from .log import DataLost, Extent, KraftLogError, Mark, NoAnswer, Range
from .rows import Row, row_of

TIMEOUT_S = 30.0  # without any data from the service
PAGE_MAX = 10_000  # records per response, the limit of the service
RANGE_MAX = 50_000  # records per task, about one second of work for the service


@dataclass(frozen=True, slots=True)
class HttpLog:
    """The committed log of the cluster at `url`."""

    url: str

    def extent(self) -> Extent:
        """Returns the start of the log and the mark of its high watermark."""
        end = self._document(LOG_END)
        mark = Mark(
            cluster=str(end["clusterId"]),
            offset=_whole(end["highWatermark"]),
            epoch=_whole(end["lastEpoch"]),
            timestamp=_whole(end["lastTimestamp"]),
        )
        return Extent(_whole(end["startOffset"]), mark)

    def before(self, offset: int) -> tuple[int, int]:
        """Returns the epoch and the time of the record before `offset`."""
        (record,) = self._lines(offset - 1, 1)
        return _whole(record["epoch"]), _whole(record["timestamp"])

    def ranges(self, start: int, end: Mark) -> Sequence[Range]:
        """Returns ranges of at most RANGE_MAX offsets."""
        begins = range(start, end.offset, RANGE_MAX)
        return [Range(end.cluster, begin, min(begin + RANGE_MAX, end.offset)) for begin in begins]

    def rows(self, offsets: Range) -> Iterator[Row]:
        """Yields the rows of the range; DataLost if a record is missing."""
        for record in self.records(offsets.start, offsets.end):
            yield row_of(record, offsets.cluster)

    def records(self, start: int, end: int) -> Iterator[Document]:
        """Yields the records from `start` to before `end`; DataLost if a record is missing."""
        offset = start
        while offset < end:
            begun = offset
            for record in self._lines(offset, min(PAGE_MAX, end - offset)):
                if record["offset"] != offset:
                    raise DataLost(f"{self.url}: expected offset {offset}, got {record['offset']}")
                yield record
                offset += 1
            if offset == begun:
                raise DataLost(f"{self.url}: expected offset {offset}, but the log ends before it")

    def _lines(self, start: int, limit: int) -> Iterator[Document]:
        path = f"{LOG}?from={start}&limit={limit}"
        with self._opened(path, "application/x-ndjson") as response:
            for line in response:
                yield json.loads(line)

    def _document(self, path: str) -> dict[str, object]:
        with self._opened(path, "application/json") as response:
            document = json.load(response)
        assert isinstance(document, dict), document
        return document

    def _opened(self, path: str, media_type: str) -> HTTPResponse:
        token = os.environ.get("KRAFTSIM_TOKEN")
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        request = Request(self.url + path, headers={"Accept": media_type} | authorization)
        try:
            response: HTTPResponse = urlopen(request, timeout=TIMEOUT_S)
        except HTTPError as error:
            message = error.read().decode(errors="replace").strip()
            kind = DataLost if error.code == 416 else KraftLogError
            raise kind(f"{self.url}{path}: HTTP {error.code}: {message}") from None
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            raise NoAnswer(
                f"{self.url}: no service answers ({reason}): start it, then start again with "
                "the same checkpoint, if one was given"
            ) from None
        return response


def _whole(value: object) -> int:
    assert isinstance(value, int), value
    return value
