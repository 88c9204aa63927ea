"""Creates the Spark session, with settings that were measured to matter; user settings win.

The JVM reads most settings when it starts, so this must create the first session of the process.
"""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .class_archive import archive_path
from .java import require_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*,4]"  # the second number is the attempts per task, 1 by default
SOCKET_FOLDER_MAX = 50  # characters; a socket's path has at most 104, and Spark adds about half

# Settings of SQL, which a Connect server accepts too.
_SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
# With few rows, a task for each partition, and Java code compiled for each query, cost more than
# the queries.
_SQL_OF_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
FEW_ROWS = 10_000
MANY_ROWS = 5_000_000  # with fewer rows, the JVM's C2 compiler costs more than it saves
_DRIVER = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOOPBACK = "127.0.0.1"
_LOOPBACK_MASTER = re.compile(r"spark://(127\.|localhost)")


@dataclass(frozen=True, slots=True)
class SparkTarget:
    """Where Spark runs: on a master or on a Connect server (`remote`).

    `conf` overrides kraftsim's settings of the session.
    """

    master: str | None = None
    remote: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


def session(
    app: str,
    *,
    master: str | None = None,
    remote: str | None = None,
    conf: Mapping[str, str] | None = None,
    rows: int = FEW_ROWS,
) -> "SparkSession":
    """Returns the session of this process, on `master` or on the Connect server at `remote`.

    Without either, SPARK_REMOTE, SPARK_MASTER or MASTER decides, else all local cores are used.
    `conf` and SPARK_CONF_DIR override kraftsim's settings. `rows` are those that the queries read:
    fewer than FEW_ROWS need no compiled queries, and more than MANY_ROWS get the JVM's second
    compiler and 4 GB of memory. Raises ValueError for both master and remote, or if a session with
    another master runs; raises JavaMissing without Java.
    """
    if master and remote:
        raise ValueError(f"expected --master or --remote, got both: {master} and {remote}")
    overrides = dict(conf or {})
    named = master or remote or overrides.get("spark.master") or _master_of_environment()
    if (running := _running(named)) is not None:
        return _with(running.builder, overrides)
    target = named or DEFAULT_MASTER
    is_remote = target.startswith("sc:") or target == remote
    chosen = {"spark.app.name": app, "spark.remote" if is_remote else "spark.master": target}
    if not target.startswith("sc:"):
        chosen |= _DRIVER | _of_machine(target, rows > MANY_ROWS)
    from pyspark.sql import SparkSession

    sql = _SQL | _SQL_OF_FEW_ROWS if rows < FEW_ROWS else _SQL
    ours = {key: value for key, value in (sql | chosen).items() if key not in _of_user()}
    return _with(SparkSession.builder, ours | overrides)


def _master_of_environment() -> str | None:
    named = (os.environ.get(name) for name in ("SPARK_REMOTE", "SPARK_MASTER", "MASTER"))
    return next(filter(None, named), None)


def running_session() -> "SparkSession | None":
    """Returns the session of this process, whichever thread has started it; None without one."""
    from pyspark.sql import SparkSession

    # PySpark's active session is one of a thread.
    return SparkSession.getActiveSession() or SparkSession._instantiatedSession


def _running(named: str | None) -> "SparkSession | None":
    """Returns the running session, if any; ValueError if it is not on the master `named`.

    PySpark would return the running session instead of creating a session on `named`.
    """
    running = running_session()
    if running is not None and named is not None:
        running_on = running.conf.get("spark.master", named)
        if running_on != named:
            raise ValueError(
                f"expected no running session, or one on {named}, got one on {running_on}: "
                "stop it first"
            )
    return running


def _with(builder: "SparkSession.Builder", settings: Mapping[str, str]) -> "SparkSession":
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _of_machine(target: str, heavy: bool) -> dict[str, str]:
    """Returns the settings that depend on Java, the system and the master.

    The driver uses this interpreter unless the environment names another.
    """
    java = require_java()
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    options = [
        f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties')}",
        "-Xss4m",  # formatting the error of a failed query overflows the default stack
    ]
    if not heavy:
        # Some hundred queries fill the 48 MB that its code has otherwise; then it only interprets.
        options += ["-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"]
    if (archive := archive_path(java)).exists():
        options.append(f"-XX:SharedArchiveFile={archive}")
    settings = {"spark.driver.extraJavaOptions": " ".join(options)}
    if heavy:
        settings["spark.driver.memory"] = "4g"
    if target.startswith("local"):
        settings |= _of_local_workers()
    if target.startswith("local") or _LOOPBACK_MASTER.match(target):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)  # else Spark warns about the host name
        settings |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    return settings


def _of_local_workers() -> dict[str, str]:
    """Returns the settings of local workers, which run this interpreter."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if os.name != "posix":
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": _socket_folder(),
    }


def _socket_folder() -> str:
    """Returns a new folder for the sockets of this process, with a short path; removed at exit."""
    usual = tempfile.gettempdir()
    folder = tempfile.mkdtemp("", "kraftsim-", usual if len(usual) < SOCKET_FOLDER_MAX else "/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _of_user() -> set[str]:
    """Returns the keys that spark-defaults.conf of SPARK_CONF_DIR sets."""
    folder = os.environ.get("SPARK_CONF_DIR")
    file = Path(folder, "spark-defaults.conf") if folder else None
    if file is None or not file.exists():
        return set()
    lines = (line.split("#")[0].replace("=", " ").split() for line in file.read_text().splitlines())
    return {words[0] for words in lines if words}
