"""Parses the folder of a campaign: a path of a file system, not an address of an object store."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[/\\]")
_SCHEMES = "abfss?|dbfs|file|ftp|gs|hdfs|https?|nfs|oss|s3[an]?|sc|spark|viewfs|wasbs?"
_KNOWN = re.compile(rf"({_SCHEMES})(:|//)", re.IGNORECASE)


def campaign_folder(text: str) -> Path:
    """Parses the path of a folder for argparse; refuses URIs, such as s3://bucket/campaign.

    As a path, a URI would be a new folder below the working directory.
    """
    if _URI.match(text) or _KNOWN.match(text):
        raise argparse.ArgumentTypeError(
            f"expected the path of a folder, got the URI {text!r}: mount the file system, and give "
            "the path of the mount (./ before a path with such a name makes it a path)"
        )
    return Path(text)


def folder_of(arguments: argparse.Namespace) -> "Folder":
    """Returns the folder of a campaign; PlanError if it has no plan or an invalid plan."""
    from kraftsim.pipeline.campaign.commit_log import Folder

    folder = Folder(arguments.folder)
    folder.plan()
    return folder
