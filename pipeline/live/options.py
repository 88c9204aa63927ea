"""Validates the options of the source, because Spark ignores unknown options."""

from collections.abc import Mapping
from dataclasses import dataclass

from kraftsim.scenarios.language.suggestions import nearest, whole_number
from kraftsim.simulation.ports import HTTP_PORT

from .file_log import FileLog
from .http_log import HttpLog
from .log import KraftLogError, Log

KNOWN = ("url", "path", "maxRecordsPerBatch", "failOnDataLoss", "pushdown")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the source.

    `records_max` bounds a micro-batch (None: no bound). `fails_on_loss` makes a stream fail if
    records are gone; otherwise it continues after a row that reports the gap. `pushes` lets filters
    reach the source, which Spark allows only if spark.sql.python.filterPushdown.enabled is true.
    """

    log: Log
    records_max: int | None = None
    fails_on_loss: bool = True
    pushes: bool = False


def options_of(texts: Mapping[str, str]) -> Options:
    """Parses the options that Spark passes; raises KraftLogError for an invalid one."""
    names = {name.lower(): name for name in KNOWN}
    values = {name.lower(): value for name, value in texts.items()}
    for name in texts:
        if name.lower() not in names:
            raise KraftLogError(f"option {name!r}: expected {nearest(name, KNOWN)}")
    return Options(
        _log_of(values),
        _count(values.get("maxrecordsperbatch")),
        _flag(values, "failondataloss", default=True),
        _flag(values, "pushdown", default=False),
    )


def _log_of(values: Mapping[str, str]) -> Log:
    url, path = values.get("url"), values.get("path")
    if (url is None) == (path is None):
        raise KraftLogError(
            f"expected the option url (a running cluster) or path (segments on disk), "
            f"got {'both' if url else 'neither'}"
        )
    if path is not None:
        return FileLog(path.removeprefix("file:"))
    assert url is not None
    if not url.startswith(("http://", "https://")):
        raise KraftLogError(
            f"option url: expected an address such as http://127.0.0.1:{HTTP_PORT}, got {url!r}"
        )
    return HttpLog(url.rstrip("/"))


def _count(text: str | None) -> int | None:
    number = None if text is None else whole_number(text)
    if text is not None and (number is None or number < 1):
        raise KraftLogError(f"option maxRecordsPerBatch: expected 1 or more, got {text!r}")
    return number


def _flag(values: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = values.get(name, str(default)).lower()
    if text not in ("true", "false"):
        raise KraftLogError(f"option {name}: expected true or false, got {text!r}")
    return text == "true"
