"""The profiles whose rules are tested side by side: the default, 4.3, and the last of Kafka 3."""

import pytest

from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4

UNDER_TEST = (KAFKA_4_4, KAFKA_4_3, KAFKA_3_9)
EACH_PROFILE = pytest.mark.parametrize("profile", UNDER_TEST, ids=lambda p: p.name)
