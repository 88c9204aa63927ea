"""What `pip install kraftsim` puts on a machine: its package, and the name of Spark's source."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.docs.blocks import blocks_of

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("controller", "broker_agent", "simulation", "scenarios", "pipeline")
SOURCE = "pyspark_kraftlog/__init__.py"  # all of it: Spark imports it whatever it is asked for
ONE_OF_EACH = {
    "kraftsim/pipeline/engines/log4j2.properties",
    "kraftsim/__init__.py",
    "kraftsim/cli/main.py",
    "kraftsim/controller/core/image/image.py",
    "kraftsim/controller/node/node.py",
    "kraftsim/broker_agent/agent.py",
    "kraftsim/scenarios/__init__.py",
    "kraftsim/scenarios/scenario.schema.json",
    "kraftsim/scenarios/library/steady-heartbeats.yaml",
    "kraftsim/scenarios/library/parts/three-racks.yaml",
}

# in one process, which makes the builds of this module once
pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.slow]


@pytest.fixture(scope="module")
def from_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("checkout")
    build("--wheel", out)
    return out


@pytest.fixture(scope="module")
def from_sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build tool's default: an sdist, and a wheel from that."""
    out = tmp_path_factory.mktemp("sdist")
    build("--no-isolation", out)
    return out


def build(option: str, out: Path) -> None:
    options = {"--no-isolation", option}
    command = [sys.executable, "-m", "build", *sorted(options), "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def names_in(folder: Path) -> list[str]:
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def sources() -> set[str]:
    """Every Python file of the product, by its path in a wheel."""
    found = {path.relative_to(ROOT) for path in (ROOT / "kraftsim").rglob("*.py")}
    mine = {str(path) for path in found if path.parts[1] not in FOLDERS}
    linked = {
        path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")
    }
    return mine | {f"kraftsim/{path}" for path in linked} | {SOURCE}


@pytest.mark.parametrize("built", ["from_checkout", "from_sdist"])
def test_a_wheel_has_every_file_once_and_no_package_that_others_may_have(
    built: str, request: pytest.FixtureRequest
) -> None:
    names = names_in(request.getfixturevalue(built))

    assert {name.split("/")[0] for name in names} == {
        "kraftsim",
        "kraftsim-0.1.0.dist-info",
        "pyspark_kraftlog",
    }
    assert len(names) == len(set(names))
    assert {name for name in names if name.endswith(".py")} == sources()
    assert set(names) >= ONE_OF_EACH


def test_a_wheel_has_the_command_and_the_plugin_of_pytest(from_checkout: Path) -> None:
    (wheel,) = from_checkout.glob("*.whl")
    points = zipfile.Path(wheel, "kraftsim-0.1.0.dist-info/entry_points.txt").read_text("utf-8")

    assert "kraftsim = kraftsim.__main__:run" in points
    assert "[pytest11]\nkraftsim.pytest_plugin = kraftsim.pytest_plugin" in points


@pytest.fixture(scope="module")
def empty_python(from_checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel, pytest, and what they require."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    python = folder / "bin" / "python"
    (wheel,) = from_checkout.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    command = [*pip, wheel, "pytest"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "NewConnectionError" in done.stderr or "No matching distribution" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    return python


@pytest.mark.parametrize(
    ("page", "lines_max"), [(ROOT / "README.md", 10), (ROOT / "docs" / "pytest.md", 5)]
)
def test_the_first_example_of_pytest_passes_with_the_wheel_and_pytest_only(
    page: Path, lines_max: int, empty_python: Path, tmp_path: Path
) -> None:
    example = next(block.text for block in blocks_of(page) if "def test_" in block.text)
    (tmp_path / "test_example.py").write_text(example, "utf-8")
    command = [empty_python, "-I", "-m", "pytest", "test_example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert len([line for line in example.splitlines() if line]) <= lines_max


def test_both_wheels_have_the_same_files(from_checkout: Path, from_sdist: Path) -> None:
    assert sorted(names_in(from_sdist)) == sorted(names_in(from_checkout))


def test_the_sdist_has_each_source_once_and_what_it_takes_to_test_it(from_sdist: Path) -> None:
    (sdist,) = from_sdist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert names >= {"controller/core/image/image.py", "tests/conftest.py", "Makefile", "LICENSE"}
    assert not any(
        name.startswith(tuple(f"kraftsim/{folder}/" for folder in FOLDERS)) for name in names
    )
