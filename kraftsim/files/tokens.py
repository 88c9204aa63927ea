"""The bearer token of an HTTP service: where the service and its clients find it."""

import os

from ..errors import UsageError

TOKEN_VARIABLE = "KRAFTSIM_TOKEN"
TOKEN_CHARS_MAX = 4096


def token_from(path: str | None) -> str | None:
    """Returns the token in the file, else that of the environment, else None.

    Raises UsageError if the file cannot be read, or if the token is empty, too long or has
    characters that a header cannot carry.
    """
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE) or None
        return None if token is None else _checked(token, TOKEN_VARIABLE)
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device might never end
        raise UsageError(f"--token-file: expected a regular file, got {path}")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(TOKEN_CHARS_MAX + 2)
    except OSError as error:
        raise UsageError(f"--token-file: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--token-file: {path}: expected text in UTF-8") from None
    return _checked(text.strip(), f"--token-file {path}")


def _checked(token: str, source: str) -> str:
    if not 0 < len(token) <= TOKEN_CHARS_MAX or not token.isascii() or not token.isprintable():
        raise UsageError(
            f"{source}: expected 1 to {TOKEN_CHARS_MAX} printable ASCII characters, "
            f"got {len(token)}"
        )
    return token
