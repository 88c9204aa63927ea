"""Writes the archive of Spark's classes.

Run it with `python -m kraftsim.pipeline.engines.write_class_archive`.
"""

import sys
import tempfile
from pathlib import Path

from .class_archive import archive_path
from .java import require_java
from .session import session


def write_archive(path: Path) -> None:
    """Runs the code that every session runs, and lets the JVM archive its classes when it exits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        noted = Path(folder, "classes.jsa")
        # the first compiler alone is enough to load classes, and takes less time
        options = f"-XX:ArchiveClassesAtExit={noted} -Xlog:disable -XX:TieredStopAtLevel=1"
        spark = session("class archive", conf={"spark.driver.extraJavaOptions": options})
        rows = spark.range(8).mapInArrow(lambda batches: batches, "id long")
        rows.groupBy("id").count().write.parquet(str(Path(folder, "rows")))
        gateway = spark.sparkContext._gateway
        spark.stop()
        assert gateway is not None
        gateway.proc.stdin.close()  # the JVM exits when its stdin closes, and writes the archive
        gateway.proc.wait()
        noted.replace(path)


def main() -> int:
    """Writes the archive unless it exists, and prints its path."""
    path = archive_path(require_java())
    if not path.exists():
        print("archiving the classes of Spark: a minute, once", file=sys.stderr)
        write_archive(path)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
