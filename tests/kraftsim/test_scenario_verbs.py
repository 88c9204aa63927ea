"""kraftsim scenario: what a person who writes or runs scenarios sees."""

import json
from xml.etree import ElementTree

import pytest

from kraftsim.cli.main import main
from kraftsim.files import scenario_files

pytestmark = pytest.mark.slow


NAME = "gc-pause-longer-than-lease"


TEN = "[" + ", ".join(["*{0}"] * 10) + "]"
BOMB = "\n".join(
    ["[&a0 [x]", *(f", &a{n + 1} {TEN.format(f'a{n}')}" for n in range(8)), "]"]
).replace("\n", "\n  ")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(here, *changes):
    """The file that `new` makes, with words changed."""
    assert main(["scenario", "new", "mine"]) == 0
    path = here / "mine.yaml"
    text = path.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)
    return str(path)


def test_a_run_of_the_library_prints_its_events_and_its_verdict(capsys):
    assert main(["scenario", "run", NAME, "--seed", "17"]) == 0

    out = capsys.readouterr().out
    for said in ("Claim:", "is PAUSED", "fenced (epoch", " -> ", f"PASS  {NAME}  seed 17"):
        assert said in out


def test_of_a_long_run_so_many_events_are_printed_and_how_to_have_all(capsys):
    def told(*options):
        assert main(["scenario", "run", NAME, "--seed", "17", *options]) == 0
        return capsys.readouterr().out.splitlines()

    whole = told()
    (left_out,) = (line for line in told("--lines", "3") if "more lines" in line)

    words = left_out.partition("; ")[2].split()[:2]
    assert "--lines" == words[0]
    assert len(whole) - len(told("--lines", "3")) == int(words[1]) - 3 - 1
    assert whole == told(*words)
    assert main(["scenario", "run", NAME, "--lines", "-1"]) == 2


def test_the_same_seed_gives_the_same_digest_and_another_one_another(capsys):
    for seed in ("3", "3", "4"):
        main(["scenario", "run", NAME, "--seed", seed, "--json"])

    digests = [json.loads(line)["digest"] for line in capsys.readouterr().out.splitlines()]
    assert digests[0] == digests[1] != digests[2]


def test_json_has_what_scripts_rely_on(capsys):
    main(["scenario", "run", NAME, "--json"])

    document = json.loads(capsys.readouterr().out)
    wanted = {"verdict", "digest", "violations", "effects", "events", "virtualUs"}
    assert wanted <= document.keys()
    assert ("pass", 17) == (document["verdict"], document["seed"])


def test_json_has_the_story_with_its_facts(capsys):
    main(["scenario", "run", NAME, "--seed", "17", "--json"])
    story = json.loads(capsys.readouterr().out)["story"]

    fault = next(line for line in story if line["kind"] == "fault_begins")
    broker = fault["facts"]["targets"][0][0]
    assert f">> proc.pause: {broker} " in fault["text"]
    assert (10_000_000, "proc.pause") == (fault["elapsedUs"], fault["facts"]["verb"])
    moved = next(line for line in story if line["kind"] == "partition_changed")
    change = moved["facts"]["partitions"][0]
    assert {"topic", "partition", "leaderBefore", "leader", "isrBefore", "isr"} == change.keys()
    assert {int(broker.split()[1])} == {*change["isrBefore"]} - {*change["isr"]}


def test_many_runs_have_no_story_in_json(capsys):
    main(["scenario", "run", NAME, "--seeds", "1..3", "--smoke", "--json"])

    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [False, False] == ["story" in document for document in documents]


def test_the_start_up_is_one_line_which_verbose_unfolds(capsys):
    def told(*options):
        main(["scenario", "run", NAME, "--seed", "17", *options])
        return capsys.readouterr().out

    folded, whole = told(), told("--verbose")
    assert " enters STARTING" in whole.partition(">> ")[0]
    assert " enters STARTING" not in folded.partition(">> ")[0]
    (start_up,) = (line for line in folded.splitlines() if "start-up: " in line)
    assert "3 controllers, 5 brokers, leader 300" in start_up
    assert " T+10.0s " in folded
    assert (True, False) == (" T-" in whole, " T-" in folded)


def test_a_file_made_by_new_passes_as_it_is(here, capsys):
    path = written(here)

    assert main(["scenario", "lint", path]) == 0
    assert main(["scenario", "run", path, "--seeds", "1..4"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert 3 == sum(line.startswith("PASS  mine  seed") for line in lines)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (("times: 1, plus: 1500ms", "times: 0.1"), 1, "broken at"),
        (("proc.crash: {on: $victim, for: 20s}", "net.loss: {on: $victim, p: 0.0}"), 3, "vacuous:"),
    ],
    ids=["failed", "vacuous"],
)
def test_the_exit_code_says_how_it_ended(here, capsys, change, code, said):
    path = written(here, change)

    assert code == main(["scenario", "run", path])
    out = capsys.readouterr().out
    assert said in out
    assert "repeat: kraftsim scenario run" in out
    told = sum(line.startswith("  before: ") for line in out.splitlines())
    assert (1 <= told <= 6) == (said == "broken at"), "of a run that fails, what had happened"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("proc.crash", "proc.crush"), "mine.yaml:17: do[0].proc.crush: unknown verb"),
        (("within:", "withn:"), "expect.leads_to[0].withn: unknown key 'withn'"),
        (("{on: $victim, for: 20s}", "{on: $victim, for: 20}"), "with a unit, such as 12s, got 20"),
        (("pick: 1", "pick: [1"), "mine.yaml:14"),
        (("name: mine", "name: mine\nname: yours"), "mine.yaml:3: expected each key once"),
        (("{pick: 1, of", "{pick: 1, pick: 2, of"), "'pick' again"),
        (("tags: []", f"tags: {BOMB}"), "values, with every alias counted as its copy"),
        (("claim: >", "claim: &a [*a]\nx: >"), "expected at most 30 levels"),
        (
            ("tags: []", "? [tags]\n: []"),
            "mine.yaml:6: expected a text as key, got a seq",
        ),
    ],
    ids=["verb", "word", "time", "YAML", "twice", "twice inside", "bomb", "snake", "key"],
)
def test_a_broken_file_names_file_line_and_word(here, capsys, change, said):
    path = written(here, change)

    assert main(["scenario", "lint", path]) == 1
    assert said in capsys.readouterr().out
    assert main(["scenario", "run", path]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("- at: 10s", "- at: 100s"),
            "mine.yaml:16: do[0]: this step is due after the end of the run",
        ),
        (
            ("on: $victim", "on: $victm"),
            "mine.yaml:17: do[0].proc.crash.on: $victm is not bound: `let` binds $victim",
        ),
        (
            ("# config: {broker.session.timeout.ms", "config: {broker.session.ms"),
            "mine.yaml:11: config.broker.session.ms: unknown setting",
        ),
        (
            ("calm:\n    - {broker: brokers", "calm:\n    - {broker: 77"),
            "mine.yaml:24: expect.calm[0]",
        ),
    ],
    ids=["unreachable", "unbound", "setting", "nobody"],
)
def test_lint_sees_what_reading_does_not_and_where(here, capsys, change, said):
    path = written(here, change)

    assert main(["scenario", "lint", path]) == 1
    assert said in capsys.readouterr().out
    for verb in (["scenario", "run"], ["scenario", "show"], ["scenario", "shrink"], ["explain"]):
        assert main([*verb, path]) == 2
        assert said in capsys.readouterr().err


def test_an_unknown_scenario_names_the_nearest(capsys):
    assert main(["scenario", "run", "gc-pause-longer-than-leese"]) == 2
    assert repr(NAME) in capsys.readouterr().err


def test_the_plan_of_a_seed_is_a_scenario_file(here, capsys):
    main(["scenario", "show", NAME, "--seed", "17"])
    plan = here / "plan.yaml"
    plan.write_text(capsys.readouterr().out)

    main(["scenario", "run", NAME, "--seed", "17", "--json"])
    main(["scenario", "run", str(plan), "--seed", "17", "--json"])

    assert "for: 13s" in plan.read_text()
    whole, planned = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert whole["digest"] == planned["digest"]


def test_verdicts_are_written_as_junit(here):
    main(["scenario", "run", NAME, "--seeds", "1..3", "--junit", "out.xml"])

    suite = ElementTree.parse(here / "out.xml").getroot()
    assert ("2", "0") == (suite.get("tests"), suite.get("failures"))


def test_the_library_is_listed_with_titles_and_tags(capsys):
    main(["scenario", "list", "--json"])

    rows = json.loads(capsys.readouterr().out)
    assert NAME in {row["name"] for row in rows}
    assert all(row.keys() == {"name", "title", "tags"} for row in rows)


def test_explain_lists_events_as_json_like_events_of_a_cluster(capsys):
    assert main(["explain", NAME, "--seed", "17", "--json"]) == 0

    events = json.loads(capsys.readouterr().out)["events"]
    assert "broker_fenced" in {event["kind"] for event in events}


def test_explain_lists_what_it_can_explain_and_then_why(capsys):
    assert main(["explain", NAME, "--seed", "17"]) == 0
    listed = capsys.readouterr().out.splitlines()
    number = next(line.split()[0] for line in listed if " fenced (epoch" in line)

    assert main(["explain", NAME, "--seed", "17", "--event", number]) == 0
    chain = capsys.readouterr().out.splitlines()
    assert "is PAUSED" in "".join(chain)
    assert len(chain) <= 20

    assert main(["explain", NAME, "--seed", "17", "--event", "99999"]) == 1
    said = capsys.readouterr().err
    assert "no event 99999: expected a number of an event in the journal (0 to" in said


def test_captions_stand_where_what_they_are_about_first_happened(capsys):
    main(["scenario", "run", NAME, "--seed", "17"])

    lines = capsys.readouterr().out.splitlines()
    captions = [number for number, line in enumerate(lines) if "(The lease expired" in line]
    assert 1 == len(captions)
    assert "fenced (epoch" in lines[captions[0] - 1]


def test_a_pinned_digest_that_is_another_now_is_said_to_have_drifted(here, capsys):
    path = written(here, ("- {seed: 1}", "- {seed: 1, digest: b2:00}"))

    assert main(["scenario", "run", path]) == 0
    assert "drifted: the pinned digest is b2:00" in capsys.readouterr().out


UNSOUND = {
    "a name that nothing binds": ("on: $victim, for", "on: $victm, for", "$victm is not bound"),
    "a time before the run": ("at: 10s", "at: -10s", "0s or more"),
    "no controller": ("controllers: 3", "controllers: 0", "controllers: expected 1 to 9, got 0"),
    "no partition": ("partitions: 6", "partitions: 0", "partitions: expected 1 to"),
    "more than all": (
        "proc.crash: {on: $victim, for: 20s}",
        "net.loss: {p: 5}",
        "p: expected 0 to 1",
    ),
    "too often": ("at: 10s", "every: 1us", "do[0].every: expected at most 10000 repetitions"),
    "every moment": ("at: 10s", "every: 0s", "do[0].every: expected a time above 0s"),
    "a failure of nothing": ("  calm:", "  fails_with: never[7]\n  calm:", "expect.fails_with"),
    "an unknown property": (
        "  calm:",
        "  always: [one-leder]\n  calm:",
        "expect.always[0]: expected",
    ),
    "a setting of words": ("# config: {", "config: {broker.session.timeout.ms: x} # {", "got 'x'"),
}


@pytest.mark.parametrize("wrong", UNSOUND)
def test_what_could_only_mislead_is_refused(here, capsys, wrong):
    before, after, said = UNSOUND[wrong]

    assert main(["scenario", "run", written(here, (before, after))]) in (1, 2)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../mine", "a/b", "/tmp/x", "Mine", "", "mine.yaml"])
def test_a_new_file_is_written_here_and_nowhere_else(here, capsys, name):
    assert main(["scenario", "new", name]) == 2
    assert "small letters, digits and hyphens" in capsys.readouterr().err
    assert [] == list(here.iterdir())


def test_a_run_of_nothing_is_no_success(capsys):
    assert main(["scenario", "run", "--all", "--time-limit", "0"]) == 2
    assert "nothing was run" in capsys.readouterr().err


def test_one_seed_and_several_are_not_both_taken(capsys):
    assert main(["scenario", "run", NAME, "--seed", "17", "--seeds", "1..3"]) == 2
    assert "expected --seed or --seeds, got both" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("canary", "code"), [("campaign-canary", 1), ("vacuous-fault", 3)], ids=["fails", "vacuous"]
)
def test_a_canary_is_good_among_those_of_a_tag_and_tells_who_names_it(
    capsys, monkeypatch, canary, code
):
    path = scenario_files.library()[canary]
    monkeypatch.setattr(scenario_files, "library", lambda: {canary: path})

    assert main(["scenario", "run", "--tag", "search"]) == 0
    assert main(["scenario", "run", canary]) == code


@pytest.mark.parametrize("path", ["no/such/folder.xml", "."])
def test_verdicts_that_cannot_be_written_are_told_before_anything_runs(here, capsys, path):
    assert main(["scenario", "run", NAME, "--junit", path]) == 2

    told = capsys.readouterr()
    assert f"--junit {path}: cannot be written: " in told.err
    assert told.out == ""
