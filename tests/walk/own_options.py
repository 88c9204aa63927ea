"""Lines of verbs that need no running cluster, and lines in which one option differs.

Each line runs in a folder of its own with the files of FILES, after the lines of `before`. TMP
stands for the folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass

CLUSTER = "the-cluster"
NODE = """\
process.roles=controller
node.id=3000
listeners=CONTROLLER://127.0.0.1:9093
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:9093
log.dirs=TMP/log
"""
SMALL = """\
schema: kraftsim/scenario/1
name: small
title: A broker is killed
claim: The broker is fenced, and it comes back.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 15s, calm: 5s}
do:
  - at: 1s
    say: The broker is killed.
    proc.crash: {on: 1, for: 10s}
expect:
  sometimes:
    - {broker: 1, state: fenced}
  calm:
    - {broker: brokers, state: unfenced}
"""
FALSE = SMALL.replace("sometimes:", "never:")
SWEPT = SMALL.replace("brokers: 2}", "brokers: $size}\nsweep: {size: [2, 3]}")
FILES = {
    "node": NODE,
    "other": NODE.replace("TMP/log", "TMP/other"),
    "small.yaml": SMALL,
    "false.yaml": FALSE,
    "swept.yaml": SWEPT,
    "reduced.yaml": f"{SMALL}smoke:\n  time: {{run: 12s}}\n",
    "broker": "broker.heartbeat.interval.ms=3000\n",
    "settings": "num.partitions=3\n",
    "two.yaml": FALSE.replace("name: small", "name: two"),
}
FORMAT = f"storage format --cluster-id {CLUSTER} --config TMP/node"
VOTERS = "3000@127.0.0.1:9093:q1Sh-9_ISia_zwGINzRvyQ"
ONE = "scenario run swept.yaml --cell size=2"
CREDENTIAL = "SCRAM-SHA-256=[name=alice,password=secret]"


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and for each option or argument a line in which only that differs."""

    line: str
    changes: Mapping[str, str]
    before: tuple[str, ...] = ()


def _with_output(line: str) -> Mapping[str, str]:
    return {"--output": f"{line} --output json", "--json": f"{line} --json"}


def _line(line: str, changes: Mapping[str, str], before: tuple[str, ...] = ()) -> Line:
    return Line(line, {**_with_output(line), **changes}, before)


LINES: tuple[Line, ...] = (
    _line(
        "storage info --config TMP/node",
        {"--config": "storage info --config TMP/other"},
    ),
    _line(
        "storage version-mapping",
        {
            "--release-version": "storage version-mapping --release-version 3.9",
            "--profile": "storage version-mapping --profile kafka-3.9",
        },
    ),
    _line(
        "storage feature-dependencies --feature group.version=1",
        {
            "--feature": "storage feature-dependencies --feature transaction.version=2",
            "--profile": (
                "storage feature-dependencies --feature group.version=1 --profile kafka-3.9"
            ),
        },
    ),
    _line("scenario list", {"--tag": "scenario list --tag lesson"}),
    _line(
        "scenario show swept.yaml --cell size=2",
        {
            "scenario": "scenario show two.yaml",
            "--seed": "scenario show swept.yaml --cell size=2 --seed 7",
            "--cell": "scenario show swept.yaml --cell size=3",
        },
    ),
    _line("scenario lint small.yaml", {"scenarios": "scenario lint other.yaml"}),
    _line(
        ONE,
        {
            "scenarios": "scenario run two.yaml",
            "--seed": f"{ONE} --seed 7",
            "--seeds": f"{ONE} --seeds 1..2",
            "--cell": "scenario run swept.yaml --cell size=3",
            "--sweep": "scenario run swept.yaml --cell size=2 --sweep size=2,3",
            "--lines": f"{ONE} --lines 1",
            "--verbose": f"{ONE} --verbose",
            "--junit": f"{ONE} --junit TMP/verdicts.xml",
            "--html": f"{ONE} --html TMP/page.html",
            "--perfetto": f"{ONE} --perfetto TMP/trace",
            "--shiviz": f"{ONE} --shiviz TMP/log",
        },
    ),
    _line(
        "scenario run false.yaml --seeds 1..3",
        {
            "--until-failure": "scenario run false.yaml --seeds 1..3 --until-failure",
            "--time-limit": "scenario run false.yaml --seeds 1..3 --time-limit 0",
        },
    ),
    _line(
        "scenario run reduced.yaml --seed 1",
        {
            "--smoke": "scenario run reduced.yaml --seed 1 --smoke",
            "--link": "scenario run --link lesson=lesson-01-lease&seed=17",
        },
    ),
    _line(
        "scenario shrink false.yaml",
        {
            "scenario": "scenario shrink two.yaml",
            "--out": "scenario shrink false.yaml --out TMP/least.yaml",
            "--seed": "scenario shrink false.yaml --seed 7",
            "--tries": "scenario shrink false.yaml --tries 1",
        },
    ),
    _line(
        "scenario explore --voters 2 --epochs 1 --states-max 200",
        {
            "scenario": "scenario explore no-such-scenario",
            "--voters": "scenario explore --voters 3 --epochs 1 --states-max 200",
            "--broker": "scenario explore --voters 2 --epochs 1 --states-max 200 --broker",
            "--partition": "scenario explore --partition --states-max 200",
            "--states-max": "scenario explore --voters 2 --epochs 1 --states-max 300",
        },
    ),
    _line("scenario schema", {}),
    _line("scenario new fresh", {"name": "scenario new other"}),
    _line(
        "explain swept.yaml --cell size=2",
        {
            "what": "explain false.yaml",
            "--cell": "explain swept.yaml --cell size=3",
            "--event": "explain swept.yaml --cell size=2 --event 10",
            "--url": "explain 10 --url http://127.0.0.1:9",
        },
    ),
    Line("explain lesson-01-lease", {"--seed": "explain lesson-01-lease --seed 3"}),
    _line("completion bash", {"shell": "completion zsh"}),
    Line("replay nowhere", {"file": "replay elsewhere"}),
    _line("storage random-uuid", {}),
    _line(
        f"{FORMAT} --standalone",
        {
            "--cluster-id": f"{FORMAT.replace(CLUSTER, 'another')} --standalone",
            "--config": f"{FORMAT.replace('node', 'other')} --standalone",
            "--standalone": FORMAT,
            "--no-initial-controllers": f"{FORMAT} --no-initial-controllers",
            "--initial-controllers": f"{FORMAT} --initial-controllers {VOTERS}",
            "--release-version": f"{FORMAT} --standalone --release-version 4.2",
            "--feature": f"{FORMAT} --standalone --feature group.version=0",
            "--add-scram": f"{FORMAT} --standalone --add-scram {CREDENTIAL}",
            "--profile": f"{FORMAT} --standalone --profile kafka-4.3",
        },
    ),
    _line(
        f"{FORMAT} --standalone",
        {"--ignore-formatted": f"{FORMAT} --standalone --ignore-formatted"},
        before=(f"{FORMAT} --standalone",),
    ),
    _line(
        "scenario mutants M01",
        {
            "names": "scenario mutants M02",
            "--smallest": "scenario mutants M01 --smallest",
            "--swarm": "scenario mutants M01 --swarm 1",
        },
    ),
)
"""The lines."""

_CAMPAIGN = "tests/pipeline/test_local_campaign.py::"
_SPARK = "tests/pipeline/test_spark_campaign.py::"
_LISTS = "tests/kraftsim/test_campaign_list.py::"
_RUN = f"{_CAMPAIGN}test_every_seed_is_run_once_and_the_canaries_beside_them"
_TOLD = f"{_CAMPAIGN}test_how_far_it_has_come_is_told"
_SET_ASIDE = f"{_CAMPAIGN}test_a_corrupt_shard_is_named_refused_set_aside_and_run_again"
_SAMPLE = f"{_CAMPAIGN}test_a_sample_is_repeated_elsewhere_with_the_same_digests"
_NOBODY = f"{_CAMPAIGN}test_nobody_can_do_no_work"
_PLACE = f"{_SPARK}test_a_place_that_is_none_is_told_before_anything_begins"
_SETTING = f"{_SPARK}test_a_setting_that_spark_refuses_is_told_in_a_line"
_GUIDED = (
    "tests/pipeline/test_guided_campaign.py::test_options_that_contradict_each_other_are_refused"
)
_LISTED = f"{_LISTS}test_a_folder_lists_its_campaigns_with_runs_verdicts_engine_and_times"
_SHOWN = f"{_LISTS}test_a_campaign_shows_its_plan_and_how_far_each_item_is"
_AGREE = "tests/pipeline/test_engines_agree.py::"
_REPORTED = f"{_AGREE}test_a_printed_report_is_the_same_of_both"
_COMPARED = f"{_AGREE}test_a_printed_comparison_is_the_same_of_both"
_GATE = "tests/kraftsim/test_campaign_report.py::test_a_gate_that_is_unknown_names_the_nearest"
_NO_FOLDER = "tests/kraftsim/test_campaign_report.py::test_a_folder_that_is_no_campaign_is_refused"
_PLACES = "tests/kraftsim/test_campaign_report.py::test_two_places_for_spark_are_one_too_many"
_ANSWERS = (
    "tests/pipeline/live/test_follow_verb.py::test_an_address_where_nobody_answers_is_told_at_once"
)
_FOLLOWED = "tests/pipeline/live/test_in_spark.py::test_the_verb_tells_of_kafkas_own_log"
_MEANT = "tests/pipeline/live/test_follow_verb.py::test_what_cannot_be_meant_is_refused"
_HEALTHY = "tests/kraftsim/test_doctor.py::test_no_service_fails_only_at_an_address_that_was_named"
_CLIENTS = (
    "tests/kraftsim/test_doctor.py::"
    "test_a_client_with_an_api_or_version_that_a_listener_lacks_is_named"
)
_OWN = (
    "tests/kraftsim/test_own_files.py::"
    "test_one_that_holds_passes_and_says_that_it_was_put_to_the_test"
)
_OPENED = "tests/kraftsim/test_open_run.py::test_a_failing_seed_opens_at_its_violation"
_PLANTED = "tests/kraftsim/test_sweep_option.py::test_one_run_has_a_bug_planted_and_falls_by_it"
_TAGGED = (
    "tests/kraftsim/test_scenario_verbs.py::"
    "test_a_canary_is_good_among_those_of_a_tag_and_tells_who_names_it"
)
_FATES = "tests/kraftsim/test_explore_verb.py::"
_FROM = f"{_FATES}test_it_prints_how_many_branches_it_explored_and_from_where"
_FATAL = f"{_FATES}test_a_violation_has_the_fates_that_lead_to_it"
_WITHIN = (
    "tests/scenarios/test_explore.py::"
    "test_everything_within_limits_is_good_and_says_how_much_it_was"
)
_HUNT = "tests/kraftsim/test_hunt_verb.py::"
_HUNTED = f"{_HUNT}test_a_hunt_writes_its_corpus_and_goes_on_from_it"
_NO_PROCESS = f"{_HUNT}test_a_hunt_starts_no_process_that_would_have_no_draw"
_JSON_LINES = (
    "tests/kraftsim/test_log_lines.py::test_a_line_as_json_has_its_time_level_and_exception"
)
_READY = (
    "tests/interop/test_formatted_controllers.py::"
    "test_a_listener_of_port_0_is_printed_and_registered_with_the_port_it_bound"
)
_SMALLEST = (
    "tests/scenarios/test_mutants.py::test_a_bug_without_a_smallest_scenario_says_how_to_make_it"
)
_SMALLER = "tests/scenarios/test_mutants.py::test_a_scenario_is_made_smaller_with_a_bug_in_place"
_ROWS = (
    ("campaign list", ("folder", "--output", "--json"), _LISTED),
    ("campaign show", ("folder", "--output", "--json"), _SHOWN),
    ("campaign status", ("folder", "--output", "--json"), _TOLD),
    ("campaign sweep", ("folder",), _SET_ASIDE),
    ("campaign run", ("--out", "--engine"), _RUN),
    ("campaign run", ("--guided", "--runs", "--seed", "--round"), _GUIDED),
    ("campaign run", ("--workers",), _NOBODY),
    ("campaign run", ("--master", "--remote"), _PLACE),
    ("campaign run", ("--conf",), _SETTING),
    ("campaign resume", ("folder",), _SET_ASIDE),
    ("campaign verify", ("folder", "--engine", "--sample"), _SAMPLE),
    ("campaign report", ("folder",), _NO_FOLDER),
    ("campaign report", ("--output", "--json"), _REPORTED),
    ("campaign report", ("--master", "--remote"), _PLACES),
    ("campaign compare", ("base", "new", "--output", "--json"), _COMPARED),
    ("campaign compare", ("--fail-on",), _GATE),
    ("campaign check", ("folder",), _NO_FOLDER),
    ("follow", ("--url",), _ANSWERS),
    ("follow", ("--path", "--once"), _FOLLOWED),
    ("follow", ("--conf", "--master"), _MEANT),
    ("doctor", ("address",), _HEALTHY),
    ("doctor", ("--output", "--json"), _CLIENTS),
    ("scenario run", ("--allow-code",), _OWN),
    ("scenario run", ("--open",), _OPENED),
    ("scenario run", ("--mutant",), _PLANTED),
    ("scenario run", ("--tag",), _TAGGED),
    ("scenario explore", ("--seed", "--at", "--depth"), _FROM),
    ("scenario explore", ("--mutant",), _FATAL),
    ("scenario explore", ("--epochs", "--writes"), _WITHIN),
    ("scenario hunt", ("--runs", "--round", "--out", "--seed", "--output", "--json"), _HUNTED),
    ("scenario hunt", ("--jobs",), _NO_PROCESS),
    ("scenario mutants", ("--smallest",), _SMALLEST),
    ("scenario shrink", ("--mutant",), _SMALLER),
    ("agent", ("--log-format",), _JSON_LINES),
    ("controller run", ("--log-format",), _JSON_LINES),
    ("controller run", ("--ready-file",), _READY),
)
TESTED: Mapping[str, str] = {
    f"{verb} {option}": test for verb, options, test in _ROWS for option in options
}
"""Options that act where the walk does not go: the test that fails when the option is ignored."""
_SHARED = "tests/plugin/test_shared.py::"
PLUGIN: Mapping[str, str] = {
    "--kraft-seed": "tests/plugin/test_marker_and_seed.py::test_the_option_seeds_every_cluster",
    "--kraft-explore": (
        "tests/plugin/test_explore.py::test_every_test_with_a_cluster_runs_with_each_seed"
    ),
    "--kraft-faults": (
        "tests/plugin/test_explore.py::test_the_repeat_line_of_a_shrunk_failure_fails_alike"
    ),
    "--kraft-keep": "tests/plugin/test_failures.py::test_a_kept_cluster_answers_until_ctrl_c",
    "scope": (f"{_SHARED}test_a_cluster_lives_as_long_as_its_scope_and_is_as_new_for_each_test"),
    "may_leak": (
        "tests/plugin/test_leaks.py::test_a_test_that_may_leak_or_closes_its_connections_passes"
    ),
    "may_miss": "tests/plugin/test_faults.py::test_a_fault_may_be_allowed_to_miss",
    "may_break": "tests/plugin/test_invariants.py::test_a_marker_waives_properties",
}
"""Options of the plugin of pytest, and arguments of its marker beside those of a cluster."""
_OF_SPARK = ("--master", "--conf", "--remote")
_OF_PRINT = ("--output", "--json")
NOT_WALKED: Mapping[str, tuple[str, ...]] = {
    "campaign check": (*_OF_PRINT, *_OF_SPARK),
    "campaign compare": _OF_SPARK,
    "campaign list": ("--utc",),
    "campaign report": ("--html", "--conf"),
    "campaign resume": ("--allow-code", "--engine", "--workers", *_OF_PRINT, *_OF_SPARK),
    "campaign run": ("--allow-code", *_OF_PRINT),
    "campaign show": ("--utc",),
    "campaign sweep": _OF_PRINT,
    "campaign verify": ("--allow-code", "--workers", *_OF_PRINT, *_OF_SPARK),
    "explain": ("--allow-code",),
    "follow": ("--checkpoint", "--out", *_OF_PRINT),
    "replay": _OF_PRINT,
    "scenario explore": (
        *("--crashes", "--elections", "--losses", "--sessions", "--rebirths", "--stops"),
    ),
    "scenario hunt": ("--minutes", "--plain"),
    "scenario run": ("--all", "--jobs"),
    "scenario shrink": ("--allow-code", "--cell"),
}
"""Options that no line and no named test changes yet, by verb."""
_AGENT = f"agent --cluster-id {CLUSTER} --controller 127.0.0.1:9093"
AGENTS = Line(
    _AGENT,
    {
        "--controller": f"agent --cluster-id {CLUSTER} --controller 127.0.0.1:9094",
        "--cluster-id": f"agent --cluster-id {CLUSTER}x --controller 127.0.0.1:9093",
        "--count": f"{_AGENT} --count 2",
        "--first-id": f"{_AGENT} --first-id 7",
        "--rack": f"{_AGENT} --rack a",
        "--kafka-port": f"{_AGENT} --kafka-port 0",
        "--profile": f"{_AGENT} --profile kafka-3.9",
        "--profiles": f"{_AGENT} --profiles 1001=kafka-3.9",
        "--config": f"{_AGENT} --config TMP/broker",
        "--set": f"{_AGENT} --set broker.heartbeat.interval.ms=3000",
    },
)
"""Lines of `agent`."""
_CONTROLLER = f"controller run --node-id 3000 --cluster-id {CLUSTER} --voters {VOTERS}"
CONTROLLER = Line(
    _CONTROLLER,
    {
        "--node-id": _CONTROLLER.replace("3000", "3001", 1),
        "--cluster-id": _CONTROLLER.replace(CLUSTER, f"{CLUSTER}x"),
        "--voters": f"controller run --node-id 3000 --cluster-id {CLUSTER}",
        "--directory-id": f"{_CONTROLLER} --directory-id 0HsdYLIrR7Whd4LVTBfUPA",
        "--listen": f"{_CONTROLLER} --listen 127.0.0.1:9099",
        "--profile": f"{_CONTROLLER} --profile kafka-3.9",
        "--metadata-version": f"{_CONTROLLER} --metadata-version 4.0-IV0",
        "--config": f"{_CONTROLLER} --config TMP/settings",
        "--set": f"{_CONTROLLER} --set num.partitions=3",
    },
)
"""Lines of `controller run`."""
_PLAN = "campaign run reduced.yaml --seeds 1..9 --out TMP/c"
PLANS = Line(
    _PLAN,
    {
        "scenarios": "campaign run two.yaml --seeds 1..9 --out TMP/c",
        "--all": f"{_PLAN} --all",
        "--tag": f"{_PLAN} --tag lesson",
        "--smoke": f"{_PLAN} --smoke",
        "--sweep": f"{_PLAN} --sweep cluster.brokers=2,3",
        "--seeds": _PLAN.replace("1..9", "1..8"),
        "--mutants": f"{_PLAN} --mutants M43",
        "--events": f"{_PLAN} --events none",
        "--shard-seconds": f"{_PLAN} --shard-seconds 0.01",
    },
)
"""Lines of `campaign run`, whose plans differ."""
