"""The steps of the Dockerfile, carried out in a scratch folder: no engine is needed."""

import json
import os
import signal
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 300
FREE_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")

pytestmark = [pytest.mark.interop, pytest.mark.slow]


def instructions() -> list[tuple[str, str]]:
    """The instructions with their words, without comments."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def last(name: str) -> str:
    return [rest for word, rest in instructions() if word == name][-1]


@dataclass(frozen=True, slots=True)
class Image:
    """The scratch folder after the steps: where its programs are, and its environment."""

    root: Path
    environment: dict[str, str]

    def files(self) -> dict[str, int]:
        """Every file with the time of its last change."""
        return {str(path): path.stat().st_mtime_ns for path in self.root.rglob("*")}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Carries out COPY and RUN of both stages, in one Python environment for both."""
    root = tmp_path_factory.mktemp("image")
    venv.create(root / "python", with_pip=True)
    (root / "dist").mkdir()
    (root / "python/bin/useradd").write_text(f'#!/bin/sh\necho "$@" > {root}/useradd\n')
    (root / "python/bin/useradd").chmod(0o755)
    environment = {"PATH": f"{root}/python/bin:/usr/bin:/bin", "HOME": str(root)}
    environment |= {n: v for n, v in os.environ.items() if n.startswith(("PIP_", "SSL_"))}
    environment |= dict(word.split("=") for word in last("ENV").split())
    (root / "dist/requirements.txt").write_bytes((ROOT / "requirements.txt").read_bytes())
    for name, command in instructions():
        if name == "RUN":
            here = command.replace("/dist", f"{root}/dist")
            shell = ["sh", "-c", here]
            subprocess.run(shell, cwd=ROOT, env=environment, timeout=LIMIT_S, check=True)
    return Image(root, environment)


@pytest.fixture
def up(image: Image) -> Iterator[subprocess.Popen[str]]:
    """ENTRYPOINT and CMD, on loopback and on free ports."""
    words = json.loads(last("ENTRYPOINT")) + json.loads(last("CMD"))
    assert words[-2:] == ["--host", "0.0.0.0"]
    words[-1] = "127.0.0.1"
    with subprocess.Popen(
        [*words, *FREE_PORTS],
        cwd="/",
        env=image.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def test_the_image_is_healthy_writes_nothing_and_ends_well(
    image: Image, up: subprocess.Popen[str]
) -> None:
    assert up.stdout is not None
    told = dict(up.stdout.readline().rstrip("\n").split("=", 1) for _ in range(4))
    before = image.files()

    check = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    probe = [word.replace("http://localhost:8090", told["KRAFTSIM_HTTP"]) for word in check]
    assert probe != check
    assert subprocess.run(probe, env=image.environment, check=False).returncode == 0
    assert told["KRAFTSIM_BOOTSTRAP_SERVERS"].startswith("localhost:")

    up.send_signal(signal.SIGTERM)
    assert up.wait(LIMIT_S) == 0
    assert image.files() == before


def test_the_image_does_not_run_as_root(image: Image) -> None:
    assert last("USER") not in ("root", "0")
    assert (image.root / "useradd").read_text().split()[-1] == last("USER")
