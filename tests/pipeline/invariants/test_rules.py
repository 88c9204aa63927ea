"""Each rule in SQL holds of an honest campaign, and falls when a row is tampered with."""

import re
from dataclasses import replace

import pytest

from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.invariants.rules import RULES, broken, definitions
from tests.pipeline.duck import Duck, duck

# in the process of the other tests that read these campaigns
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]

NEWEST = """type = 'REGISTER_BROKER_RECORD' and seq = (select max(seq) from tampered as other
  where other.type = tampered.type and other.run_id = tampered.run_id)"""
AGAIN = 'seq + 1000 as seq, "offset" + 1000 as "offset"'


def edited(field: str, value: str) -> str:
    """The record's fields with another value of one."""
    return f"regexp_replace(data, '\"{field}\":[^,}}]*', '\"{field}\":{value}')"


TAMPERED = {
    "seq-without-gap": ("heartbeats", "update tampered set seq = seq + 1 where seq > 10"),
    "time-goes-forward": ("records", "update tampered set t_us = 0 where seq = 30"),
    "offsets-grow": ("records", 'update tampered set "offset" = 3 where seq = 30'),
    "leader-epochs-grow": ("records", "update tampered set leader_epoch = 0 where seq = 30"),
    "one-leader-an-epoch": (
        "records",
        f"""insert into tampered select * replace ({AGAIN})
        from tampered where type = 'LEADER_CHANGE'""",
    ),
    "an-epoch-begins-with-its-leader": (
        "records",
        "delete from tampered where type = 'LEADER_CHANGE'",
    ),
    "epoch-is-an-offset": (
        "records",
        f"update tampered set data = {edited('brokerEpoch', '2')} where {NEWEST}",
    ),
    "broker-epochs-grow": (
        "records",
        f"update tampered set data = {edited('brokerEpoch', '2')} where {NEWEST}",
    ),
    "an-incarnation-keeps-its-epoch": (
        "records",
        f"""insert into tampered
        select * replace ({AGAIN}, {edited("brokerEpoch", "999")} as data)
        from tampered where {NEWEST}""",
    ),
    "changes-name-the-epoch": (
        "records",
        f"""update tampered set data = {edited("brokerEpoch", "2")}
        where type = 'BROKER_REGISTRATION_CHANGE_RECORD'""",
    ),
    "only-the-fenced-are-unfenced": (
        "records",
        f"""update tampered set data = {edited("fenced", "-1")}
        where type = 'BROKER_REGISTRATION_CHANGE_RECORD' and data like '%"fenced":1%'""",
    ),
    "no-fence-inside-the-lease": (
        "transitions",
        "update tampered set t_us = t_us - 3000000 where kind = 'lease_expired'",
    ),
    "no-second-process-beside-a-live-one": (
        "records",
        f"""insert into tampered
        select * replace ({AGAIN}, 5000000 as t_us, {edited("incarnationId", '"other"')} as data)
        from tampered where type = 'REGISTER_BROKER_RECORD' and t_us < 2000000""",
    ),
    "records-and-transitions-agree": (
        "transitions",
        "delete from tampered where kind = 'broker_fenced'",
    ),
    "intervals-do-not-overlap": (
        "intervals",
        "update tampered set end_us = end_us + 1 where ended_by = 'unfenced'",
    ),
    "intervals-follow-from-the-log": (
        "intervals",
        "update tampered set cause = 'unfenced' where cause = 'fenced'",
    ),
    "counts-agree": ("runs", "update tampered set fencings = fencings + 1"),
}


@pytest.fixture
def tables(shaky) -> Duck:
    """Of the failing scenario too: what fails is what it claims of itself, not the log."""
    found = duck((shaky, ""))
    for text in definitions(shaky.plan()):
        found.database.execute(text)
    return found


def test_an_honest_campaign_breaks_none(tables: Duck) -> None:
    assert [] == list(broken(tables.ask))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_falls_when_what_it_is_about_is_tampered_with(rule, tables: Duck) -> None:
    table, statement = TAMPERED[rule.name]
    tables.tamper(table, statement)

    rows = list(broken(tables.ask, [rule]))

    assert rows, f"{rule.name} held"
    assert {rule.number} == {row["number"] for row in rows}
    assert all(row["repro"].startswith("kraftsim scenario run") for row in rows)


def test_of_each_rule_there_is_a_sentence_and_a_number_of_its_own() -> None:
    assert len(RULES) == len({rule.number for rule in RULES}) == len({rule.name for rule in RULES})
    assert all(rule.claim.endswith(".") and rule.of in ("kafka", "tables") for rule in RULES)


def test_the_lease_of_a_run_is_the_session_of_its_profile(shaky) -> None:
    """kip-631 has sessions of 18 s, twice as long as the default profile's."""
    quiet = shaky.plan().items[0].document
    items = [
        Item(called="quiet", document=document)
        for document in (
            quiet | {"profile": "kip-631"},
            quiet | {"profile": "kip-631", "config": {"broker.session.timeout.ms": 6000}},
            quiet,
        )
    ]
    *_, steady = definitions(replace(shaky.plan(), items=tuple(items)))

    sessions_us = dict(re.findall(r"\('(\w+)', cast\((\d+) as bigint\)\)", steady))
    assert ["18000000", "6000000", "9000000"] == [sessions_us[item.key] for item in items]
