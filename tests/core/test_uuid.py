"""Kafka's uuids: rules 6.1 to 6.4 and 1.15."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.controller.core.uuid import (
    LOST_DIRECTORY,
    METADATA_TOPIC_ID,
    is_reserved_directory,
    parse_uuid,
    random_uuid,
    uuid_text,
)


@pytest.mark.rule("6.3")
@given(st.binary(min_size=16, max_size=16))
def test_text_and_bytes_say_the_same(uuid):
    assert 22 == len(uuid_text(uuid))
    assert uuid == parse_uuid(uuid_text(uuid))


@pytest.mark.rule("6.4")
def test_the_metadata_topic_has_its_known_text():
    assert "AAAAAAAAAAAAAAAAAAAAAQ" == uuid_text(METADATA_TOPIC_ID)


@pytest.mark.rule("6.3")
@pytest.mark.parametrize("text", ["", "x", "A" * 23, "A" * 30, "A" * 21 + "!", "ä" * 22])
def test_what_is_no_uuid_is_refused_with_what_came(text):
    with pytest.raises(ValueError, match="expected a uuid of 22 base64 characters"):
        parse_uuid(text)


@pytest.mark.rule("6.1", "6.2")
def test_a_random_uuid_is_of_version_4_and_does_not_look_like_an_option():
    draw = random.Random(1).random
    for uuid in (random_uuid(draw) for _ in range(500)):
        assert (4, 2) == (uuid[6] >> 4, uuid[8] >> 6)
        text = uuid_text(uuid)
        assert not text.startswith("-")
        assert (text[8] in "QRST", text[10] in "CGKOSWaeimquy26-", text[21] in "AQgw") == (
            True,
        ) * 3


def test_the_same_entropy_gives_the_same_uuid():
    assert random_uuid(random.Random(1).random) == random_uuid(random.Random(1).random)


@pytest.mark.rule("1.15")
@pytest.mark.parametrize(
    ("lower", "reserved"),
    [(0, True), (2, True), (99, True), (100, False), (2**63 - 1, False), (2**63, True),
     (2**64 - 1, True)],
)  # fmt: skip
def test_the_first_hundred_and_the_negative_directories_are_reserved(lower, reserved):
    directory = bytes(8) + lower.to_bytes(8, "big")

    assert reserved is is_reserved_directory(directory)
    assert not is_reserved_directory(b"\x01" + directory[1:])
    assert is_reserved_directory(LOST_DIRECTORY)
