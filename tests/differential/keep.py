"""Keeps a mended difference: its sequence with the answers of the release that judged it."""

from dataclasses import replace

from tests.differential import kept
from tests.differential.arguments import Given
from tests.differential.files import write
from tests.differential.generate.silent import is_silent
from tests.differential.settings import SILENT_SESSION_MS


def keep(given: Given, name: str, rule: str) -> int:
    """Exit 0 if ours answers the kept file as Kafka did, else 1 and no file is left."""
    path = kept.FOLDER / f"{name}.json"
    if path.exists():
        print(f"{path} exists: expected another name for --keep, or the file removed first")
        return 1
    session = {"session_timeout_ms": SILENT_SESSION_MS} if is_silent(given.sequence) else {}
    sequence = replace(given.sequence, name=name)
    write(sequence, path, release=given.release.version, rule=rule, **session)
    try:
        kept.record(path)
        mismatches = kept.replay(path)
    except BaseException:
        path.unlink()
        raise
    for mismatch in mismatches:
        print(f"  {mismatch}")
    if mismatches:
        path.unlink()
        print("not kept: ours still differs from Kafka; mend it first, then keep it")
        return 1
    print(f"kept: {path}, rule {rule}; pytest tests/differential/test_kept.py -k {name} replays it")
    return 0
