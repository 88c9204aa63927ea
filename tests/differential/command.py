"""make differential ARGS="--release 4.3.1 --sequences 10000 --seed 1": prints what differs."""

import signal
import time
from collections.abc import Callable
from functools import partial
from types import FrameType

from kraftsim.pipeline.engines.java import JavaMissing
from tests.differential.arguments import BROKER, Arguments, Given, drawn_number, parse
from tests.differential.confirm import Confirming
from tests.differential.findings import print_confirmed, print_replayed
from tests.differential.generate.silent import is_silent
from tests.differential.keep import keep
from tests.differential.progress import Progress, tell
from tests.differential.replicas import run as replicas
from tests.differential.run import Run
from tests.differential.summary import print_summary, unmatched
from tests.released.jars import JarsMissing
from tests.released.releases import Release

COMPLETE_FROM = 2000  # sequences, from which on every explained row must match its example
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}
Judging = Callable[[Run], None]


class Interrupted(BaseException):
    """SIGINT or SIGTERM came; `code` is what the process exits with."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def main(words: list[str] | None = None) -> int:
    """Exit 0 if nothing unexplained was found, 130 or 143 if a signal ended the run, else 1."""
    arguments = parse(words)
    handle_signals()
    try:
        return _run(arguments)
    except (JavaMissing, JarsMissing) as missing:
        tell(str(missing))
        return 1
    except Interrupted as interrupted:
        return interrupted.code


def handle_signals() -> None:
    for number in SIGNALS:
        signal.signal(number, _interrupt)


def _interrupt(number: int, _: FrameType | None) -> None:
    raise Interrupted(SIGNALS[signal.Signals(number)])


def _run(arguments: Arguments) -> int:
    if arguments.replicas:
        return _judge_replicas(arguments)
    if arguments.keep and arguments.rule:
        return keep(arguments.replay[0], arguments.keep, arguments.rule)
    if arguments.replay:
        return _replay(arguments.replay)
    return judge(arguments.release, _wanted(arguments), partial(_judge_drawn, arguments))


def _judge_replicas(arguments: Arguments) -> int:
    drawn = [drawn_number(name)[1:] for name in arguments.only]
    drawn = drawn or [(arguments.seed, number) for number in range(arguments.sequences)]
    if arguments.keep and arguments.rule:
        return replicas.keep(arguments.release, drawn, arguments.keep, arguments.rule)
    return replicas.judge_drawn(arguments.release, drawn)


def _wanted(arguments: Arguments) -> int:
    return len(arguments.only) or arguments.sequences


def _replay(given: tuple[Given, ...]) -> int:
    """Judge files in order, release by release."""
    codes = []
    for version in dict.fromkeys(option.release.version for option in given):
        files = [option for option in given if option.release.version == version]
        judging = partial(_judge_files, files)
        codes.append(judge(files[0].release, len(files), judging, is_drawn=False))
    return max(codes)


def _judge_files(files: list[Given], run: Run) -> None:
    sequences = [file.sequence for file in files]
    run.judge_files(sequence for sequence in sequences if not is_silent(sequence))
    run.judge_side_by_side(sequence for sequence in sequences if is_silent(sequence))


def _judge_drawn(arguments: Arguments, run: Run) -> None:
    if arguments.only:
        _judge_only(arguments, run)
        return
    if arguments.listener == BROKER:
        run.judge_listener(arguments.seed, range(arguments.sequences))
        return
    if arguments.sequences >= COMPLETE_FROM:
        run.judge_examples()
    run.judge_drawn(arguments.seed, arguments.drawn)
    run.judge_silent(arguments.seed, arguments.silent)


def _judge_only(arguments: Arguments, run: Run) -> None:
    for name in arguments.only:
        kind, seed, number = drawn_number(name)
        if kind == "silent-":
            run.judge_silent_numbers(seed, [number])
        elif kind:
            run.judge_listener(seed, [number])
        else:
            run.judge_only(seed, number, arguments.drawn)


def judge(release: Release, wanted: int, judging: Judging, *, is_drawn: bool = True) -> int:
    """Judge, confirm what was found, and print it; a signal ends either part early."""
    began_s = time.monotonic()
    progress = Progress(release, wanted, is_drawn=is_drawn)
    run = Run(release, progress.judged)
    stopped, code = "", 0
    try:
        judging(run)
        if run.has_found_enough:
            stopped = f"{len(run.outcome.findings)} findings are enough"
        confirming = Confirming(release, progress.shrinks)
        for finding in run.outcome.findings:
            if is_drawn:
                print_confirmed(release, confirming.confirm(finding))
            else:
                print_replayed(finding)
    except Interrupted as interrupted:
        stopped, code = f"signal, exit {interrupted.code}", interrupted.code
    is_complete = not stopped and run.has_judged_examples
    rows = unmatched(release, run.outcome) if is_complete else []
    print_summary(release, run.outcome, wanted, time.monotonic() - began_s, rows, stopped)
    if code:
        raise Interrupted(code)
    return 0 if run.outcome.is_clean and not rows else 1
