"""Every query has the same answer in Spark and in DuckDB, on the same files."""

import json
from collections.abc import Callable, Iterator
from math import isclose
from pathlib import Path
from typing import Any

import pytest
import yaml

from kraftsim.pipeline.analysis import views
from kraftsim.pipeline.analysis.views import define, frame_of, sql
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.invariants import rules
from kraftsim.pipeline.report import comparison
from kraftsim.pipeline.report.gather import gather
from kraftsim.pipeline.tables import TABLES
from tests.kraftsim.conftest import run as run  # a fixture
from tests.kraftsim.test_terminal import keys_of
from tests.pipeline.duck import Duck, duck

pytestmark = pytest.mark.spark


def rows(answer: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """In an order that does not depend on the engine."""
    return sorted((tuple(value.values()) for value in answer), key=repr)


def are_alike(value: Any, other: Any) -> bool:
    if isinstance(value, float) or isinstance(other, float):
        return isclose(value, other, rel_tol=1e-12)
    return bool(value == other)


def differences(ours: Any, theirs: Any, where: str = "") -> Iterator[str]:
    """Between two documents, whose numbers may differ in their last digit."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            yield from differences(ours[key], theirs[key], f"{where}.{key}")
    elif isinstance(ours, list | tuple) and len(ours) == len(theirs):
        for number, (row, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(row, other, f"{where}[{number}]")
    elif not are_alike(ours, theirs):
        yield f"{where}: {ours} and {theirs}"


@pytest.fixture
def tables(shaky) -> Duck:
    return duck((shaky, ""))


def test_a_printed_report_is_the_same_of_both(
    spark, shaky, tables: Duck, run: Any, tmp_path: Path, monkeypatch
) -> None:
    """It goes to stdout, and to a page on request."""
    monkeypatch.chdir(tmp_path)

    printed = json.loads(run(f"campaign report {shaky.path} --json --html page.html")[1])

    assert [] == list(differences(printed, gather(shaky, tables.ask).to_document()))
    assert [key for key in keys_of(printed) if "_" in key] == []
    assert Path("page.html").read_text().startswith("<!doctype html>")
    assert [Path("page.html")] == list(Path().iterdir())


@pytest.mark.parametrize(
    ("option", "read"), [("--json", json.loads), ("--output yaml", yaml.safe_load)]
)
def test_a_printed_check_finds_nothing_in_either(
    spark, shaky, run: Any, option: str, read: Callable[[str], Any]
) -> None:
    code, out, _ = run(f"campaign check {shaky.path} {option}")

    printed = read(out)
    assert (0, []) == (code, printed["violations"])
    assert printed["records"] == sum(
        commit.pieces["records"].rows for commit in shaky.commits().values()
    )


def test_what_a_rule_finds_in_a_tampered_campaign_is_the_same_of_both(spark, shaky) -> None:
    """Every rule is broken by some row, and both engines name the same rows."""
    broken = duck((shaky, ""))
    broken.database.execute("create table tampered as select * from transitions")
    broken.database.execute(
        "update tampered set t_us = t_us - 3000000, seq = seq + 100000 where kind in "
        "('lease_expired', 'broker_fenced', 'agent_state')"
    )
    broken.database.execute("create or replace temp view transitions as select * from tampered")
    define(spark, shaky, TABLES)
    spark.createDataFrame(
        broken.database.execute("select * from tampered").fetchall(), TABLES["transitions"].ddl
    ).createOrReplaceTempView("transitions")
    for text in rules.definitions(shaky.plan()):
        broken.database.execute(text)
        spark.sql(text)

    for name in ("lives", *(rule.name for rule in rules.RULES)):
        text = sql(name, rules.FOLDER)
        ours = rows([row.asDict() for row in spark.sql(text).collect()])
        assert ours == rows(broken.ask(text)), name


def test_a_printed_comparison_is_the_same_of_both(
    spark, shaky, run: Any, tmp_path: Path, monkeypatch
) -> None:
    """It goes to stdout, and no file is written."""
    monkeypatch.chdir(tmp_path)
    both = duck((shaky, "base_"), (shaky, "new_"))
    for text in comparison.definitions(shaky.plan(), shaky.plan()):
        both.database.execute(text)

    printed = yaml.safe_load(run(f"campaign compare {shaky.path} {shaky.path} --output yaml")[1])
    assert [] == printed.pop("regressions")
    assert [] == list(differences(printed, comparison.compare(both.ask).to_document()))
    assert [key for key in keys_of(printed) if "_" in key] == []
    assert [] == list(tmp_path.iterdir())


def test_a_table_without_files_is_an_empty_one(spark, shaky, tmp_path: Path) -> None:
    empty = Folder(tmp_path / "empty")
    empty.begin(shaky.plan())

    for table in TABLES.values():
        frame = frame_of(spark, empty, table)
        assert (0, list(table.names)) == (frame.count(), frame.columns)


def test_every_query_is_one_that_both_were_asked() -> None:
    """A file that no test reads would be one that only one engine was tried with."""
    asked = {path.stem for path in Path(views.__file__).parent.glob("*.sql")}
    source = "".join(
        Path(source).read_text("utf-8")
        for source in (
            views.__file__,
            comparison.__file__,
            Path(comparison.__file__).with_name("gather.py"),
            Path(comparison.__file__).with_name("coverage.py"),
        )
    )
    assert not {name for name in asked if f'"{name}"' not in source and f"'{name}'" not in source}
    files = {path.stem for path in rules.FOLDER.glob("*.sql")}
    assert files == {rule.name for rule in rules.RULES} | set(rules.VIEWS)
