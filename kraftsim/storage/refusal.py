"""The error of `storage format`."""

from ..errors import CommandError


class FormatRefused(CommandError):
    """`kafka-storage format` refuses the same, with this message and exit code 1."""
