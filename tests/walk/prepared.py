"""A recording and small campaigns, made once, for the lines that name them."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from kraftsim import Cluster
from kraftsim.api.recordings import recording_of
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, Slice
from kraftsim.pipeline.campaign.shard import run_shard
from kraftsim.pipeline.package import code_digest
from kraftsim.recording.writing import write_recording

DONE, OF_CODE, RECORDING = "TMP/done", "TMP/of-code", "TMP/recording"
QUIET = {
    "schema": "kraftsim/scenario/1",
    "name": "quiet",
    "claim": "Nothing happens.",
    "cluster": {"controllers": 1, "brokers": 1},
    "time": {"warmup": "1s", "run": "1s", "calm": "1s"},
}
CODE = {"coded.py": "def whatever(world):\n    return True\n"}


def _finished_campaign(path: Path) -> None:
    folder = _begun(path, Item(called="quiet", document=QUIET))
    run_shard(folder.plan(), 0, folder, engine="local")


def _campaign_with_code(path: Path) -> None:
    """Makes a campaign whose only run needs the code of its plan, and was not begun."""
    document = QUIET | {"name": "coded", "expect": {"always": ["coded.py:whatever"]}}
    _begun(path, Item(called="coded", document=document, own=CODE))


def _begun(path: Path, item: Item) -> Folder:
    folder = Folder(path)
    shards = ((Slice(0, 1, 2),),)
    folder.begin(Plan(code=code_digest(), events="all", items=(item,), shards=shards))
    return folder


def _recording(path: Path) -> None:
    async def recorded() -> None:
        async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
            await kraft.clock.advance("1s")
            write_recording(path, recording_of(kraft))

    asyncio.run(recorded())


_MAKERS: dict[str, Callable[[Path], None]] = {
    DONE: _finished_campaign,
    OF_CODE: _campaign_with_code,
    RECORDING: _recording,
}


class Prepared:
    """Makes each file or folder when the first line names it, and copies it for every line."""

    def __init__(self, originals: Path) -> None:
        self._originals = originals

    def copy_for(self, line: str, folder: Path) -> None:
        """Copies to `folder` what the line names."""
        for name, make in _MAKERS.items():
            if name in line.split():
                original = self._originals / Path(name).name
                if not original.exists():
                    make(original)
                _copy(original, folder / original.name)


def _copy(original: Path, copy: Path) -> None:
    """Copies a file or a folder with its times."""
    if original.is_dir():
        shutil.copytree(original, copy)
    else:
        shutil.copy2(original, copy)
