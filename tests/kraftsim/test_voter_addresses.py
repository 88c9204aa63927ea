"""`--voters`: what names a quorum, and what is wrong with what does not."""

import pytest

from kraftsim.service.voter_addresses import voters_of

A, B = "AbcdefghijklmnopqrstuA", "BbcdefghijklmnopqrstuA"


def test_voters_are_read_in_order_of_id() -> None:
    voters = voters_of(f"3001@b.test:9991:{B},3000@[::1]:9990:{A}")

    assert [3000, 3001] == [voter.voter_id for voter in voters]
    assert ("::1", 9990) == (voters[0].endpoints[0].host, voters[0].endpoints[0].port)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "expected id@host:port:directoryId, got ''"),
        (f"x@a:1:{A}", "expected id@host:port:directoryId"),
        (f"99999999999@a:1:{A}", "expected an id of 0 to 2147483647, got 99999999999"),
        (f"1@a:99999:{A}", "expected host:port, got 'a:99999'"),
        ("1@a:1:nonsense", "expected a directory id, as `kraftsim storage random-uuid`"),
        ("1@a:1:AAAAAAAAAAAAAAAAAAAAAQ", "expected a directory id, as"),
        (f"1@a:1:{A},1@b:2:{B}", "expected each id once, got [1, 1]"),
        (f"1@a:1:{A},2@a:1:{B}", "another address and another directory id"),
        (f"1@a:1:{A},2@b:2:{A}", "another address and another directory id"),
    ],
)
def test_what_names_no_quorum_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match="--voters") as refused:
        voters_of(text)
    assert wrong in str(refused.value)
