"""docs/fidelity.md says what the tests say, and nothing that they do not."""

import pytest

from kraftsim.controller.wire.apis.table import APIS
from tools import fidelity, fidelity_page
from tools.fidelity_page import Proof
from tools.rule_book import rule_book

LONGEST_LINE = 120

# What a 4.4.0 controller lists in its ApiVersions (rule 5.1).
CONTROLLER_KEYS = {
    *(1, 17, 18, 19, 20, 29, 30, 31, 32, 33, 36, 37, 38, 39, 40, 41, 43, 44, 45, 46, 49, 50, 51),
    *(52, 53, 54, 55, 56, 57, 58, 59, 60, 62, 63, 64, 67, 70, 73, 80, 81, 82, 94),
}


@pytest.mark.slow
def test_the_page_is_what_the_tests_say(proofs: list[Proof]) -> None:
    expected = fidelity_page.render(
        rule_book(), proofs, fidelity.differences(), fidelity.verdicts()
    )

    written = fidelity.PAGE.read_text(encoding="utf-8") if fidelity.PAGE.exists() else ""
    assert written == expected, "docs/fidelity.md is out of date: run `make fidelity`"


def test_a_line_of_the_page_is_short_enough_to_read() -> None:
    lines = fidelity.PAGE.read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if len(line) > LONGEST_LINE] == []


def test_every_rule_marker_names_a_rule_of_the_book(proofs: list[Proof]) -> None:
    assert fidelity.problems_of(proofs) == []


def test_every_difference_names_rules_and_tests_that_exist(proofs: list[Proof]) -> None:
    known = {proof.test for proof in proofs}

    table = fidelity.differences()["difference"]
    assert [test for row in table for test in row.get("tests", []) if test not in known] == []
    assert [rule for row in table for rule in row["rules"] if rule_book().problem_with(rule)] == []


def test_every_rule_has_a_proof_a_difference_or_a_verdict(proofs: list[Proof]) -> None:
    tables = fidelity.differences(), fidelity.verdicts()

    assert fidelity_page.without_verdict(rule_book(), proofs, *tables) == []


def test_every_verdict_has_a_meaning_and_a_reason_and_names_each_rule_once() -> None:
    table = fidelity.verdicts()

    named = [rule for row in table["verdict"] for rule in row["rules"]]
    assert [rule for rule in named if rule_book().problem_with(rule)] == []
    assert len(named) == len(set(named))
    assert all(row["verdict"] in table["meaning"] and row["why"] for row in table["verdict"])


def test_every_difference_has_an_id_of_its_own() -> None:
    ids = [row["id"] for row in fidelity.differences()["difference"]]

    assert len(ids) == len(set(ids))


def test_an_api_of_the_controller_is_either_offered_or_listed_as_absent() -> None:
    offered = {key for key, api in APIS.items() if "controller" in api.listeners}
    absent = {api["key"] for api in fidelity.differences()["absent"]["apis"]}

    assert offered & absent == set()
    assert CONTROLLER_KEYS - offered == absent
