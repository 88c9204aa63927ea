"""Where the archive of Spark's classes is (AppCDS), with which a session starts in half the time.

`write_class_archive` writes it, 180 MB, once for a Java and a PySpark. The JVM ignores an archive
of another Java.
"""

import hashlib
import os
from pathlib import Path

from .java import Java


def archive_path(java: Java) -> Path:
    """Where the archive of this Java and this PySpark is, or would be."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    made_of = f"{java.version} {java.program.resolve()} {jars} {jars.stat().st_mtime_ns}"
    key = hashlib.sha256(made_of.encode()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kraftsim", f"spark-{pyspark.__version__}-{key}.jsa")
