"""Writes the archive of Spark's classes.

`python -m kraftsim.pipeline.engines.write_class_archive` runs it.
"""

import sys
import tempfile
from pathlib import Path

from .class_archive import archive_path
from .java import require_java
from .session import session


def write_archive(path: Path) -> None:
    """Run what every session runs, and have the JVM note its classes when it ends."""
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
