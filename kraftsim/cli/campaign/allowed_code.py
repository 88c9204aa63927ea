"""Asks for --allow-code before the Python code in a campaign's plan runs.

A plan contains the Python files of its scenarios' own properties, and the folder of a campaign may
come from a stranger.
"""

from typing import TYPE_CHECKING

from ...errors import UsageError

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder


def expect_code_allowed(folder: "Folder", *, is_allowed: bool) -> None:
    """Raises UsageError if the plan contains Python code and `is_allowed` is False."""
    from kraftsim.pipeline.campaign.commit_log import PLAN

    names = _python_files(folder)
    if names and not is_allowed:
        raise UsageError(
            f"{folder.path / PLAN}: its scenarios run Python code ({', '.join(names)}): read it, "
            'under the key "own" of the plan, then add --allow-code'
        )


def resume_command(folder: "Folder") -> str:
    """Returns the command that runs the missing shards of the campaign."""
    option = " --allow-code" if _python_files(folder) else ""
    return f"kraftsim campaign resume {folder.path}{option}"


def _python_files(folder: "Folder") -> list[str]:
    return sorted({name for item in folder.plan().items for name in item.own})
