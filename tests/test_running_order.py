"""Tests run in an order in which a mistake shows early, and each group has one process."""

from pathlib import Path

import pytest

from tests import running_order

SUITE = """
import pytest

def test_quick(): pass
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.slow
@pytest.mark.xdist_group("wheel")
def test_of_a_group(): pass
@pytest.mark.released
@pytest.mark.interop
def test_released(): pass
@pytest.mark.interop
def test_foreign(): pass
@pytest.mark.realtime
def test_sockets(): pass
@pytest.mark.page
def test_page(): pass
@pytest.mark.realtime
@pytest.mark.spark
def test_spark(): pass
def test_quick_too(): pass
"""


@pytest.fixture
def items(request: pytest.FixtureRequest, tmp_path: Path) -> list[pytest.Item]:
    path = tmp_path / "test_of_each_kind.py"
    path.write_text(SUITE, "utf-8")
    module = pytest.Module.from_parent(request.session, path=path)
    return [item for item in module.collect() if isinstance(item, pytest.Item)]


def test_one_process_begins_with_spark_the_others_with_what_fails_fast(
    items: list[pytest.Item],
) -> None:
    names = [item.name.removeprefix("test_") for item in sorted(items, key=running_order.place_of)]

    assert names == [
        *("spark", "quick", "quick_too", "sockets", "foreign", "released", "page"),
        *("of_a_group", "slow"),
    ]


def test_sockets_foreign_software_spark_and_pages_have_a_process_each(
    items: list[pytest.Item],
) -> None:
    groups = {item.name.removeprefix("test_"): running_order.group_of(item) for item in items}

    assert (groups["sockets"], groups["spark"], groups["page"]) == ("realtime", "spark", "page")
    assert groups["foreign"] == groups["released"] == "foreign"
    assert groups["quick"] is groups["slow"] is None


def test_the_slowest_files_are_those_whose_tests_took_longest_together() -> None:
    def report(test: str, seconds: float) -> pytest.TestReport:
        return pytest.TestReport(
            test, (test, 0, test), {}, "passed", None, "call", duration=seconds
        )

    reports = [report("a.py::test_one", 2), report("b.py::test_one[x]", 3), object()]
    reports += [report("a.py::test_two@realtime", 2)]
    reports += [report(f"{number}.py::test_it", 1) for number in range(20)]

    assert running_order.slowest_files(reports)[:3] == [("a.py", 4), ("b.py", 3), ("0.py", 1)]
    assert len(running_order.slowest_files(reports)) == 10
