"""Configurations of client metrics that released brokers accepted, and those they refused."""

from time import process_time
from warnings import catch_warnings

import pytest

from kraftsim.controller.core.configs.metrics_configs import check
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3, KAFKA_4_4, Profile

NO_ELEMENT = "Configuration '{}' values must not be empty."
ILLEGAL = "Illegal client matching pattern: "
INTERVAL = "Invalid value 1 for interval.ms, interval must be between 100 and 3600000 (1 hour)"
CASES: list[tuple[dict[str, str], str | None, str | None, str | None]] = [
    # in 3.9, in 4.1, and since 4.3
    ({"match": ""}, ILLEGAL, None, None),
    ({"match": " "}, ILLEGAL + " ", None, None),
    ({"match": ","}, None, ILLEGAL, NO_ELEMENT.format("match")),
    ({"match": ",client_id=x"}, ILLEGAL, ILLEGAL, NO_ELEMENT.format("match")),
    ({"metrics": ""}, None, None, None),
    ({"metrics": "a,,b"}, None, None, NO_ELEMENT.format("metrics")),
    ({"metrics": "a,a"}, None, None, None),
    ({"match": "client_id=a="}, None, None, None),
    *(
        ({"match": text}, ILLEGAL + text, ILLEGAL + text, ILLEGAL + text)
        for text in ("client_id=", "client_id==a", "client_id=a=b", "client_id", "client_id=[a")
    ),
    ({"match": "bad=", "metrics": ","}, *[ILLEGAL + "bad="] * 2, NO_ELEMENT.format("metrics")),
    ({"match": ",", "interval.ms": "1"}, INTERVAL, INTERVAL, NO_ELEMENT.format("match")),
    ({"match": "bad=", "interval.ms": "1"}, *[INTERVAL] * 3),
]


@pytest.mark.rule("7.1")
@pytest.mark.parametrize(
    ("profile", "column"), [(KAFKA_3_9, 0), (KAFKA_4_1, 1), (KAFKA_4_3, 2), (KAFKA_4_4, 2)]
)
def test_bad_elements_are_refused_as_in_the_release(profile: Profile, column: int) -> None:
    found = [refusal_of(configs, profile) for configs, *_ in CASES]

    assert found == [expected[column] for _, *expected in CASES]


@pytest.mark.parametrize(
    "expression",
    ["(" * 5_000 + ")" * 5_000, "a{99999999999999999999}"],
    ids=["too many brackets", "too large a number"],
)
def test_an_expression_that_cannot_be_compiled_is_refused(expression: str) -> None:
    pattern = f"client_id={expression}"

    assert refusal_of({"match": pattern}, KAFKA_4_3) == ILLEGAL + pattern


@pytest.mark.rule("7.1")
def test_a_class_of_many_characters_is_checked_at_once() -> None:
    expression = "(?i)" + "[\0-\U0010ffff]" * 6_000  # fits into a value; a minute to compile

    started_s = process_time()

    assert refusal_of({"match": f"client_id={expression}"}, KAFKA_4_3) is None
    assert process_time() - started_s < 5


def test_an_expression_that_python_warns_of_is_accepted_without_a_word() -> None:
    with catch_warnings(record=True, action="always") as warnings:
        assert refusal_of({"match": "client_id=[[a]"}, KAFKA_4_3) is None

    assert not warnings


def refusal_of(configs: dict[str, str], profile: Profile) -> str | None:
    try:
        check(configs, profile)
    except ApiError as error:
        return error.message
    return None
