"""Spark's classes as the JVM has them in memory (AppCDS): a session starts in half the time.

`python -m kraftsim.pipeline.class_archive` writes the archive, 180 MB, once for a Java and a
PySpark; every session takes it where it is there. The JVM ignores an archive of another Java.
"""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from .java import Java, require_java


def archive_path(java: Java) -> Path:
    """Where the archive of this Java and this PySpark is, or would be."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    made_of = f"{java.version} {java.program.resolve()} {jars} {jars.stat().st_mtime_ns}"
    key = hashlib.sha256(made_of.encode()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kraftsim", f"spark-{pyspark.__version__}-{key}.jsa")


def write_archive(path: Path) -> None:
    """Run what every session runs, and have the JVM note its classes when it ends."""
    from .session import session

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        noted = Path(folder, "classes.jsa")
        options = f"-XX:ArchiveClassesAtExit={noted} -Xlog:disable"
        spark = session("class archive", conf={"spark.driver.extraJavaOptions": options})
        rows = spark.range(8).mapInArrow(lambda batches: batches, "id long")
        rows.groupBy("id").count().write.parquet(str(Path(folder, "rows")))
        gateway = spark.sparkContext._gateway
        spark.stop()
        assert gateway is not None
        gateway.proc.stdin.close()  # the JVM ends with it, and writes
        gateway.proc.wait()
        noted.replace(path)


def main() -> int:
    path = archive_path(require_java())
    if not path.exists():
        write_archive(path)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
