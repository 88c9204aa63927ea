"""The error of a call, and the error in a response."""

from kraftsim.controller.core.errors import ErrorCode, error_name
from kraftsim.controller.core.rpc import DescribeQuorumResponse, Response

from ..errors import FAILED, UNREACHABLE, CommandError
from ..printable import printable


class AdminError(CommandError):
    """A call that failed: the server refused it, or no server answered.

    `code` and `name` are Kafka's error code and its name, `ERROR_N` for an unknown code N. Both are
    None if no server answered. `message` is the text of the server, with control characters as
    escape sequences.
    """

    def __init__(self, code: int | None, message: str) -> None:
        self.code = None if code is None else int(code)
        self.name = None if code is None else error_name(code)
        self.message = printable(message)
        self.exit_code = UNREACHABLE if code is None else FAILED
        super().__init__(self.message if self.name is None else f"{self.name}: {self.message}")


class NoResponse(Exception):
    """A request without a response; `was_sent` is true if the server may have carried it out."""

    def __init__(self, reason: str, *, was_sent: bool) -> None:
        super().__init__(reason)
        self.was_sent = was_sent


def error_of(response: Response) -> tuple[int, str]:
    """Returns Kafka's error code of a response, 0 if there is none, and the server's text."""
    answers: list[object] = [response]
    if isinstance(response, DescribeQuorumResponse):
        answers += [partition for topic in response.topics for partition in topic.partitions]
    for answer in answers:
        code = getattr(answer, "error_code", ErrorCode.NONE)
        if code:
            return int(code), getattr(answer, "error_message", None) or "the server gave no reason"
    return 0, ""
