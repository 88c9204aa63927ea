"""What workers get that have not installed us is all that they need; in Spark itself, in a soak."""

import subprocess
from pathlib import Path

import pytest

from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, Slice
from kraftsim.pipeline.campaign.shard import run_shard
from kraftsim.pipeline.package import code_digest, write_zip
from tests.pipeline.campaigns import QUIET, environment, table_files
from tests.pipeline.live.conftest import kafka_log, on_disk
from tests.pipeline.standalone import bare_python

pytestmark = pytest.mark.slow

SHARD = """
import sys
from pathlib import Path
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.campaign.shard import run_shard

folder = Folder(Path(sys.argv[1]))
run_shard(folder.plan(), 0, folder)
"""
LOG = """
import sys
from pyspark_kraftlog import DefaultSource
from kraftsim.pipeline.live.processor import BrokerStates

reader = DefaultSource({"path": sys.argv[1]}).reader(None)
batches = [batch for part in reader.partitions() for batch in reader.read(part)]
print(sum(batch.num_rows for batch in batches))
"""


def without_us(folder: Path, program: str, argument: Path, *, path: str) -> tuple[str, str]:
    """Runs a program in a Python that has not installed us, with a path; what it printed."""
    done = subprocess.run(
        [bare_python(folder), "-c", program, str(argument)],
        cwd=folder,
        env=environment(PYTHONPATH=path),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr


def test_a_shard_is_the_same_where_only_the_package_is(tmp_path: Path) -> None:
    item = Item(called="quiet", document=QUIET)
    plan = Plan(code=code_digest(), events="all", items=(item,), shards=((Slice(0, 1, 3),),))
    here, there = Folder(tmp_path / "here"), Folder(tmp_path / "there")
    here.begin(plan)
    there.begin(plan)
    run_shard(plan, 0, here)

    _, missing = without_us(tmp_path, SHARD, there.path, path="")
    assert "No module named 'kraftsim'" in missing
    without_us(tmp_path, SHARD, there.path, path=str(write_zip(tmp_path)))

    assert table_files(here.path) == table_files(there.path)


def test_a_log_is_read_where_only_the_package_is(tmp_path: Path) -> None:
    on_disk(tmp_path / "node", kafka_log("4.3.1").data)

    printed, said = without_us(tmp_path, LOG, tmp_path / "node", path=str(write_zip(tmp_path)))

    assert (printed, said) == ("838\n", "")
