"""The names of configurations in the text of KIP-631, which the profile kip-631 takes."""

import pytest

from kraftsim.configuration.configuration import configuration_of, names_of
from kraftsim.controller.core.profile import KAFKA_4_3, KIP_631

DRAFT = {
    "broker.registration.timeout.ms": "20000",
    "controller.id": "3000",
    "controller.connect": "3000@localhost:9093",
}


@pytest.mark.rule("7.1")
def test_the_names_of_the_draft_mean_what_the_shipped_names_mean() -> None:
    drafted = configuration_of(KIP_631, DRAFT)
    shipped = configuration_of(
        KIP_631,
        {
            "broker.session.timeout.ms": "20000",
            "node.id": "3000",
            "controller.quorum.voters": "3000@localhost:9093",
        },
    )

    assert drafted == shipped
    assert drafted.settings["broker_session_timeout_ms"] == 20000
    assert (drafted.node_id, list(drafted.voters)) == (3000, [3000])


@pytest.mark.rule("7.1")
@pytest.mark.parametrize("name", DRAFT)
def test_other_profiles_refuse_them_with_the_shipped_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is a name of KIP-631's draft: set "):
        configuration_of(KAFKA_4_3, {name: DRAFT[name]})


@pytest.mark.rule("7.1")
def test_the_defaults_of_the_draft_are_those_of_its_profile() -> None:
    assert KIP_631.settings.broker_session_timeout_ms == 18_000
    assert KIP_631.settings.broker_heartbeat_interval_ms == 3_000


@pytest.mark.rule("7.1")
def test_only_its_profile_proposes_them_for_a_misspelt_name() -> None:
    assert set(DRAFT) <= set(names_of(KIP_631))
    assert not set(DRAFT) & set(names_of(KAFKA_4_3))
