"""Errors that a user causes, with messages that name the remedy, and the CLI's exit codes."""

from collections.abc import Sequence

GOOD, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
VACUOUS = UNFINISHED = 3
TIMED_OUT, UNREACHABLE = 4, 5

EXIT_CODES = {  # FAILED has precedence over VACUOUS and UNFINISHED
    GOOD: (
        "Success: the command was carried out, every run passed, every check holds. A service that "
        "ran was ended by Ctrl-C, SIGTERM or `kraftsim down`."
    ),
    FAILED: "Failure: a run or a check failed, or the command could not be carried out.",
    USAGE: "Usage: invalid arguments, or an invalid file or folder.",
    VACUOUS: (
        "Nothing failed, but not everything was tested: a vacuous run, an unfinished campaign, a "
        "search that was not exhaustive, a campaign without logs."
    ),
    TIMED_OUT: "Timed out: the state that `wait` waits for did not come in time.",
    UNREACHABLE: "Unreachable: no kraftsim service or controller answers at the address.",
    INTERRUPTED: "Interrupted with Ctrl-C (SIGINT); finished work is kept.",
}


class CommandError(Exception):
    """A command that cannot be carried out as given; the message names the remedy."""

    exit_code = FAILED


class UsageError(CommandError):
    """Invalid arguments or an invalid file; raised before anything is executed."""

    exit_code = USAGE


class Unfinished(CommandError):
    """A campaign in which runs are missing that the command needs."""

    exit_code = UNFINISHED


class UnknownBroker(CommandError):
    """No broker has this id; the message lists the known ids."""

    def __init__(self, broker_id: int | str, known_ids: Sequence[int]) -> None:
        ids = ", ".join(str(number) for number in known_ids[:20]) or "none"
        super().__init__(f"no broker {broker_id}: expected one of {ids}")
        self.broker_id = broker_id


class UnknownController(CommandError):
    """No controller has this id; the message lists the known ids."""

    def __init__(self, node_id: int, known_ids: Sequence[int]) -> None:
        ids = ", ".join(str(number) for number in known_ids)
        super().__init__(f"no controller {node_id}: expected one of {ids}")


class UnknownEvent(CommandError):
    """The journal has no event with this number; the message has the numbers that it has."""

    @staticmethod
    def of(seq: int, known: Sequence[int]) -> "UnknownEvent":
        """Returns the error for the event `seq` in a journal with the events `known`."""
        numbers = f"{known[0]} to {known[-1]}" if known else "none"
        return UnknownEvent(
            f"no event {seq}: expected a number of an event in the journal ({numbers})"
        )


class UnknownTopic(CommandError):
    """No topic has this name; the message lists the known names."""

    def __init__(self, name: str, known_names: Sequence[str]) -> None:
        names = ", ".join(known_names[:20])
        expected = f"expected one of {names}" if names else "the cluster has no topic"
        super().__init__(f"no topic {name!r}: {expected}")


class UnknownFault(CommandError):
    """No fault has this id; the message lists the known ids."""

    def __init__(self, fault_id: str, known_ids: Sequence[str]) -> None:
        ids = ", ".join(known_ids[-20:])
        expected = f"expected one of {ids}" if ids else "no fault was added"
        super().__init__(f"no fault {fault_id!r}: {expected}")


class UnknownSnapshot(CommandError):
    """No snapshot has this name; the message lists the known names."""

    def __init__(self, name: str, known_names: Sequence[str]) -> None:
        names = ", ".join(known_names[-20:])
        expected = f"expected one of {names}" if names else "no snapshot was saved"
        super().__init__(f"no snapshot {name!r}: {expected}")


class UnknownLesson(CommandError):
    """No scenario of the library has this name; the message lists the lessons."""

    def __init__(self, name: str, known_names: Sequence[str]) -> None:
        names = ", ".join(known for known in known_names if known.startswith("lesson-"))
        super().__init__(f"no lesson {name[:64]!r}: expected a scenario of the library ({names})")


class Unreachable(CommandError):
    """No kraftsim service or controller answers at the address."""

    exit_code = UNREACHABLE


class TimedOut(CommandError):
    """The state that the command waits for did not come in time."""

    exit_code = TIMED_OUT


class TryAgain(CommandError):
    """A service that cannot answer now, but soon; the message says so."""


class ConnectionClosed(CommandError):
    """A fault closed the connection of a request; the message names the fault.

    It says, too, whether the request was handled, which a client of Kafka does not learn.
    """


class FormatRefused(CommandError):
    """`kafka-storage format` refuses the same, with this message and exit code 1."""


class PortUnavailable(CommandError):
    """A port that a listener cannot bind.

    `option` is the name of the option that chose it; `takes_zero` if it also takes 0 as a port.
    """

    def __init__(self, option: str, address: str, reason: str, *, takes_zero: bool = True) -> None:
        zero = f"; {option} 0 lets the system choose a free port" if takes_zero else ""
        super().__init__(
            f"{option}: {address} cannot be bound ({reason}): end the process that listens there, "
            f"or choose another port{zero}"
        )
        self.option, self.address, self.reason = option, address, reason


class HostUnavailable(UsageError):
    """A host on which no listener can be bound."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"host: expected an address of this machine, such as 127.0.0.1 or 0.0.0.0, got {host!r}"
        )


class OffsetGone(CommandError):
    """The offset is below the start of the log: a snapshot has replaced its records."""

    def __init__(self, offset: int, start_offset: int) -> None:
        super().__init__(
            f"from: expected {start_offset} or above, the start offset of the log, got {offset}: "
            "a snapshot has replaced the records before it"
        )
