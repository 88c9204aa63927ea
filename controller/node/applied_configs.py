"""The dynamic configurations that the process of a controller applied last (rule 7.1)."""

from collections.abc import Mapping

from ..core.image.image import Image
from ..core.log.batch import Batch
from ..core.log.records import BROKER_RESOURCE, ConfigRecord
from .config import NodeConfig

Values = Mapping[str, str]


class AppliedConfigs:
    """Its own values and the cluster's; None before the first ones.

    It takes no values while they give it listeners that are not a controller's. The image does not
    say what they were before.
    """

    def __init__(self, config: NodeConfig) -> None:
        self._config = config
        self.kept: tuple[Values, Values] | None = None

    def note(self, batch: Batch, image: Image) -> None:
        """Applies the values of an image into which a batch was loaded."""
        if batch.is_control or type(batch.records[0]) is not ConfigRecord:
            return
        from ..core.configs.node_configs import has_listeners_of_its_kind  # not at every start

        own = image.configs.get((BROKER_RESOURCE, str(self._config.node_id)), {})
        if has_listeners_of_its_kind(self._config.properties, own):
            self.kept = (own, image.configs.get((BROKER_RESOURCE, ""), {}))
