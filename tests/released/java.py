"""Runs classes of a release in a Java virtual machine, small and quick to start."""

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kraftsim.pipeline.engines.java import Java, require_java
from tests.released.jars import class_path, folder_of
from tests.released.releases import Release

_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_LOG4J = """\
log4j.rootLogger=WARN, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
_LOG4J2 = """\
appender.stdout.type=Console
appender.stdout.name=stdout
appender.stdout.layout.type=PatternLayout
appender.stdout.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=WARN
rootLogger.appenderRef.stdout.ref=stdout
"""
TOOL_LIMIT_S = 120


def java_command(
    release: Release,
    folder: Path,
    main_class: str,
    *,
    heap_mb: int = 512,
    classes: Path | None = None,
    archives_classes: bool = False,
) -> list[str]:
    """Return the command up to the main class; writes the logging configuration to `folder`.

    `classes` is a folder with more classes. If it `archives_classes`, the process writes the
    classes that it has loaded into `class_archive` at its end; later ones load them from there.
    """
    settings = folder / "log4j.properties"
    settings.write_text(_LOG4J2 if release.uses_log4j2 else _LOG4J, "utf-8")
    option = "log4j2.configurationFile=" if release.uses_log4j2 else "log4j.configuration=file:"
    jars, archive = class_path(release), class_archive(release)
    if archives_classes:
        shared = [f"-XX:ArchiveClassesAtExit={archive.with_suffix('.new')}"]
    else:
        shared = [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
    return [
        str(_java().program),
        f"-Xmx{heap_mb}m",
        *_FLAGS,
        *shared,
        f"-D{option}{settings}",
        f"-Dkafka.logs.dir={folder}",
        "-cp",
        jars if classes is None else f"{jars}:{classes}",
        main_class,
    ]


@cache
def _java() -> Java:
    return require_java("A released Kafka")


def class_archive(release: Release) -> Path:
    """The loaded classes of a release (AppCDS), for this version of Java, beside its jars."""
    version = re.sub(r"[^0-9A-Za-z.]+", "-", _java().version)
    return folder_of(release) / f"{version}.jsa"


def compiled(release: Release, sources: Sequence[Path], folder: Path) -> Path:
    """Compiles Java sources against the jars of a release; returns the folder of the classes."""
    compiler = _java().program.with_name("javac")
    command = [compiler, "-cp", class_path(release), "-d", folder, *sources]
    subprocess.run(command, check=True, timeout=TOOL_LIMIT_S)
    return folder


def run_tool(
    release: Release,
    folder: Path,
    main_class: str,
    arguments: Sequence[str],
    *,
    classes: Path | None = None,
) -> str:
    """Return what the tool prints on stdout; subprocess.CalledProcessError if it fails."""
    command = [*java_command(release, folder, main_class, classes=classes), *arguments]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, timeout=TOOL_LIMIT_S
    )
    return done.stdout
