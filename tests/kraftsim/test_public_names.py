"""`import kraftsim` offers the public names, and loads none of them before it is used."""

import pytest

import kraftsim
from kraftsim import ApiError, Cluster, CommandError, ErrorCode


def test_each_public_name_leads_to_a_class() -> None:
    assert {name: type(getattr(kraftsim, name)) for name in kraftsim.__all__}.keys() == set(
        dir(kraftsim)
    )
    assert all(isinstance(getattr(kraftsim, name), type) for name in kraftsim.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Clusters"):
        _ = kraftsim.Clusters


async def test_a_refusal_can_be_caught_by_its_public_name() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders")
        with pytest.raises(ApiError) as refused:
            await kraft.topics.create("orders")
        with pytest.raises(CommandError, match="expected one of 1"):
            await kraft.brokers.kill(7)

    assert refused.value.code is ErrorCode.TOPIC_ALREADY_EXISTS
