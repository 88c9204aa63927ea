"""A controller that is lost for good blocks an upgrade; its cure needs a process of its id.

The answers are those of a 4.4.0 voter at 4.3-IV0, whose observer 3001 of 4.3.1 was killed, and of
which a 4.4.0 process with the id 3001 then registered.
"""

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import (
    FeatureUpdate,
    UnregisterControllerRequest,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)

LEVEL = FeatureUpdate(feature="metadata.version", max_version_level=33, upgrade_type=1)
BLOCKED = (
    "The update failed for all features since the following feature had an error: Invalid update "
    "version 33 for feature metadata.version. Controller 3001 only supports versions 7-30"
)


async def raised(kraft: Cluster) -> tuple[int, str | None]:
    """The answer to an update to 4.4-IV2."""
    response = await kraft.request(UpdateFeaturesRequest(feature_updates=(LEVEL,)))
    assert isinstance(response, UpdateFeaturesResponse)
    return response.error_code, response.error_message


async def unregistered(kraft: Cluster) -> tuple[int, str | None]:
    """The answer to the unregistration of the lost controller."""
    try:
        response = await kraft.request(UnregisterControllerRequest(controller_id=3001))
    except ApiError as error:
        return error.code, error.message
    return getattr(response, "error_code", -1), getattr(response, "error_message", None)


@pytest.mark.rule("5.56", "5.64")
async def test_a_process_of_the_lost_id_lets_the_level_rise_and_the_id_go() -> None:
    async with Cluster(
        brokers=0,
        controllers=3,
        profiles={3001: "kafka-4.3"},
        metadata_version="4.3-IV0",
        clock="virtual",
    ) as kraft:
        await kraft.clock.advance("10s")
        await kraft.controllers.kill(3001)
        assert await raised(kraft) == (95, BLOCKED)
        assert await unregistered(kraft) == (
            35,
            "The current MetadataVersion is too old to support controller unregistration.",
        )

        await kraft.controllers.install(3001, "kafka-4.4")
        await kraft.controllers.start(3001)
        await kraft.clock.advance("10s")
        assert (await raised(kraft))[0] == 0
        await kraft.controllers.kill(3001)

        assert (await unregistered(kraft))[0] == 0
        assert await unregistered(kraft) == (136, "Controller ID 3001 is not currently registered.")
