"""The Spark session, with the settings that were measured to matter; what a user says comes first.

The JVM reads most of them when it starts, so this must make the process's first session.
"""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .class_archive import archive_path
from .java import require_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*,4]"  # without the second number a task is never tried again
SOCKET_FOLDER_MAX = 50  # characters: a socket's path has 104, of which Spark takes about half

# Settings of SQL: also a Connect server takes these from us.
_SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
_DRIVER = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOOPBACK = "127.0.0.1"
_LOOPBACK_MASTER = re.compile(r"spark://(127\.|localhost)")


def session(
    app: str,
    *,
    master: str | None = None,
    remote: str | None = None,
    conf: Mapping[str, str] | None = None,
    heavy: bool = False,
) -> "SparkSession":
    """The session of this process: on `master`, or of the Connect server at `remote`; neither: as
    SPARK_REMOTE, SPARK_MASTER or MASTER say, else on all cores here.

    `conf` wins over every setting of ours, and so does SPARK_CONF_DIR. `heavy` is for queries of
    more than a minute: the JVM's second compiler, and 4 GB. ValueError for both of master and
    remote, or another master than the session that runs; JavaMissing.
    """
    if master and remote:
        raise ValueError(f"expected one of --master and --remote, got {master} and {remote}")
    given = dict(conf or {})
    named = master or remote or given.get("spark.master") or _environment_place()
    if (running := _running(named)) is not None:
        return _with(running.builder, given)
    where = named or DEFAULT_MASTER
    is_remote = where.startswith("sc:") or where == remote
    chosen = {"spark.app.name": app, "spark.remote" if is_remote else "spark.master": where}
    if not where.startswith("sc:"):
        chosen |= _DRIVER | _of_machine(where, heavy)
    from pyspark.sql import SparkSession

    ours = {key: value for key, value in (_SQL | chosen).items() if key not in _of_user()}
    return _with(SparkSession.builder, ours | given)


def _environment_place() -> str | None:
    named = (os.environ.get(name) for name in ("SPARK_REMOTE", "SPARK_MASTER", "MASTER"))
    return next(filter(None, named), None)


def _running(named: str | None) -> "SparkSession | None":
    """A second session would silently be the first one, which is right where no place is named."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None and named is not None:
        found = running.conf.get("spark.master", named)
        if found != named:
            raise ValueError(f"expected no session, or one on {named}, got one on {found}")
    return running


def _with(builder: "SparkSession.Builder", settings: Mapping[str, str]) -> "SparkSession":
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _of_machine(where: str, heavy: bool) -> dict[str, str]:
    """What depends on the Java, the system and the place; the interpreter is ours unless named."""
    java = require_java()
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    options = [
        f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties')}",
        "-Xss4m",  # a query that fails overflows a usual stack with the text of its error
    ]
    if not heavy:
        options.append("-XX:TieredStopAtLevel=1")
    if (archive := archive_path(java)).exists():
        options.append(f"-XX:SharedArchiveFile={archive}")
    settings = {"spark.driver.extraJavaOptions": " ".join(options)}
    if heavy:
        settings["spark.driver.memory"] = "4g"
    if where.startswith("local"):
        settings |= _of_local_workers()
    if where.startswith("local") or _LOOPBACK_MASTER.match(where):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)  # or Spark wonders about the host's name
        settings |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    return settings


def _of_local_workers() -> dict[str, str]:
    """Elsewhere neither our interpreter nor our folders need be there."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if os.name != "posix":
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": _socket_folder(),
    }


def _socket_folder() -> str:
    """Of this process alone, and short wherever temporary files are."""
    usual = tempfile.gettempdir()
    folder = tempfile.mkdtemp("", "kraftsim-", usual if len(usual) < SOCKET_FOLDER_MAX else "/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _of_user() -> set[str]:
    """The keys that spark-defaults.conf of SPARK_CONF_DIR sets."""
    folder = os.environ.get("SPARK_CONF_DIR")
    file = Path(folder, "spark-defaults.conf") if folder else None
    if file is None or not file.exists():
        return set()
    lines = (line.split("#")[0].replace("=", " ").split() for line in file.read_text().splitlines())
    return {words[0] for words in lines if words}
