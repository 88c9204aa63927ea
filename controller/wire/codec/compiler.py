"""Compiles a schema for one version, at first use: `decoder` and `encoder`.

Start-up compiles nothing, and a process compiles only the versions that its peers use.
"""

from collections.abc import Callable, Generator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from .decode_source import decode_source
from .encode_source import encode_in_steps_source, encode_source, has_rows
from .schema import Message
from .source_writer import Namespace

Decoder = Callable[[bytes, int], tuple[Any, int]]
Encoder = Callable[[Any], bytes]
StepEncoder = Callable[[Any], Generator[None, None, bytes]]


@cache
def decoder(message: Message, version: int) -> Decoder:
    """Returns a function of (data, position) that decodes an object.

    The function returns the object and the position after its bytes.
    """
    source, names = decode_source(message, version)
    decode = compiled(source, names, f"decode {message.name} v{version}")
    return decode if message.check is None else _checked(decode, message.check)


def _checked(decode: Decoder, check: Callable[..., None]) -> Decoder:
    def decode_and_check(data: bytes, pos: int) -> tuple[Any, int]:
        decoded, end = decode(data, pos)
        check(decoded)
        return decoded, end

    return decode_and_check


@cache
def encoder(message: Message, version: int, on_demand: bool = False) -> Encoder:
    """Returns a function that encodes an object as the body of a message.

    With `on_demand` the body includes the fields that are written on demand only.
    """
    source, names = encode_source(message, version, on_demand)
    return compiled(source, names, f"encode {message.name} v{version}")


@cache
def step_encoder(message: Message, version: int, on_demand: bool = False) -> StepEncoder | None:
    """Returns a function that encodes as `encoder` does, in steps of about a millisecond.

    Returns None for a message without an array of structs, which is small.
    """
    if not has_rows(message, version):
        return None
    source, names = encode_in_steps_source(message, version, on_demand)
    return compiled(source, names, f"encode {message.name} v{version} in steps")


def compiled(source: str, names: Namespace, title: str) -> Callable[..., Any]:
    """Returns the function that `source` defines, with `names` as its globals.

    `title` names the source in tracebacks.
    """
    module = compile(source, f"<{title}>", "exec")
    code = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return FunctionType(code, names)
