"""A link has every act of every branch; a damaged link is refused with what was expected."""

import json
from urllib.parse import parse_qsl, urlencode

import pytest

from kraftsim.errors import UsageError
from kraftsim.lessons.link import LinkedBranch, read_link, sum_of

KILL = [{"at": "12s", "proc.crash": {"on": 2}}]


def address(**words: object) -> str:
    return f"http://127.0.0.1:8090/#{urlencode({'lesson': 'lesson-01-lease', **words})}"


def test_a_link_of_one_branch_has_its_release_and_acts() -> None:
    link = read_link(address(seed=3, profile="kip-631", acts=json.dumps(KILL), t=20))

    assert (link.name, link.seed, link.at_us) == ("lesson-01-lease", 3, 20)
    assert link.branches == (LinkedBranch("kip-631", json.dumps(KILL)),)


def test_a_link_of_branches_names_the_shown_one_and_those_beside() -> None:
    branches = [{}, {"profile": "kafka-3.9"}, {"acts": KILL}]
    link = read_link(address(branches=json.dumps(branches), active=2, beside="0,2"))

    assert [branch.profile for branch in link.branches] == ["", "kafka-3.9", ""]
    assert json.loads(link.shown.acts) == KILL
    assert link.beside == (0, 2)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"seed": "x"}, "expected seed as a whole number, got 'x'"),
        ({"t": "-1"}, "expected t as a whole number, got '-1'"),
        ({"t": "9" * 5000}, "expected t as a whole number"),
        ({"branches": "[{"}, "expected branches as an array in JSON"),
        ({"branches": "[" * 10_000}, "expected branches as an array in JSON"),
        ({"branches": "[]"}, "expected branches as 1 to 21 branches, got '0'"),
        ({"branches": f"[{'{},' * 21}{{}}]"}, "expected branches as 1 to 21 branches, got '22'"),
        ({"branches": "[3]"}, "expected a branch as an object with profile and acts, got '3'"),
        ({"active": 1}, "expected active as the number of a branch, 0 to 0, got '1'"),
        ({"beside": "0,7"}, "expected beside as the number of a branch, 0 to 0, got '7'"),
        ({"lesson": ""}, "expected a link as lesson=NAME after its #"),
        ({str(number): 1 for number in range(30)}, "expected a link as at most 20 words"),
        ({"x": "y" * 100_000}, "expected a link as at most 100,000 characters"),
    ],
)
def test_a_damaged_link_is_refused_with_what_was_expected(
    words: dict[str, object], what: str
) -> None:
    with pytest.raises(UsageError) as raised:
        read_link(address(**words))

    assert str(raised.value).startswith("this link is damaged: ")
    assert what in str(raised.value)


def summed(text: str) -> str:
    return f"#sum={sum_of(parse_qsl(text))}&{text}"


def test_a_link_of_the_page_begins_with_a_check_sum_of_its_words() -> None:
    text = urlencode({"lesson": "lesson-01-lease", "acts": json.dumps(KILL), "t": 20})

    assert sum_of([("lesson", "a"), ("t", "1")]) == "d6c4d51f"
    assert read_link(summed(text)).shown.acts == json.dumps(KILL)


@pytest.mark.parametrize("lost", range(1, 40))
def test_a_link_that_lost_its_end_is_refused(lost: int) -> None:
    whole = summed(urlencode({"lesson": "lesson-01-lease", "acts": json.dumps(KILL), "t": 20}))

    with pytest.raises(UsageError, match="its end is missing"):
        read_link(whole[:-lost])
