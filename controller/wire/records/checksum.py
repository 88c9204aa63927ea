"""CRC-32C, the checksum of record batches, as the library `crc32c` computes it natively.

The package `crc32c` imports importlib.metadata, only to know its own version. That takes an eighth
of the start of a service, so its extension module is loaded without the package.
"""

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

EXTENSION = "crc32c._crc32c"


def crc32c(data: bytes | memoryview) -> int:
    """Returns the CRC-32C of the bytes."""
    return checksum()(data)


@cache
def checksum() -> Callable[[bytes | memoryview], int]:
    """Returns the native function, for those who cannot afford a call of Python's."""
    package = PathFinder.find_spec("crc32c")
    folders = None if package is None else package.submodule_search_locations
    spec = PathFinder.find_spec(EXTENSION, folders) if folders else None
    if spec is None or spec.loader is None:  # another version of crc32c has another extension
        from crc32c import crc32c as of_package

        return of_package
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[bytes | memoryview], int] = module.crc32c
    return function
