"""The row of the table of operations about the logs of topics."""

from typing import TYPE_CHECKING

from ..api.administration.checks import check_log_export
from ..api.administration.documents import LogPart
from .operation import Operation

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def export_log(
    kraft: "Cluster", name: str, partition: int, from_: int = 0, broker: int | None = None
) -> LogPart:
    """Return stored batches of a partition, and what else the files of its log have."""
    return await kraft.log.export(name, partition, from_, broker)


EXPORT_LOG = Operation(
    "GET", "/v1/log/export", ("log", "export"), export_log, check=check_log_export
)
