"""Lines of the command line for a running cluster, and lines in which one option differs.

Each line runs on a new cluster of three controllers and three brokers, after the lines of `before`;
the lines of `after` show what became of the cluster. TMP stands for a folder.
"""

from collections.abc import Mapping

from tests.walk.fault_options import OF_TIME_AND_FAULTS
from tests.walk.option_case import TOPIC, Case

FENCED = ("broker kill 2", "wait --broker 2 --state fenced")
WRITTEN = (*TOPIC, "topic write t --partition 0")
LAST_REPLICA = ("topic create t --assignments 2", *FENCED)
VOTER = "3001@127.0.0.1:9991:0HsdYLIrR7Whd4LVTBfUPA"
REQUESTS = ("cluster unregister --id 2", "cluster decommission --id 3")


CASES: tuple[Case, ...] = (
    Case("cluster show", {}),
    *(
        Case(
            f"cluster {verb}",
            {
                "--bootstrap-server": f"cluster {verb} --bootstrap-server other:9092",
                "--config": f"cluster {verb} --config x.properties",
            },
        )
        for verb in ("cluster-id", "list-endpoints", "list-nodes")
    ),
    *(
        Case(
            f"cluster {verb}",
            {"--include-fenced-brokers": f"cluster {verb} --include-fenced-brokers"},
            before=FENCED,
        )
        for verb in ("list-endpoints", "list-nodes")
    ),
    *(
        Case(
            f"cluster {verb} --id {id}",
            {
                "--bootstrap-server": f"cluster {verb} --id {id} --bootstrap-server other:9092",
                "--config": f"cluster {verb} --id {id} --config x.properties",
                "--id": f"cluster {verb} --id {id + 1}",
            },
            after=("broker list", "controller list"),
        )
        for verb, id in (("unregister", 2), ("decommission", 2), ("unregister-controller", 3000))
    ),
    Case(
        "cluster unregister-controller --id 3000",
        {
            "--bootstrap-controller": (
                "cluster unregister-controller --id 3000 --bootstrap-controller 127.0.0.1:9"
            )
        },
    ),
    Case(
        "cluster decommission --id 2",
        {"--force": "cluster decommission --id 2 --force"},
        before=LAST_REPLICA,
    ),
    Case("quorum show", {}),
    Case(
        "quorum transfer-leadership --to 3001",
        {
            "--to": "quorum transfer-leadership --to 3002",
            "--timeout": "quorum transfer-leadership --to 3001 --timeout 1ms",
        },
    ),
    Case(
        "quorum-tool describe --status",
        {
            "--replication": "quorum-tool describe --replication",
            "--bootstrap-controller": (
                "quorum-tool describe --status --bootstrap-controller 127.0.0.1:9"
            ),
        },
    ),
    Case(
        "quorum-tool describe --replication",
        {
            "--human-readable": "quorum-tool describe --replication --human-readable",
            "--status": "quorum-tool describe --status",
        },
    ),
    Case("controller list", {}),
    *(
        Case(
            f"controller {verb} 3001",
            {"id": f"controller {verb} 3002"},
            after=("controller list",),
        )
        for verb in ("show", "kill", "pause")
    ),
    Case(
        "controller start 3001",
        {"id": "controller start 3002"},
        before=("controller kill 3001", "controller kill 3002"),
        after=("controller list",),
    ),
    Case(
        "controller resume 3001",
        {"id": "controller resume 3002"},
        before=("controller pause 3001", "controller pause 3002"),
        after=("controller list",),
    ),
    Case(
        "controller install 3001 --profile kafka-4.4",
        {
            "id": "controller install 3002 --profile kafka-4.4",
            "--profile": "controller install 3001 --profile kafka-4.3",
        },
        before=("controller kill 3001",),
        after=("controller start 3001", "controller show 3001"),
    ),
    Case(
        f"controller add {VOTER}",
        {
            "voter": f"controller add 3009{VOTER.removeprefix('3001')}",
            "--bootstrap-controllers": (
                f"controller add {VOTER} --bootstrap-controllers 127.0.0.1:9"
            ),
        },
        before=("controller remove 3001", "clock advance --by 3s"),
        after=("quorum show",),
    ),
    Case(
        "controller remove 3002",
        {
            "id": "controller remove 3001",
            "--directory-id": "controller remove 3002 --directory-id q1Sh-9_ISia_zwGINzRvyQ",
            "--bootstrap-controllers": (
                "controller remove 3002 --bootstrap-controllers 127.0.0.1:9"
            ),
        },
        after=("quorum show",),
    ),
    Case(
        "broker list",
        {"--from": "broker list --from 2", "--limit": "broker list --limit 1"},
    ),
    Case(
        "broker add",
        {"--rack": "broker add --rack a", "--profile": "broker add --profile kafka-4.3"},
        after=("broker show 4", "log dump --live"),
    ),
    *(
        Case(f"broker {verb} 1", {"id": f"broker {verb} 2"}, after=("broker list --output wide",))
        for verb in ("show", "stop", "kill", "pause", "mute", "deafen", "restart")
    ),
    Case(
        "broker restart 1",
        {"--wait": "broker restart 1 --wait"},
        after=("broker list",),
    ),
    *(
        Case(
            f"broker {undone} 1",
            {"id": f"broker {undone} 2"},
            before=(f"broker {done} 1", f"broker {done} 2"),
            after=("broker list --output wide",),
        )
        for done, undone in (("pause", "resume"), ("mute", "unmute"), ("deafen", "undeafen"))
    ),
    Case(
        "broker install 1 --profile kafka-4.4",
        {
            "id": "broker install 2 --profile kafka-4.4",
            "--profile": "broker install 1 --profile kafka-4.3",
        },
        before=("broker kill 1",),
        after=("broker restart 1 --wait", "broker show 1"),
    ),
    Case(
        "topic list",
        {"--from": "topic list --from u", "--limit": "topic list --limit 1"},
        before=(*TOPIC, "topic create u --partitions 1"),
    ),
    Case("topic describe t", {"name": "topic describe u"}, before=TOPIC),
    Case(
        "topic read t --partition 0",
        {
            "name": "topic read u --partition 0",
            "--partition": "topic read t --partition 1",
            "--from": "topic read t --partition 0 --from 1",
            "--limit": "topic read t --partition 0 --limit 1",
        },
        before=WRITTEN,
    ),
    Case(
        "topic create u",
        {
            "name": "topic create v",
            "--partitions": "topic create u --partitions 2",
            "--replication-factor": "topic create u --replication-factor 2",
            "--assignments": "topic create u --assignments 1:2",
            "--config": "topic create u --config retention.ms=7",
        },
        after=("topic list", "topic describe u", "config get topic u"),
    ),
    Case(
        "topic alter t --partitions 3",
        {
            "name": "topic alter u --partitions 3",
            "--partitions": "topic alter t --partitions 4",
            "--assignments": "topic alter t --partitions 3 --assignments 2:3",
        },
        before=(*TOPIC, "topic create u --partitions 2"),
        after=("topic describe t", "topic describe u"),
    ),
    Case(
        "topic delete t",
        {"name": "topic delete u"},
        before=(*TOPIC, "topic create u"),
        after=("topic list",),
    ),
    Case(
        "topic elect-leaders t",
        {
            "name": "topic elect-leaders u",
            "--partition": "topic elect-leaders t --partition 1",
        },
        before=(
            *("topic create t --assignments 1:2,1:2", "topic create u --partitions 2"),
            *("broker kill 1", "wait --broker 1 --state fenced", "broker restart 1 --wait"),
            "clock advance --by 2s",
        ),
    ),
    Case(
        "topic elect-leaders t",
        {"--election": "topic elect-leaders t --election unclean"},
        before=LAST_REPLICA,
    ),
    Case(
        "topic write t --partition 0",
        {
            "name": "topic write u --partition 0",
            "--partition": "topic write t --partition 1",
            "--key-separator": "topic write t --partition 0 --key-separator :",
        },
        before=(*TOPIC, "topic create u"),
        after=("topic read t --partition 0", "topic read t --partition 1"),
    ),
    Case("node list", {}),
    Case("node show a", {"name": "node show b"}),
    *(
        Case(f"node {verb} a", {"name": f"node {verb} b"}, after=("node list",))
        for verb in ("pause", "stop", "kill")
    ),
    *(
        Case(f"node {verb} a", {"name": f"node {verb} b"}, before, after=("node list",))
        for verb, before in (
            ("resume", ("node pause a", "node pause b")),
            ("restart", ("node kill a", "node kill b")),
        )
    ),
    Case("reassignment list", {}),
    Case(
        "reassignment start t 0=3,1",
        {"name": "reassignment start u 0=3,1", "replicas": "reassignment start t 0=3,2"},
        before=("topic create t --assignments 1:2", "topic create u --assignments 1:2"),
        after=("topic describe t", "topic describe u"),
    ),
    Case(
        "reassignment cancel t",
        {
            "name": "reassignment cancel u",
            "--partition": "reassignment cancel t --partition 1",
        },
        before=(
            "topic create t --assignments 1:2,1:2",
            *("broker pause 3", "reassignment start t 0=1,3 1=1,3"),
        ),
        after=("reassignment list",),
    ),
    Case(
        "config get topic t",
        {
            "resource": "config get group t",
            "name": "config get topic u",
            "--key": "config get topic t --key retention.ms",
            "--scope": "config get topic t --scope default",
        },
        before=(*TOPIC, "topic create u --config retention.ms=7"),
    ),
    Case(
        "config set topic t cleanup.policy=compact",
        {
            "resource": "config set group t share.session.timeout.ms=45000",
            "name": "config set topic u cleanup.policy=compact",
            "values": "config set topic t cleanup.policy=delete",
            "--delete": "config set topic t cleanup.policy=compact --delete retention.ms",
            "--append": "config set topic t retention.ms=8 --append cleanup.policy=compact",
            "--subtract": "config set topic t retention.ms=8 --subtract cleanup.policy=delete",
        },
        before=("topic create t --config retention.ms=7", "topic create u"),
        after=("config get topic t", "config get topic u", "config get group t"),
    ),
    Case("request count --api UnregisterBroker --where brokerId=9", {}, before=REQUESTS),
    *(
        Case(
            f"request {verb}",
            {
                "--api": f"request {verb} --api DecommissionBroker",
                "--where": f"request {verb} --where brokerId=2",
            },
            before=REQUESTS,
        )
        for verb in ("list", "count")
    ),
    Case(
        "request list",
        {"--from": "request list --from 1", "--limit": "request list --limit 1"},
        before=REQUESTS,
    ),
    *(
        Case(
            line,
            {"--from": f"{line} --from 3", "--limit": f"{line} --limit 2"},
        )
        for line in ("log show", "events", "story")
    ),
    Case("events --from 3 --limit 1", {"--follow": "events --follow --limit 1"}),
    Case("scene", {"--from": "scene --from 3"}),
    *OF_TIME_AND_FAULTS,
)
"""The lines, of which each has its own cluster."""


_ENDS = "tests/kraftsim/test_up.py::test_down_ends_the_service_that_the_url_names"
TESTED: Mapping[str, str] = {
    "down --url": _ENDS,
    "down --output": _ENDS,
    "down --json": _ENDS,
}
"""Options that act where the walk does not go: the test that fails when the option is ignored."""
