"""Packs kraftsim's modules into a zip for Spark workers on which kraftsim is not installed.

The zip has the simulation, the code that runs a shard, and the source `kraftlog`. Workers also need
pyarrow, and pandas and protobuf for stateful streaming.
"""

import hashlib
import importlib.util
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDERS = ("controller", "broker_agent", "simulation", "scenarios", "pipeline")
OTHER_PACKAGES = ("pyspark_kraftlog", "sortedcontainers")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # constant, so that the same modules give the same zip


def code_digest() -> str:
    """Returns a digest of all modules that determine a run; a checkout, wheel and zip agree."""
    digest = hashlib.sha256()
    for name, path in _modules():
        digest.update(f"{name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def write_zip(folder: Path) -> Path:
    """Writes the zip for `spark.addArtifacts(..., pyfile=True)`, named by its contents."""
    path = folder / f"kraftsim-{code_digest()}.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, source in (*_modules(), *_other_packages()):
            _add(file, name, source.read_bytes())
    return path


@contextmanager
def code_on_workers(spark: "SparkSession") -> Iterator[None]:
    """Makes kraftsim importable on the workers of the session.

    Remote workers fetch the zip when they start, so it is kept until the block ends.
    """
    if _workers_are_forked(spark):
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        spark.addArtifacts(str(write_zip(Path(folder))), pyfile=True)
        yield


def _workers_are_forked(spark: "SparkSession") -> bool:
    """Returns whether workers run on this machine, with this Python; False for Connect servers."""
    is_connect = type(spark).__module__.startswith("pyspark.sql.connect")
    return not is_connect and str(spark.conf.get("spark.master")).startswith("local")


def _add(file: ZipFile, name: str, data: bytes) -> None:
    info = ZipInfo(name, _LONG_AGO)
    info.compress_type = ZIP_DEFLATED
    file.writestr(info, data)


def _modules() -> Iterator[tuple[str, Path]]:
    root = _root("kraftsim")
    yield "kraftsim/__init__.py", root / "__init__.py"
    for folder in FOLDERS:
        yield from _sources(f"kraftsim/{folder}", root / folder)


def _other_packages() -> Iterator[tuple[str, Path]]:
    for package in OTHER_PACKAGES:
        yield from _sources(package, _root(package))


def _sources(name: str, root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*.py")):
        yield f"{name}/{path.relative_to(root).as_posix()}", path


def _root(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None, package
    assert spec.origin is not None, package
    return Path(spec.origin).parent
