"""The path of the archive of Spark's classes (AppCDS), which halves the start time of a session.

`write_class_archive` writes the archive (180 MB) once per version of Java and PySpark. The JVM
ignores an archive of another Java version.
"""

import hashlib
import os
from pathlib import Path

from .java import Java


def archive_path(java: Java) -> Path:
    """Returns the path of the archive for this Java and this PySpark; it may not exist yet."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    identity = f"{java.version} {java.program.resolve()} {jars} {jars.stat().st_mtime_ns}"
    key = hashlib.sha256(identity.encode()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kraftsim", f"spark-{pyspark.__version__}-{key}.jsa")
