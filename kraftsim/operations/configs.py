"""The rows of the table of operations about configurations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..api.administration.checks import Config
from ..api.administration.config_words import check_changes, check_described
from ..api.administration.documents import ConfigList
from .operation import Operation

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def get_config(
    kraft: "Cluster", resource: str, name: str, key: str | None = None, scope: str = "all"
) -> ConfigList:
    """Show the configurations of a resource with their sources and synonyms."""
    return await kraft.configs.get(resource, name, key, scope)


async def set_config(
    kraft: "Cluster",
    resource: str,
    name: str,
    values: Mapping[str, Config] | None = None,
    delete: Sequence[str] = (),
    append: Mapping[str, Config] | None = None,
    subtract: Mapping[str, Config] | None = None,
) -> ConfigList:
    """Set or delete configurations, or change elements of lists; show what is set."""
    await kraft.configs.set(resource, name, values, delete, append, subtract)
    return await kraft.configs.get(resource, name, scope="set")


CONFIG_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET",
        "/v1/configs/{resource}/{name}",
        ("config", "get"),
        get_config,
        check=check_described,
    ),
    Operation(
        "POST",
        "/sim/configs/{resource}/{name}/set",
        ("config", "set"),
        set_config,
        changes=True,
        check=check_changes,
    ),
)
