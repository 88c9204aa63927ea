"""A difference is explained only if one row of docs/differences.toml matches each of its fields."""

import dataclasses

from tests.differential.explained import Match, explanation, matches
from tests.differential.generate import draw_examples
from tests.differential.judge import Mismatch
from tests.differential.pair import CLUSTER_ID
from tests.released.releases import RELEASES

CODE = Mismatch(0, "AlterPartition", "reply.errorCode", -1, 0)
MATCH = Match("row", api="AlterPartition", path="reply.errorCode", kafka="-1", ours="0")


def test_a_match_explains_only_what_it_names() -> None:
    assert [MATCH] == explanation([CODE], "4.3.1", [MATCH])
    for other in ({"api": "CreateTopics"}, {"path": "reply"}, {"kafka": 0}, {"ours": -1}):
        assert not explanation([dataclasses.replace(CODE, **other)], "4.3.1", [MATCH])
    elsewhere = dataclasses.replace(MATCH, releases=("3.9.1",))
    assert not explanation([CODE], "4.3.1", [elsewhere])


def test_every_mismatch_of_a_step_needs_a_match() -> None:
    records = Mismatch(0, "AlterPartition", "records", [], ["a record that nothing explains"])

    assert not explanation([CODE, records], "4.3.1", [MATCH])
    explains_records = Match("row", path="records")
    known = [MATCH, explains_records]
    assert known == explanation([CODE, records], "4.3.1", known)
    of_another_row = dataclasses.replace(explains_records, row="another row")
    assert not explanation([CODE, records], "4.3.1", [MATCH, of_another_row])


def test_a_match_may_count_the_records_of_the_step() -> None:
    match = dataclasses.replace(MATCH, records=10_000)

    assert [match] == explanation([dataclasses.replace(CODE, records=10_000)], "4.3.1", [match])
    assert not explanation([dataclasses.replace(CODE, records=9_999)], "4.3.1", [match])


def test_a_match_may_compare_both_values() -> None:
    match = Match("row", kafka=r"(?P<start>.*) broker \d", ours=r"(?P=start) broker \d")

    same = Mismatch(0, "UpdateFeatures", "reply", "level 3: broker 1", "level 3: broker 2")
    assert [match] == explanation([same], "4.3.1", [match])
    other = dataclasses.replace(same, ours="level 4: broker 2")
    assert not explanation([other], "4.3.1", [match])


def test_the_row_of_orders_explains_only_another_broker() -> None:
    text = (
        "Invalid update version 9 for feature metadata.version. Broker {} only supports versions {}"
    )
    kafka = text.format(1, "7-8")
    known = matches()

    def is_explained(ours: str) -> bool:
        mismatch = Mismatch(0, "UpdateFeatures", "reply.errorMessage", kafka, ours)
        return bool(explanation([mismatch], "4.3.1", known))

    assert is_explained(text.format(2, "7-8"))
    assert not is_explained(text.format(2, "7-8").replace("Broker", "Controller"))
    assert not is_explained(text.format(2, "7-8").replace("version 9", "version 10"))
    assert not is_explained(text.format(2, "7-8, or so"))


def test_every_row_with_a_match_has_an_example() -> None:
    examples = {s.name for r in RELEASES.values() for s in draw_examples(r, CLUSTER_ID)}

    assert {match.row for match in matches()} <= examples
