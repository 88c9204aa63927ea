"""`storage format` writes Kafka's files, refuses what Kafka's tool refuses, and makes a controller.

Messages are those that kafka-storage 4.3.1 printed for the same arguments.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kraftsim.commands.identity import Bound, bound_controller
from kraftsim.configuration.configuration import configuration_of
from kraftsim.controller.core.cluster.bootstrap import activation_records
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.records import FeatureLevelRecord, UserScramCredentialRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4, Profile
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import parse_uuid
from kraftsim.files.log_directories import read_storage
from kraftsim.files.properties import read_properties
from kraftsim.storage.checkpoints import INITIAL_SNAPSHOT
from kraftsim.storage.formatted import Formatted, formatted_of
from kraftsim.storage.quorum_state import mark_first_run

CLUSTER = "fMCL8kv1SWm87L_Md-I2hg"
DIRECTORY, OTHER = "JEXY6aqzQY-32P5TStzaFg", "MvDxzVmcRsaTz33bUuRU6A"
VOTERS = f"1@127.0.0.1:9990:{DIRECTORY},2@127.0.0.1:9991:{OTHER}"
STATIC = {"controller.quorum.voters": "1@127.0.0.1:9990"}
BROKER = {"process.roles": "broker", "listeners": "PLAINTEXT://127.0.0.1:9092"}


def properties(folder: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """The properties file of a controller with a metadata directory and a data directory."""
    pairs: dict[str, str | None] = {
        "process.roles": "controller",
        "node.id": "1",
        "listeners": "CONTROLLER://127.0.0.1:9990",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": f"{folder}/data",
    }
    if "controller.quorum.voters" not in (changes or {}):
        pairs["controller.quorum.bootstrap.servers"] = "127.0.0.1:9990"
    pairs.update(changes or {})
    path = folder / "node.properties"
    path.write_text("".join(f"{key}={text}\n" for key, text in pairs.items() if text is not None))
    return path


def command(path: Path, words: str) -> str:
    return f"storage format -t {CLUSTER} -c {path} --profile kafka-4.3 {words}"


def bound_to(path: Path, profile: Profile = KAFKA_4_3, **options: object) -> Bound:
    pairs = read_properties(path)
    absent = ("node_id", "voters", "listen", "directory_id", "metadata_version", "cluster_id")
    arguments = argparse.Namespace(**{**dict.fromkeys(absent), **options})
    return bound_controller(
        arguments, configuration_of(profile, pairs), profile, formatted_of(pairs, profile)
    )


def found(path: Path) -> Formatted:
    formatted = formatted_of(read_properties(path), KAFKA_4_3)
    assert formatted is not None
    return formatted


def levels_of(formatted: Formatted) -> dict[str, int]:
    return {
        record.name: record.feature_level
        for record in formatted.bootstrap
        if isinstance(record, FeatureLevelRecord)
    }


@pytest.mark.rule("6.9", "6.11", "6.12", "6.20")
def test_a_formatted_directory_makes_the_only_voter_of_a_dynamic_quorum(
    tmp_path: Path, run: Any
) -> None:
    path = properties(tmp_path)

    code, out, _ = run(command(path, "--standalone"))

    node = bound_to(path).node
    assert code == 0
    assert out.endswith(
        f"Formatting dynamic metadata voter directory {tmp_path}/data with metadata.version "
        "4.3-IV0.\n"
    )
    assert (node.cluster_id, node.node_id, node.kraft_version) == (CLUSTER, 1, 1)
    assert [(v.voter_id, v.voter_directory_id) for v in node.voters] == [(1, node.directory_id)]
    assert read_storage([f"{tmp_path}/data"]).problems == []


@pytest.mark.rule("6.5", "6.19")
def test_a_cluster_id_is_any_text_and_is_compared_as_text(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    of_no_uuid = command(path, "--standalone").replace(CLUSTER, "not-a-uuid")

    assert run(of_no_uuid)[0] == 0

    assert found(path).cluster_id == "not-a-uuid"
    _, _, err = run(command(path, "--standalone -g"))
    assert f"Expected {CLUSTER}, but read not-a-uuid" in " ".join(err.split())


@pytest.mark.rule("6.20", "6.21")
def test_every_directory_is_formatted_and_the_metadata_directory_has_the_voters(
    tmp_path: Path, run: Any
) -> None:
    dirs = {"log.dirs": f"{tmp_path}/b,{tmp_path}/a", "metadata.log.dir": f"{tmp_path}/m"}
    path = properties(tmp_path, dirs)

    document = json.loads(run(command(path, f"--initial-controllers {VOTERS} --json"))[1])

    assert sorted(document["directories"]) == [f"{tmp_path}/{name}" for name in "abm"]
    assert read_storage(document["directories"]).problems == []
    snapshots = [name for name in "abm" if (tmp_path / name / INITIAL_SNAPSHOT).exists()]
    assert snapshots == ["m"]
    assert found(path).directory_id == parse_uuid(DIRECTORY)
    assert [voter.voter_id for voter in bound_to(path).node.voters] == [1, 2]


@pytest.mark.rule("6.16", "6.20")
def test_a_cluster_begins_with_the_features_and_credentials_of_its_directory(
    tmp_path: Path, run: Any
) -> None:
    path = properties(tmp_path)
    scram = "SCRAM-SHA-256=[name=alice,salt=N3E=,saltedpassword=YCE=,iterations=8192]"
    words = f"--standalone -r 4.1 -f group.version=0 -f share.version=1 -S {scram}"
    assert run(command(path, words))[0] == 0

    formatted = found(path)
    began = activation_records(Image(), KAFKA_4_3, Settings(), None, formatted.bootstrap)

    assert levels_of(formatted) == {
        "metadata.version": level_of("4.1-IV1"),
        "eligible.leader.replicas.version": 1,
        "share.version": 1,
        "transaction.version": 2,
    }
    assert set(formatted.bootstrap) <= set(began)
    credential = formatted.bootstrap[-1]
    assert isinstance(credential, UserScramCredentialRecord)
    # what Kafka's tool printed: stored key -24, -19, 126, ...; server key -51, -17, 17, ...
    assert credential.stored_key[:3] == bytes([256 - 24, 256 - 19, 126])
    assert credential.server_key[:3] == bytes([256 - 51, 256 - 17, 17])


@pytest.mark.rule("6.17")
def test_a_formatted_directory_is_kept(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))
    before = {file: file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file()}

    code, out, _ = run(command(path, "--standalone -g"))

    assert (code, out) == (0, "All of the log directories are already formatted.\n")
    assert before == {file: file.read_bytes() for file in before}


REFUSED = {
    "twice": ({}, "--standalone", "is already formatted. Use --ignore-formatted to ignore this "),
    "no voters": ({}, "", "Because controller.quorum.voters is not set on this controller, you "),
    "static": (STATIC, "-s", "You cannot specify controller.quorum.voters and format the node "),
    "broker": (BROKER, "-s", "You can only use --standalone on a controller."),
    "kraft 0": ({}, "-s -f kraft.version=0", "Cannot set kraft.version to 0 if controller.quorum"),
    "kraft 1": (STATIC, "-f kraft.version=1", "Cannot set kraft.version to 1 unless controller"),
    "feature": ({}, "-s -f foo=1", "Unsupported feature: foo. Supported features are: eligible."),
    "no level": ({}, "-s -f foo", "Can't parse feature=level string foo: equals sign not found."),
    "level": ({}, "-s -f group.version=7", "No feature:group.version with feature level 7"),
    "unstable": ({}, "-s -f metadata.version=31", "metadata.version 4.4-IV0 is not yet stable."),
    "no metadata.version": (
        {},
        "-s -f metadata.version=99",
        "No MetadataVersion with feature level 99. Valid feature levels are from 7 to 31.",
    ),
    "both": (
        {},
        "-s -r 3.9 -f metadata.version=20",
        "Use --release-version instead of --feature metadata.version=X to avoid ambiguity.",
    ),
    "release": ({}, "-s -r 9.9", "Unknown metadata.version '9.9'. Supported metadata.version are:"),
    "dependency": (
        {},
        "-s -r 3.9 -f eligible.leader.replicas.version=1",
        "eligible.leader.replicas.version could not be set to 1 because it depends on "
        "metadata.version level 23",
    ),
    "voter": ({}, "-I 1@127.0.0.1:9990", "No colon following port could be found."),
    "port": ({}, f"-I 1@h:99999:{DIRECTORY}", "Invalid port 99999 in dynamic voter string."),
    "twice a voter": ({}, f"-I {VOTERS},{VOTERS}", "Node id 1 was specified more than once."),
    "mechanism": ({}, "-s -S SCRAM-SHA-1=[name=a]", "The add-scram mechanism SCRAM-SHA-1 is not"),
    "old SCRAM": (
        {},
        "-s -r 3.4 -S SCRAM-SHA-256=[name=a,password=b]",
        "SCRAM is only supported in metadata.version 3.5-IV2 or later.",
    ),
    "roles": ({"process.roles": None}, "-s", 'Missing required configuration "process.roles"'),
}


@pytest.mark.rule("6.14", "6.18", "6.21")
@pytest.mark.parametrize("name", REFUSED)
def test_what_kafka_refuses_is_refused_and_formats_nothing(
    name: str, tmp_path: Path, run: Any
) -> None:
    changes, words, message = REFUSED[name]
    path = properties(tmp_path, changes)
    if name == "twice":
        run(command(path, words))

    code, _, err = run(command(path, words))

    assert (code, message in " ".join(err.split())) == (1, True), err
    assert (tmp_path / "data").exists() == (name == "twice")


@pytest.mark.rule("6.13", "6.19")
def test_the_directory_of_another_cluster_or_node_is_refused(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))

    _, _, err = run(command(path, "--standalone -g").replace(CLUSTER, "x"))
    assert f"Expected x, but read {CLUSTER}" in " ".join(err.split())
    with pytest.raises(ValueError, match=f"--cluster-id: expected {CLUSTER}"):
        bound_to(path, cluster_id="x")
    configuration = configuration_of(KAFKA_4_3, {**read_properties(path), "node.id": "7"})
    arguments = argparse.Namespace(cluster_id=None, node_id=None)
    with pytest.raises(ValueError, match="--node-id: expected 1, for which"):
        bound_controller(arguments, configuration, KAFKA_4_3, found(path))


def test_a_formatted_directory_keeps_its_level_and_its_records(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone -r 4.1-IV1 -S SCRAM-SHA-256=[name=alice,password=a]"))
    with pytest.raises(ValueError, match="--metadata-version: expected none, because"):
        bound_to(path, metadata_version="4.3-IV0")
    assert len(bound_to(path).node.bootstrap) > 1


@pytest.mark.rule("6.13")
@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (
            ("2KqJmDo0Rny5pUrE6cVUWw", "AAAAAAAAAAAAAAAAAAAABQ"),
            "Invalid reserved directory ID AAAAAAAAAAAAAAAAAAAABQ found in {second}",
        ),
        (
            ("2KqJmDo0Rny5pUrE6cVUWw", "2KqJmDo0Rny5pUrE6cVUWw"),
            "Duplicate directory ID Optional[2KqJmDo0Rny5pUrE6cVUWw] found. It was the ID of "
            "{first}, but also of {second}",
        ),
    ],
)
def test_a_reserved_directory_id_or_that_of_another_directory_is_refused(
    tmp_path: Path, run: Any, ids: tuple[str, str], message: str
) -> None:
    first, second = directories = (tmp_path / "a", tmp_path / "b")
    for directory, directory_id in zip(directories, ids, strict=True):
        directory.mkdir()
        meta = f"version=1\nnode.id=1\ncluster.id={CLUSTER}\ndirectory.id={directory_id}\n"
        (directory / "meta.properties").write_text(meta)
    path = properties(tmp_path, {"log.dirs": f"{first},{second}"})

    code, _, err = run(command(path, "--standalone -g"))

    words = " ".join(message.format(first=first, second=second).split())
    assert (code, words in " ".join(err.split())) == (1, True), err


@pytest.mark.rule("6.18")
def test_a_directory_whose_id_is_no_uuid_is_ignored_beside_others(tmp_path: Path, run: Any) -> None:
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    meta = f"version=1\nnode.id=1\ncluster.id={CLUSTER}\ndirectory.id=zz\n"
    (damaged / "meta.properties").write_text(meta)
    path = properties(tmp_path, {"log.dirs": f"{damaged},{tmp_path / 'data'}"})

    code, out, _ = run(command(path, "--standalone"))

    note = f"I/O error trying to read log directory {damaged}. Ignoring..."
    assert (code, note in " ".join(out.split())) == (0, True), out
    with pytest.raises(ValueError, match=r"meta\.properties: Unable to read directory\.id"):
        bound_to(properties(tmp_path, {"log.dirs": str(damaged)}))


def test_a_directory_that_is_not_formatted_needs_a_cluster_id(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--cluster-id: expected an id, or a --config whose log"):
        bound_to(properties(tmp_path))


@pytest.mark.rule("7.8")
def test_a_directory_without_voters_leaves_them_to_the_bootstrap_servers(
    tmp_path: Path, run: Any
) -> None:
    path = properties(tmp_path, {"controller.quorum.bootstrap.servers": "a:1,b:2"})
    run(command(path, "--no-initial-controllers"))

    node = bound_to(path).node

    assert [(server.host, server.port) for server in node.bootstrap_servers] == [("a", 1), ("b", 2)]
    assert (node.voters, node.kraft_version) == ((), 0)
    assert node.properties["controller.quorum.bootstrap.servers"] == "a:1,b:2"


def test_a_level_that_the_profile_does_not_support_is_refused(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))

    with pytest.raises(ValueError, match=r"metadata\.version: expected a level of at most 21"):
        bound_to(path, KAFKA_3_9)


def test_a_directory_with_a_log_is_refused(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))
    (tmp_path / "data" / "__cluster_metadata-0" / f"{0:020}.log").write_bytes(b"")

    with pytest.raises(ValueError, match="keep their log in memory and read none"):
        bound_to(path)


def test_a_controller_that_runs_marks_its_directory_and_changes_nothing_else(
    tmp_path: Path, run: Any
) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))
    before = found(path)

    mark_first_run(before.path, kraft_version=1, voter_ids=[1])

    assert (before.has_run, found(path)) == (False, replace(before, has_run=True))
    assert read_storage([f"{tmp_path}/data"]).problems == []


def test_an_epoch_of_a_peer_is_no_evidence_against_a_controller_with_a_directory(
    tmp_path: Path, run: Any
) -> None:
    path = properties(tmp_path)
    without = bound_to(path, voters=VOTERS, cluster_id=CLUSTER).node
    run(command(path, f"--initial-controllers {VOTERS}"))

    assert (without.may_have_lost_log, bound_to(path).node.may_have_lost_log) == (True, False)


def test_a_damaged_checkpoint_names_the_file(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))
    checkpoint = tmp_path / "data" / "bootstrap.checkpoint"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])

    with pytest.raises(ValueError, match=r"bootstrap\.checkpoint: expected a batch"):
        bound_to(path)


@pytest.mark.rule("6.20")
@pytest.mark.parametrize(
    ("changes", "words", "voter_ids"),
    [
        ({}, "--standalone", [1]),
        ({}, "--no-initial-controllers", []),
        (STATIC, "", [1]),
    ],
    ids=["standalone", "no voters", "static"],
)
def test_from_4_4_on_the_snapshot_0_0_has_the_first_records(
    tmp_path: Path, run: Any, changes: Mapping[str, str | None], words: str, voter_ids: list[int]
) -> None:
    folders = {"metadata.log.dir": f"{tmp_path}/data", "log.dirs": f"{tmp_path}/data,{tmp_path}/a"}
    path = properties(tmp_path, {**changes, **folders})

    run(f"storage format -t {CLUSTER} -c {path} --profile kafka-4.4 {words}")

    written = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*"))
    assert written == [
        "a/meta.properties",
        f"data/{INITIAL_SNAPSHOT}",
        "data/meta.properties",
        "node.properties",
    ]
    node = bound_to(path, KAFKA_4_4).node
    assert [voter.voter_id for voter in node.voters] == voter_ids
    levels = {r.name: r.feature_level for r in node.bootstrap if isinstance(r, FeatureLevelRecord)}
    assert (levels["metadata.version"], levels["share.version"]) == (33, 2)
    with pytest.raises(ValueError, match=r"bootstrap\.checkpoint: No such file"):
        bound_to(path, KAFKA_4_3)


def test_4_4_reads_the_directory_of_an_older_release(tmp_path: Path, run: Any) -> None:
    path = properties(tmp_path)
    run(command(path, "--standalone"))

    assert bound_to(path, KAFKA_4_4).node.bootstrap == bound_to(path).node.bootstrap
