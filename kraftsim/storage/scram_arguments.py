"""Parses `--add-scram MECHANISM=[name=...,password=...]`, with the messages of Kafka's ScramParser.

A password without a salt gets a random one; the credential that is stored is that of RFC 5802.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence

from kraftsim.controller.core.java_text import parse_integer
from kraftsim.controller.core.log.records import UserScramCredentialRecord
from kraftsim.controller.core.security.scram_alteration import (
    HASHES,
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    credential_keys,
)

from ..errors import FormatRefused

_MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_SALT_BYTES = 25  # of ASCII, as Kafka draws it
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"

Random = Callable[[], float]


def scram_records(texts: Sequence[str], random: Random) -> list[UserScramCredentialRecord]:
    """Returns the record of each argument."""
    return [_record(text, random) for text in texts]


def _record(text: str, random: Random) -> UserScramCredentialRecord:
    name, equals, body = text.partition("=")
    if not equals:
        raise FormatRefused(f"Failed to find equals sign in SCRAM argument '{text}'")
    if name not in _MECHANISMS:
        raise FormatRefused(f"The add-scram mechanism {name} is not supported.")
    mechanism = _MECHANISMS[name]
    pairs = _pairs(body)
    user = pairs.pop("name", None)
    if user is None:
        raise FormatRefused("You must supply 'name' to add-scram")
    salt = _salt(pairs.pop("salt", None), random, has_salted="saltedpassword" in pairs)
    iterations = _iterations(pairs.pop("iterations", None), name)
    salted = _salted_password(pairs, HASHES[mechanism], salt, iterations)
    if pairs:
        raise FormatRefused(f"Unknown SCRAM configurations: {', '.join(sorted(pairs))}")
    stored_key, server_key = credential_keys(salted, HASHES[mechanism])
    return UserScramCredentialRecord(
        name=user,
        mechanism=mechanism,
        salt=salt,
        stored_key=stored_key,
        server_key=server_key,
        iterations=iterations,
    )


def _pairs(body: str) -> dict[str, str]:
    body = body.strip()
    if not body.startswith("["):
        raise FormatRefused("Expected configuration string to start with [")
    if not body.endswith("]"):
        raise FormatRefused("Expected configuration string to end with ]")
    pairs = {}
    for pair in filter(None, body[1:-1].split(",")):
        key, _, value = pair.partition("=")
        pairs[key.strip()] = value.strip().strip('"')
    return pairs


def _salt(text: str | None, random: Random, *, has_salted: bool) -> bytes:
    if text is not None:
        return _decoded("salt", text)
    if has_salted:
        raise FormatRefused("You must supply 'salt' with 'saltedpassword' to add-scram")
    return "".join(_LETTERS[int(random() * len(_LETTERS))] for _ in range(_SALT_BYTES)).encode()


def _decoded(label: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise FormatRefused(f"Failed to decode given {label}: {text}") from None


def _iterations(text: str | None, mechanism: str) -> int:
    if text is None:
        return ITERATIONS_MIN
    number = parse_integer(text, 32)
    if number is None:
        raise FormatRefused(f"Failed to parse iterations count: {text}")
    shown = f"for add-scram using {mechanism.replace('-', '_')}"
    if number < ITERATIONS_MIN:
        raise FormatRefused(f"The 'iterations' value must be >= {ITERATIONS_MIN} {shown}")
    if number > ITERATIONS_MAX:
        raise FormatRefused(f"The 'iterations' value must be <= {ITERATIONS_MAX} {shown}")
    return number


def _salted_password(pairs: dict[str, str], hash_name: str, salt: bytes, iterations: int) -> bytes:
    """Returns the salted password; removes both forms of a password from `pairs`."""
    password, salted = pairs.pop("password", None), pairs.pop("saltedpassword", None)
    if (password is None) == (salted is None):
        raise FormatRefused("You must supply one of 'password' or 'saltedpassword' to add-scram")
    if password == "":
        raise FormatRefused("Empty key")
    if password is not None:
        return hashlib.pbkdf2_hmac(hash_name, password.encode("utf-8"), salt, iterations)
    return _decoded("saltedPassword", salted or "")
