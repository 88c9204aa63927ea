"""Our own modules as a zip, for workers that have not installed us: the simulation, what runs a
shard of it, and the source `kraftlog`. They need pyarrow beside it, and pandas and protobuf where
Spark keeps state.
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
BESIDE = ("pyspark_kraftlog", "sortedcontainers")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # a zip of the same modules has the same bytes


def code_digest() -> str:
    """Of everything that decides what a run is: the same in a checkout, a wheel and a zip."""
    made_of = hashlib.sha256()
    for name, path in _modules():
        made_of.update(f"{name}\n".encode())
        made_of.update(path.read_bytes())
    return made_of.hexdigest()[:16]


def write_zip(folder: Path) -> Path:
    """What `spark.addArtifacts(..., pyfile=True)` takes; it is named by what is in it."""
    path = folder / f"kraftsim-{code_digest()}.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, source in (*_modules(), *_beside()):
            _add(file, name, source.read_bytes())
    return path


@contextmanager
def code_on_workers(spark: "SparkSession") -> Iterator[None]:
    """Workers elsewhere fetch the zip when they begin, so that it stays for as long."""
    if _is_here(spark):
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        spark.addArtifacts(str(write_zip(Path(folder))), pyfile=True)
        yield


def _is_here(spark: "SparkSession") -> bool:
    """Are the workers forked from this Python? A Connect server may be anywhere."""
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


def _beside() -> Iterator[tuple[str, Path]]:
    for package in BESIDE:
        yield from _sources(package, _root(package))


def _sources(name: str, root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*.py")):
        yield f"{name}/{path.relative_to(root).as_posix()}", path


def _root(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None, package
    assert spec.origin is not None, package
    return Path(spec.origin).parent
