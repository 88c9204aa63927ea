"""Each field of a request acts, or stands in a list with the reason why it does not."""

from pathlib import Path

import pytest

from kraftsim.controller.core.api_row import LOG, REFUSE, STORE
from kraftsim.controller.core.apis import ROWS
from tests.walk import bodies, broker_cases, quorum_cases, verdicts
from tests.walk.broker_stage import BrokerStage
from tests.walk.difference import Warnings, outcome
from tests.walk.fields import SCHEMAS, changes, fields_of
from tests.walk.values import VALUES

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = (*bodies.CASES, *quorum_cases.CASES)
NOT_WALKED = {"Envelope"}  # needs the bytes of another request
LISTED = verdicts.IGNORED.keys() | verdicts.TESTED.keys() | verdicts.OPEN.keys()
WALKED = sorted({case.api for case in (*CASES, *broker_cases.CASES)})


@pytest.fixture
async def brokers() -> BrokerStage:
    return BrokerStage()


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> Warnings:
    return Warnings(caplog)


@pytest.mark.slow
@pytest.mark.parametrize("api", WALKED)
async def test_a_field_makes_a_difference_or_is_listed(
    api: str, brokers: BrokerStage, warnings: Warnings
) -> None:
    acting: set[str] = set()
    for case in CASES:
        if case.api == api:
            usual = outcome(case, case.body, warnings)
            for change in changes(api, case.body, VALUES):
                if change.path not in acting and outcome(case, change.body, warnings) != usual:
                    acting.add(change.path)
    for case in broker_cases.CASES:
        if case.api == api:
            usual = brokers.outcome(case, case.body)
            for change in changes(api, case.body, VALUES):
                if change.path not in acting and brokers.outcome(case, change.body) != usual:
                    acting.add(change.path)

    of_the_api = {path for path in LISTED if path.partition(".")[0] == api}
    assert sorted(fields_of(api) - acting) == sorted(of_the_api)


def test_every_api_that_a_node_decides_or_reads_is_walked() -> None:
    refused = (None, LOG, REFUSE, STORE)
    answered = {
        row.name
        for row in ROWS.values()
        if row.controller not in refused or row.broker not in refused
    }

    assert answered - NOT_WALKED == set(WALKED)


def test_a_listed_field_exists_and_has_one_verdict() -> None:
    known = {path for api in SCHEMAS for path in fields_of(api)}
    listed = [*verdicts.IGNORED, *verdicts.TESTED, *verdicts.OPEN]

    assert sorted(LISTED) == sorted(listed)
    assert LISTED - known == set()
    assert {path for api in NOT_WALKED for path in fields_of(api)} <= LISTED


@pytest.mark.parametrize("path", sorted(verdicts.TESTED))
def test_the_test_of_a_field_exists(path: str) -> None:
    file, _, name = verdicts.TESTED[path].partition("::")

    assert f"def {name}(" in (ROOT / file).read_text("utf-8")
