"""docs/novelties.md gives each thing that a release brought a verdict that holds."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.released.class_files import string_constants
from tests.released.jars import class_path
from tests.released.novelties import Contents, novelties_of, released_novelties, words
from tests.released.novelty_page import PAGE, render
from tests.released.novelty_table import TABLE, Kind, Novelty, novelties, parse, text_of
from tests.released.novelty_verdicts import Verdict, judge, verdicts
from tests.released.novelty_verdicts import parse as parse_verdicts
from tests.released.releases import RELEASES
from tools.fidelity import differences
from tools.rule_book import rule_book

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.released
@pytest.mark.slow
def test_the_released_jars_give_the_table() -> None:
    """Mend it with `python -m tests.released.novelties`, and give each new row a verdict."""
    assert text_of(released_novelties()) == TABLE.read_text("utf-8")


@pytest.mark.released
def test_a_class_file_gives_its_string_constants() -> None:
    release = RELEASES["4.4.0"]
    jar = Path(class_path(release)).parent / f"kafka-metadata-{release.version}.jar"
    with ZipFile(jar) as file:
        strings = string_constants(
            file.read("org/apache/kafka/controller/ClientQuotaControlManager.class")
        )

    assert "Quota \x01 must be a finite number" in strings
    assert "()V" not in strings


def test_bytes_that_are_no_class_file_are_refused() -> None:
    pool_of_an_unknown_tag = bytes(8) + b"\x00\x02\xff"

    with pytest.raises(ValueError, match="expected a constant of a class file, got tag 255"):
        string_constants(pool_of_an_unknown_tag)


def test_the_page_is_what_the_table_and_the_verdicts_say() -> None:
    """Mend it with `python -m tests.released.novelties --page`."""
    assert render() == PAGE.read_text("utf-8")


def test_the_table_is_read_as_it_is_written() -> None:
    assert text_of(parse(TABLE.read_text("utf-8"))) == TABLE.read_text("utf-8")


def test_no_novelty_is_unread_and_no_verdict_is_stale() -> None:
    judged = judge(novelties(), verdicts())

    assert judged.unread == []
    assert judged.stale == []


def test_every_verdict_names_rules_differences_and_tests_that_exist() -> None:
    table = verdicts()
    ids = {row["id"] for row in differences()["difference"]}

    problems = [rule_book().problem_with(rule) for verdict in table for rule in verdict.rules]
    assert list(filter(None, problems)) == []
    assert {verdict.difference for verdict in table} - ids <= {""}
    paths = {test for verdict in table for test in verdict.tests}
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_every_release_but_the_oldest_is_judged() -> None:
    assert {row.release for row in novelties()} == set(sorted(RELEASES)[1:])


def test_a_text_that_only_moved_or_is_joined_otherwise_is_no_novelty() -> None:
    old = _contents({"kafka.server.KafkaApis": {"Topic ", " is closed."}})
    new = _contents({"server.TopicDoor": {"Topic \x01 is closed."}})

    assert list(novelties_of("4.4.0", old, new)) == []


def test_new_words_between_values_are_a_novelty() -> None:
    old = _contents({"controller.Topics": {"Topic \x01 is closed."}})
    new = _contents({"controller.Topics": {"Topic \x01 is closed.", "Topic \x01 is open."}})

    (novelty,) = novelties_of("4.4.0", old, new)
    assert novelty == Novelty("4.4.0", Kind.TEXT, ("controller.Topics",), "Topic {} is open.")


def test_a_class_outside_of_the_control_plane_is_searched_for_keys_only() -> None:
    new = _contents({"storage.TierConfig": {"tier.size.bytes", "The tier is full."}})

    (novelty,) = novelties_of("4.4.0", _contents({}), new)
    assert novelty == Novelty("4.4.0", Kind.KEY, ("storage.TierConfig",), "tier.size.bytes")


def test_fields_versions_and_messages_are_novelties() -> None:
    old = Contents({}, {"Door": _message("0", "Id"), "Gate": _message("0")})
    new = Contents({}, {"Door": _message("0-1", "Id", "Colour"), "Wall": _message("0", "Id")})

    assert [(row.kind, *row.classes, row.text) for row in novelties_of("4.4.0", old, new)] == [
        (Kind.VERSIONS, "Door", "versions 0, now versions 0-1"),
        (Kind.FIELD, "Door", "Colour (0+)"),
        (Kind.MESSAGE, "Wall", "versions 0: Id"),
        (Kind.VERSIONS, "Gate", "versions 0, now none"),
    ]


def test_the_words_of_a_text_stand_between_its_values() -> None:
    assert words("Quota \x01 must be {} or %s.") == {"quota", "must be", "or"}


def test_the_first_verdict_that_matches_counts() -> None:
    text = Novelty("4.4.0", Kind.TEXT, ("raft.Vote",), "Vote refused")
    narrow = Verdict(classes=("raft.*",), texts=("Vote *",), rules=("10.14",))
    wide = Verdict(classes=("raft.*",), absent="logs")

    judged = judge([text], [narrow, wide])

    assert judged.rows[narrow] == [text]
    assert judged.stale == ["raft.*: *"]


def test_a_verdict_is_about_a_text_if_every_class_matches() -> None:
    shared = Novelty("4.4.0", Kind.TEXT, ("raft.Vote", "controller.Vote"), "Vote refused")

    assert judge([shared], [Verdict(classes=("raft.*",), absent="logs")]).unread == [shared]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('[[verdict]]\nclas = "raft.*"\nabsent = "logs"', "got clas"),
        ('[[verdict]]\nclass = "raft.*"', "expected one of rules, difference"),
        ('[[verdict]]\nrules = ["10.1"]\nabsent = "logs"', "expected one of rules, difference"),
    ],
)
def test_a_verdict_of_another_form_is_refused(row: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_verdicts(row)


def _contents(strings: dict[str, set[str]]) -> Contents:
    return Contents({name: frozenset(texts) for name, texts in strings.items()}, {})


def _message(versions: str, *fields: str) -> dict[str, object]:
    listed = [{"name": field, "versions": "0+"} for field in fields]
    return {"validVersions": versions, "fields": listed}
