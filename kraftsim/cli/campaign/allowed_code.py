"""Asks for --allow-code before the Python code in a campaign's plan runs.

A plan contains the Python files of its scenarios, and names modules that their nodes run; the
folder of a campaign may come from a stranger.
"""

from typing import TYPE_CHECKING

from ...errors import UsageError

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder


def expect_code_allowed(folder: "Folder", *, is_allowed: bool) -> None:
    """Raises UsageError if the plan contains Python code and `is_allowed` is False."""
    from kraftsim.pipeline.campaign.commit_log import PLAN

    names = _code(folder)
    if names and not is_allowed:
        raise UsageError(
            f"{folder.path / PLAN}: its scenarios run Python code ({', '.join(names)}): read it, "
            'under the key "own" of the plan, then add --allow-code'
        )


def resume_command(folder: "Folder") -> str:
    """Returns the command that runs the missing shards of the campaign."""
    option = " --allow-code" if _code(folder) else ""
    return f"kraftsim campaign resume {folder.path}{option}"


def _code(folder: "Folder") -> list[str]:
    return sorted({name for item in folder.plan().items for name in item.code})


def let_nodes_run() -> None:
    """Lets the nodes of scenarios run their code in this process, a worker of a campaign."""
    from ...own_nodes.host import allow

    allow()
