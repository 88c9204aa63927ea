"""Compiles a table for one version, at first use: `decoder` and `encoder`.

Start-up pays for nothing, and a process compiles only the versions that its peers speak.
"""

from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from .decode_source import decode_source
from .encode_source import encode_source
from .schema import Message
from .source_writer import Namespace

Decoder = Callable[[bytes, int], tuple[Any, int]]
Encoder = Callable[[Any], bytes]


@cache
def decoder(message: Message, version: int) -> Decoder:
    """A function of the data and a position; it returns the object and where its bytes end."""
    source, names = decode_source(message, version)
    return compiled(source, names, f"decode {message.name} v{version}")


@cache
def encoder(message: Message, version: int, on_demand: bool = False) -> Encoder:
    """A function of the object; it returns its body. `on_demand`: with the fields that need it."""
    source, names = encode_source(message, version, on_demand)
    return compiled(source, names, f"encode {message.name} v{version}")


def compiled(source: str, names: Namespace, title: str) -> Callable[..., Any]:
    """The one function that `source` defines, over `names` as its globals."""
    module = compile(source, f"<{title}>", "exec")
    code = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return FunctionType(code, names)
