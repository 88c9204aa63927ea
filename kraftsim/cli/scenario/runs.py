"""`kraftsim scenario run`: runs scenarios, prints the verdict of each, and sets the exit code."""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, VACUOUS, UsageError
from ...printable import printable
from .. import help_texts
from ..output import add_output, is_data, print_item
from ..terminal import print_wrapped
from .exports import add_exports, expect_one_run, export_run
from .junit import expect_writable, write_junit
from .linked import run_link
from .mutants import planted_by
from .opened import add_open, open_page

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Result

    from ...files.scenario_files import ScenarioFile
    from .jobs import Finished, Job
    from .narration import Line

# The canaries and their expected verdicts; they prove that failing and vacuous runs are detected.
CANARIES = {"campaign-canary": "fail", "vacuous-fault": "vacuous"}


SEED_MAX = 2**63 - 1  # the largest value of the tables' column


def add_run(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `run` to the parser."""
    parser = verbs.add_parser(
        "run", help="run scenarios in virtual time and print a verdict for each run"
    )
    add_choice(parser)
    parser.add_argument("--seed", type=int, metavar="N", help=help_texts.SEED)
    parser.add_argument(
        "--seeds", type=seed_range, metavar="A..B", help="one run for each seed from A to B-1"
    )
    add_cell(parser)
    parser.add_argument(
        "--mutant", metavar="NAME", help="plant this bug of docs/bugs.md, such as M01"
    )
    _add_limits(parser)
    parser.add_argument(
        "--junit", type=Path, metavar="F", help="write the verdicts to this file as JUnit XML"
    )
    parser.add_argument(
        "--lines",
        type=int,
        metavar="N",
        help="lines of the story of a single run to print at most (default 200)",
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print a line per event of a single run, also of its start-up",
    )
    parser.add_argument(
        "--link",
        metavar="ADDRESS",
        help="play the branches of an address of the page, with its seed, releases and acts",
    )
    add_exports(parser)
    add_open(parser)
    add_output(parser)
    parser.set_defaults(run=_run)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-j",
        "--jobs",
        type=_count,
        default=1,
        metavar="N",
        help="number of runs at the same time, each in a process (default 1; 0: one per CPU)",
    )
    parser.add_argument(
        "--until-failure", action="store_true", help="stop after the first run that fails"
    )
    parser.add_argument(
        "--time-limit",
        type=seconds,
        metavar="DURATION",
        help="stop starting runs after this long (default: no limit; a bare number is seconds)",
    )


def add_choice(verb: argparse.ArgumentParser) -> None:
    """Adds the options that choose scenarios, their sweeps and their form."""
    verb.add_argument("scenarios", nargs="*", metavar="FILE|NAME", help=help_texts.SCENARIO)
    verb.add_argument("--all", action="store_true", help="run the whole library")
    verb.add_argument("--tag", action="append", default=[], metavar="T", help=help_texts.TAG)
    verb.add_argument("--smoke", action="store_true", help=help_texts.SMOKE)
    add_allow_code(verb)
    verb.add_argument(
        "--sweep",
        action="append",
        default=[],
        type=_sweep,
        metavar="KEY=VALUE,...",
        help="run a cell for each value of this key of the file, such as cluster.brokers=3,5",
    )


def add_allow_code(verb: argparse.ArgumentParser) -> None:
    """Adds the option --allow-code."""
    verb.add_argument("--allow-code", action="store_true", help=help_texts.ALLOW_CODE)


def add_cell(verb: argparse.ArgumentParser) -> None:
    """Adds the option --cell."""
    verb.add_argument(
        "--cell",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="run only the cells of a sweep that have this value",
    )


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected 0 or more, got {text!r}")
    return int(text)


def _sweep(text: str) -> tuple[str, tuple[object, ...]]:
    import yaml

    name, equals, values = text.partition("=")
    if not name or not equals or not values:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE,..., got {text!r}")
    return name, tuple(yaml.safe_load(name) for name in values.split(","))


def seconds(text: str) -> float:
    """Parses a duration such as 90s or 2m for argparse, in seconds; a bare number is seconds."""
    from kraftsim.scenarios.language.durations import microseconds

    try:
        return microseconds(text) / 1e6
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seed_range(text: str) -> range:
    """Parses A..B for argparse; B is excluded."""
    first, dots, last = text.partition("..")
    if not dots or not first.isdecimal() or not last.isdecimal() or int(first) >= int(last):
        raise argparse.ArgumentTypeError(f"expected A..B with whole numbers A < B, got {text!r}")
    if int(last) > SEED_MAX:
        raise argparse.ArgumentTypeError(f"expected seeds up to {SEED_MAX}, got {last}")
    return range(int(first), int(last))


def _run(arguments: argparse.Namespace) -> int:
    from ...files.pins import drifts, expect_plans
    from ...files.scenario_files import expect_sound

    if arguments.link is not None:
        return run_link(arguments)
    _expect_valid(arguments)
    files = list(chosen(arguments))
    for file in files:
        expect_sound(file)
        expect_plans(file)
    expect_writable(arguments.junit)
    expect_one_run(arguments, sum(len(seeds_of(arguments, file)) for file in files))
    _expect_story(arguments, is_single=len(files) == 1 and not arguments.seeds)
    began_s = time.monotonic()
    runs: list[Finished] = []
    for finished in _finished(arguments, files):
        runs.append(finished.without_rows())
        file, result = finished.job.file, finished.result
        drifted = [] if arguments.smoke or arguments.mutant else list(drifts(file, result))
        _print_run(arguments, finished, drifted, is_single=len(files) == 1 and not arguments.seeds)
        if arguments.until_failure and not _is_as_expected(result, arguments):
            break
    if not runs:
        raise UsageError(
            "nothing was run: expected a scenario with one of the given tags, and a --time-limit "
            "that leaves time for a run"
        )
    if len(runs) > 1 and not is_data(arguments):
        _print_summary(arguments, runs, time.monotonic() - began_s)
    results = [finished.result for finished in runs]
    if arguments.junit is not None:
        write_junit(arguments.junit, results)
    export_run(arguments, runs[0].job.file, runs[0].result.seed)
    if arguments.open:
        open_page(arguments, runs[0].job.file, runs[0].result)
    return _exit_code(results, arguments)


def _expect_valid(arguments: argparse.Namespace) -> None:
    if arguments.seed is not None and arguments.seeds is not None:
        raise UsageError("expected --seed or --seeds, got both")
    if arguments.lines is not None and arguments.lines < 0:
        raise UsageError(f"--lines: expected 0 or more, got {arguments.lines}")


def _expect_story(arguments: argparse.Namespace, *, is_single: bool) -> None:
    """Raises UsageError if the options of a story are given, and no story will be printed."""
    for name, is_given in (
        ("lines", arguments.lines is not None),
        ("verbose", arguments.verbose),
    ):
        if is_given and not is_single:
            raise UsageError(
                f"--{name}: expected one scenario and one seed, whose story is printed"
            )
    if arguments.lines is not None and is_data(arguments):
        raise UsageError("--lines: expected text: a document has the whole story")


def _print_summary(arguments: argparse.Namespace, runs: "list[Finished]", elapsed_s: float) -> None:
    from .run_summary import summary

    commands = [
        _repeat(arguments, finished)
        for finished in runs
        if not _is_as_expected(finished.result, arguments)
    ]
    print(*map(printable, summary(runs, elapsed_s, commands)), sep="\n")


def _print_run(
    arguments: argparse.Namespace, finished: "Finished", drifted: list[str], *, is_single: bool
) -> None:
    """Prints the verdict of a run, and the story of a single run."""
    from .narration import verdict
    from .run_documents import result_document, story_document

    result, story = finished.result, finished.story
    if is_data(arguments):
        told = story_document(story) if is_single else {}
        print_item(arguments, result_document(result, drifted) | told)
        return
    if is_single:
        _print_story(arguments, finished)
    else:
        has_page = not finished.job.file.scenario.nodes
        _print_lines(verdict(result, story, _repeat(arguments, finished), has_page=has_page))
    print(*(f"  drifted: {name}\n" for name in drifted), sep="", end="")


def _print_story(arguments: argparse.Namespace, finished: "Finished") -> None:
    from .narration import LINES_MAX, run_lines

    most = arguments.lines
    lines = run_lines(
        finished.job.file.scenario,
        finished.result,
        finished.story,
        repeat=_repeat(arguments, finished),
        lines_max=LINES_MAX if most is None else most,
    )
    _print_lines(lines, is_wide=arguments.output == "wide")


def _print_lines(lines: "Iterable[Line]", *, is_wide: bool = False) -> None:
    from .narration import INDENT

    for line in lines:
        print_wrapped(printable(line.text), indent=INDENT, is_wide=is_wide, state=line.state)


def _repeat(arguments: argparse.Namespace, finished: "Finished") -> str:
    """Returns the command that repeats a run, with the options that change it."""
    from .narration import repeat_command

    flags = [name for name in ("smoke", "allow_code") if getattr(arguments, name)]
    options = [f"--{name.replace('_', '-')}" for name in flags]
    mutant = [] if arguments.mutant is None else ["--mutant", arguments.mutant]
    return repeat_command(finished.result, finished.job.file.called, [*options, *mutant])


def chosen(arguments: argparse.Namespace) -> "Iterator[ScenarioFile]":
    """Yields the scenarios that the arguments choose, after running their own Python files.

    Raises UsageError if there is no scenario, or if one has Python files without --allow-code.
    """
    from ...files.own_files import load
    from ...files.scenario_files import expect_known_tags, find, library, read_files

    expect_known_tags(arguments.tag)
    if arguments.all and arguments.tag:
        raise UsageError("expected --all or --tag, got both")
    names = [*arguments.scenarios, *(library() if arguments.all or arguments.tag else ())]
    if not names:
        raise UsageError(
            "expected a scenario file, a name, --tag or --all; `kraftsim scenario list` prints "
            "names"
        )
    sweep = dict(arguments.sweep)
    if len(sweep) < len(arguments.sweep):
        raise UsageError("--sweep: expected each key once, with all its values: KEY=A,B")
    for name in dict.fromkeys(names):
        files = read_files(find(name), arguments.cell, sweep)
        is_named = name in arguments.scenarios or arguments.all
        if is_named or set(arguments.tag) & set(files[0].scenario.tags):
            for file in files:
                load(file, is_allowed=arguments.allow_code)
            yield from map(_in_small, files) if arguments.smoke else files


def _in_small(file: "ScenarioFile") -> "ScenarioFile":
    from kraftsim.scenarios.document.smoke import in_small
    from kraftsim.scenarios.language.reading import Problem

    try:
        return replace(file, scenario=in_small(file.scenario))
    except Problem as problem:
        raise file.document.error(problem) from None


def _finished(
    arguments: argparse.Namespace, files: "Sequence[ScenarioFile]"
) -> "Iterator[Finished]":
    """Runs the jobs and yields the finished runs in the order of the jobs."""
    from .jobs import in_processes, in_turn
    from .run_progress import RunProgress

    total = sum(len(seeds_of(arguments, file)) for file in files)
    progress = RunProgress(total, is_enabled=not is_data(arguments))
    jobs, planted = _jobs(arguments, files), planted_by(arguments.mutant)
    processes = min(arguments.jobs or os.cpu_count() or 1, total)
    if processes > 1:
        return in_processes(jobs, planted, progress, processes)
    return in_turn(jobs, planted, progress)


def _jobs(arguments: argparse.Namespace, files: "Iterable[ScenarioFile]") -> "Iterator[Job]":
    """Yields the runs to do until --time-limit is over."""
    from .jobs import Job

    limit_s = arguments.time_limit
    ends_s = None if limit_s is None else time.monotonic() + limit_s
    for file in files:
        for seed in seeds_of(arguments, file):
            if ends_s is not None and time.monotonic() >= ends_s:
                print(f"stopped by --time-limit ({limit_s:g} s)", file=sys.stderr)
                return
            yield Job(file, seed, folds=not arguments.verbose)


def seeds_of(arguments: argparse.Namespace, file: "ScenarioFile") -> range:
    """Returns the seeds to run: --seeds, else that of `seed_of`."""
    if arguments.seeds is not None:
        seeds: range = arguments.seeds
        return seeds
    seed = seed_of(arguments, file)
    return range(seed, seed + 1)


def seed_of(arguments: argparse.Namespace, file: "ScenarioFile") -> int:
    """Returns the seed of a single run: --seed, else the first pin's seed, else 1."""
    if arguments.seed is not None:
        return int(arguments.seed)
    pins = file.scenario.own_pins
    return pins[0].seed if pins else 1


def _is_as_expected(result: "Result", arguments: argparse.Namespace) -> bool:
    """Returns whether the run has the expected verdict.

    In a run of the whole library, a canary has an expected verdict of its own; every other run is
    expected to pass.
    """
    is_library = arguments.all or not arguments.scenarios
    return result.verdict == (CANARIES.get(result.scenario, "pass") if is_library else "pass")


def _exit_code(results: "list[Result]", arguments: argparse.Namespace) -> int:
    verdicts = {result.verdict for result in results if not _is_as_expected(result, arguments)}
    if not verdicts:
        return GOOD
    return FAILED if verdicts != {"vacuous"} else VACUOUS
