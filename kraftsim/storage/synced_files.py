"""Writes a file so that a crash leaves the old content or the new one."""

import os
from pathlib import Path


def write_synced(path: Path, content: bytes) -> None:
    """Writes the file beside its place, syncs it, renames it, and syncs its directory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.tmp")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_directory(path.parent)


def sync_directory(folder: Path) -> None:
    """Makes names that were added to a directory durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
