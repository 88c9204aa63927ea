"""Commands that a user of `kraftsim up` can run next, in another terminal."""

from collections.abc import Sequence
from shlex import quote

from kraftsim.simulation.topology import FIRST_BROKER_ID

from ...api.cluster import Cluster
from ...files.tokens import TOKEN_VARIABLE
from ...http.paths import DEFAULT_URL

SET_TOKEN = f': "${{{TOKEN_VARIABLE}:?export it here too, or start up with --token-file}}"'
TITLE = "what next, in another terminal (Ctrl-C ends it):"


def next_steps(kraft: Cluster, token_file: str | None) -> Sequence[str]:
    """Returns commands that work as printed: first the environment that they need, if any.

    `token_file` is the file of the service's token, if the user gave one.
    """
    broker = f"stop {FIRST_BROKER_ID}" if kraft.options.brokers else "add"
    return (
        *_environment(kraft, token_file),
        "kraftsim broker list",
        "kraftsim events --follow",
        f"kraftsim broker {broker}",
        "kraftsim down",
    )


def _environment(kraft: Cluster, token_file: str | None) -> Sequence[str]:
    """Returns commands that set the variables.

    A token of the user's own environment is a secret, which is not printed: the command then fails
    with the name of the variable, if it is not set.
    """
    lines = []
    if kraft.http_url != DEFAULT_URL:
        lines.append(f"export KRAFTSIM_HTTP={kraft.http_url}")
    if token_file is not None:
        lines.append(f"export {TOKEN_VARIABLE}=$(cat {quote(token_file)})")
    elif kraft.options.token is None and kraft.http_token is not None:
        lines.append(f"export {TOKEN_VARIABLE}={quote(kraft.http_token)}")
    elif kraft.http_token is not None:
        lines.append(SET_TOKEN)
    return lines
