"""A state of a broker has one spelling: in help, HTTP, scenarios and tables."""

import re
from typing import Any, get_type_hints

import pytest

from kraftsim.api.states import STATES
from kraftsim.broker_agent.process_state import LASTING_STATES
from kraftsim.cli.main import main
from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.http.openapi import openapi_document
from kraftsim.pipeline.campaign import broker_intervals
from kraftsim.pipeline.live import broker_states as live
from kraftsim.scenarios.conditions.broker_states import BrokerState

EVERY_STATE = {*RegistrationState, *LASTING_STATES}


def words_after(start: str, text: str) -> list[str]:
    """The words of the list that follows `start`, which ends with a word without a comma."""
    listed = re.search(re.escape(start) + r":\s+((?:\w+,\s+)*\w+)", text)
    assert listed is not None, text
    return re.findall(r"\w+", listed[1])


def test_help_of_wait_lists_every_state_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["wait", "--help"])

    assert words_after("state to wait for", capsys.readouterr().out) == list(STATES)
    assert EVERY_STATE == set(STATES)


def test_every_parameter_that_waits_for_a_state_lists_all() -> None:
    texts = [
        text for text in strings_of(openapi_document()) if text.startswith("state to wait for")
    ]

    assert texts
    assert all(words_after("state to wait for", text) == list(STATES) for text in texts)


def strings_of(document: Any) -> list[str]:
    if isinstance(document, dict):
        return [text for value in document.values() for text in strings_of(value)]
    if isinstance(document, list):
        return [text for value in document for text in strings_of(value)]
    return [document] if isinstance(document, str) else []


def test_a_scenario_spells_states_as_wait_does() -> None:
    accepted = get_type_hints(BrokerState, include_extras=True)["state"].__metadata__[0].words

    assert set(accepted) <= set(STATES)


def test_tables_spell_states_as_wait_does() -> None:
    campaign = {broker_intervals.FENCED, broker_intervals.UNFENCED, broker_intervals.LEAVING}
    followed = {live.FENCED, live.UNFENCED, live.IN_CONTROLLED_SHUTDOWN, live.UNREGISTERED}

    assert campaign | followed <= set(STATES)
    assert all(type(state) is str for state in campaign | followed)  # Spark pickles no enum
