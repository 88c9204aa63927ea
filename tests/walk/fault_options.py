"""Lines for logs, time, faults, snapshots and lessons of a running cluster (`cluster_options`)."""

from tests.walk.option_case import TOPIC, Case

PAUSE = '{"proc.pause":{"on":1}}'
PAUSED = (
    'fault add {"proc.pause":{"on":1},"id":"a"}',
    'fault add {"proc.pause":{"on":2},"id":"b"}',
)

OF_TIME_AND_FAULTS: tuple[Case, ...] = (
    Case("log end", {}),
    Case("log dump --live", {"files": "log dump --live TMP", "--live": "log dump"}),
    Case(
        "log export t TMP/x",
        {
            "name": "log export u TMP/x",
            "folder": "log export t TMP/y",
            "--partition": "log export t TMP/x --partition 0",
            "--broker": "log export t TMP/x --broker 3",
        },
        before=(*TOPIC, "topic create u", "topic write t --partition 0"),
    ),
    Case("wait --broker 2 --state unfenced", {}),
    Case(
        "wait --broker 2 --state fenced --timeout 1s",
        {
            "--broker": "wait --broker 1 --state fenced --timeout 1s",
            "--state": "wait --broker 2 --state unfenced --timeout 1s",
            "--timeout": "wait --broker 2 --state fenced --timeout 60s",
            "--leader": "wait --leader any --timeout 1s",
        },
        before=("broker kill 2",),
    ),
    Case("clock show", {}),
    Case("clock advance --by 1s", {"--by": "clock advance --by 2s"}),
    Case(
        "clock run-until --kind broker_fenced",
        {
            "--kind": "clock run-until --kind lease_expired",
            "--broker": "clock run-until --kind broker_fenced --broker 3",
            "--timeout": "clock run-until --kind broker_fenced --timeout 1s",
        },
        before=("broker kill 2", "clock advance --by 1s", "broker kill 3"),
    ),
    Case("clock pause", {}),
    Case("clock resume", {}),
    Case("clock speed --factor 1000", {"--factor": "clock speed --factor 2000"}),
    Case(
        "clock lock --owner a",
        {"--owner": "clock lock --owner b", "--expiry": "clock lock --owner a --expiry 600s"},
    ),
    Case(
        "clock unlock --owner a",
        {"--owner": "clock unlock --owner b"},
        before=("clock lock --owner a", "clock lock --owner b"),
    ),
    Case("reset", {"--seed": "reset --seed 9"}, after=("log dump --live",)),
    Case(
        'fault add {"proc.pause":{"on":1},"id":"a"}',
        {"fault": 'fault add {"proc.pause":{"on":2},"id":"a"}'},
        after=("broker list",),
    ),
    Case("fault list", {}),
    Case("fault catalog", {}),
    Case("fault held", {}),
    *(
        Case(
            f"fault {verb} a",
            {"id": f"fault {verb} b"},
            before=PAUSED,
            after=("broker list", "fault list"),
        )
        for verb in ("show", "remove", "wait")
    ),
    Case(
        "fault wait a",
        {
            "--hits": "fault wait a --hits 9 --timeout 1s",
            "--timeout": "fault wait a --hits 9 --timeout 2s",
        },
        before=PAUSED,
    ),
    Case(
        "fault release a",
        {"id": "fault release b", "--message": "fault release a --message 9"},
        before=(
            'fault add {"net.hold":{"from":3001,"to":3000},"id":"a"}',
            'fault add {"net.hold":{"from":3002,"to":3000},"id":"b"}',
            "clock advance --by 200ms",
        ),
        after=("fault held",),
    ),
    Case("snapshot save a", {"name": "snapshot save b"}, after=("snapshot list",)),
    Case("snapshot list", {}),
    Case(
        "snapshot restore a",
        {"name": "snapshot restore b"},
        before=("snapshot save a", "clock advance --by 1s", "snapshot save b"),
        after=("clock show",),
    ),
    Case(
        f"snapshot branch a --by 20s --fault {PAUSE}",
        {
            "name": f"snapshot branch b --by 20s --fault {PAUSE}",
            "--by": f"snapshot branch a --by 2s --fault {PAUSE}",
            "--fault": "snapshot branch a --by 20s",
        },
        before=("snapshot save a", "clock advance --by 1s", "snapshot save b"),
    ),
    Case(
        "snapshot remove a",
        {"name": "snapshot remove b"},
        before=("snapshot save a", "snapshot save b"),
        after=("snapshot list",),
    ),
    Case("lesson list", {}),
    Case(
        "lesson story lesson-01-lease",
        {
            "name": "lesson story lesson-02-fenced-is-not-dead",
            "--seed": "lesson story lesson-01-lease --seed 3",
            "--profile": "lesson story lesson-01-lease --profile kafka-3.9",
            "--acts": ('lesson story lesson-01-lease --acts [{"at":"6s","proc.kill":{"on":1}}]'),
        },
    ),
    Case(
        "lesson why lesson-01-lease --event 25",
        {
            "name": "lesson why lesson-02-fenced-is-not-dead --event 25",
            "--event": "lesson why lesson-01-lease --event 24",
            "--seed": "lesson why lesson-01-lease --event 25 --seed 3",
            "--profile": "lesson why lesson-01-lease --event 25 --profile kafka-3.9",
            "--acts": (
                'lesson why lesson-01-lease --event 25 --acts [{"at":"1s","proc.kill":{"on":2}}]'
            ),
        },
    ),
    Case(
        "lesson steer --place lesson=lesson-01-lease&seed=17",
        {
            "--place": "lesson steer --place lesson=lesson-01-lease&seed=18",
        },
    ),
    Case(
        "lesson film lesson-01-lease --from-us 0 --to-us 100",
        {
            "name": "lesson film lesson-02-fenced-is-not-dead --from-us 0 --to-us 100",
            "--from-us": "lesson film lesson-01-lease --from-us 9 --to-us 100",
            "--to-us": "lesson film lesson-01-lease --from-us 0 --to-us 200",
            "--seed": "lesson film lesson-01-lease --from-us 0 --to-us 100 --seed 3",
            "--profile": "lesson film lesson-01-lease --from-us 0 --to-us 100 --profile kip-631",
            "--acts": (
                "lesson film lesson-01-lease --from-us 0 --to-us 100 "
                '--acts [{"at":"1us","proc.kill":{"on":2}}]'
            ),
        },
    ),
    Case(
        "lesson export --link lesson=lesson-01-lease&seed=17 --format shiviz",
        {
            "--link": "lesson export --link lesson=lesson-01-lease&seed=3 --format shiviz",
            "--format": "lesson export --link lesson=lesson-01-lease&seed=17 --format perfetto",
        },
    ),
    Case(
        "lesson predict --choice yes",
        {"--choice": "lesson predict --choice no"},
        before=("lesson steer --place lesson=lesson-01-lease&seed=17",),
        after=("lesson lead",),
    ),
    Case("lesson lead", {}),
    Case("lesson release", {}),
)
