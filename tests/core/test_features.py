"""Feature levels and what they gate."""

import pytest

from kraftsim.controller.core.feature_levels import default_level, elr_enabled, level_of


@pytest.mark.rule("0.5")
@pytest.mark.parametrize(
    ("name", "level"),
    [("3.0-IV1", 1), ("3.3-IV0", 4), ("3.7-IV2", 17), ("3.9-IV0", 21), ("4.1-IV1", 27),
     ("4.3-IV0", 30), ("4.4-IV2", 33)],
)  # fmt: skip
def test_levels_have_names(name, level):
    assert level == level_of(name)


@pytest.mark.rule("0.5")
def test_an_unknown_level_is_named_with_what_would_do():
    with pytest.raises(ValueError, match=r"3\.0-IV1 to 4\.5-IV0\), got '4\.9'"):
        level_of("4.9")


@pytest.mark.rule("1.20")
def test_what_nobody_finalized_is_at_0_but_metadata_version_at_1():
    assert (1, 0) == (default_level("metadata.version"), default_level("group.version"))


@pytest.mark.rule("4.23")
@pytest.mark.parametrize(
    ("levels", "enabled"),
    [
        ({}, False),
        ({"metadata.version": 30}, False),
        ({"metadata.version": 22, "eligible.leader.replicas.version": 1}, False),
        ({"metadata.version": 23, "eligible.leader.replicas.version": 1}, True),
        ({"metadata.version": 30, "eligible.leader.replicas.version": 0}, False),
    ],
)
def test_elr_needs_the_feature_and_the_fields(levels, enabled):
    assert enabled is elr_enabled(levels)
