"""The page of effects is what its program writes now."""

from pathlib import Path

import pytest

from kraftsim.broker_agent.log.settings import NAMES
from kraftsim.controller.core.configs.metrics_configs import METRICS_CONFIGS
from tests.walk import page, verdicts

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_page_of_effects_is_current() -> None:
    """Mend it with `python -m tests.walk.page`."""
    assert page.render() == page.PAGE.read_text("utf-8")


def test_the_page_knows_the_configurations_that_act_on_logs() -> None:
    assert {*verdicts.OF_LOGS} == {*NAMES}


@pytest.mark.parametrize("name", METRICS_CONFIGS)
def test_a_configuration_of_client_metrics_has_a_test(name: str) -> None:
    file, _, test = verdicts.METRICS_TESTED[name].partition("::")

    assert f"def {test}(" in (ROOT / file).read_text("utf-8")
