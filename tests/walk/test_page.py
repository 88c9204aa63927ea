"""The page of effects is what its program writes now."""

from kraftsim.broker_agent.log.settings import NAMES
from tests.walk import page, verdicts


def test_the_page_of_effects_is_current() -> None:
    """Mend it with `python -m tests.walk.page`."""
    assert page.render() == page.PAGE.read_text("utf-8")


def test_the_page_knows_the_configurations_that_act_on_logs() -> None:
    assert {*verdicts.OF_LOGS} == {*NAMES}
