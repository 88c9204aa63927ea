"""Java is found, or missed in a line that says what installs it, before anything starts."""

import stat
from pathlib import Path

import pytest

from kraftsim.pipeline.engines.java import JavaMissing, require_java


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a Java of that version on PATH, alone."""

    def put(version: str) -> Path:
        program = tmp_path / "java"
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return put


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("25", 25)])
def test_java_on_path_is_found(java, version: str, major: int) -> None:
    program = java(version)

    found = require_java()
    assert (found.program, found.major) == (program, major)


def test_java_home_comes_before_path(java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    java("17.0.15").rename(tmp_path / "bin" / "java")
    java("11.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    assert 17 == require_java().major


@pytest.mark.parametrize("version", ["11.0.22", "1.8.0_402"])
def test_a_java_that_is_too_old_is_refused_with_the_line_that_helps(java, version: str) -> None:
    java(version)

    with pytest.raises(JavaMissing, match="needs Java 17 or newer, got .*" + version) as refused:
        require_java()
    assert "apt-get install openjdk-17-jre-headless" in str(refused.value)


def test_no_java_is_refused_with_the_line_that_helps(java) -> None:
    with pytest.raises(JavaMissing, match=r"got none on PATH.*apt-get install openjdk-17"):
        require_java()


def test_a_java_home_without_java_is_named(java, monkeypatch: pytest.MonkeyPatch) -> None:
    java("17.0.15")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    with pytest.raises(JavaMissing, match="JAVA_HOME=/nowhere, which has no bin/java"):
        require_java()
