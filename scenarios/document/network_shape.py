"""Delay and loss of messages in a network without faults: numbers, or the name of a preset.

wan                        a preset
{preset: wan, loss: 0.01}  a preset with other values for some words
{low: 1ms, high: 10ms}     explicit values
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from ..language.amounts import Amount, in_order
from ..language.constraints import Between, OneOf
from ..language.reading import Path, document_of, mapping, read, read_words
from ..language.schema import Schema, SchemaOf, any_of, closed, object_of

_HALF_A_MS, _FIVE_MS = Amount(fixed_us=500), Amount(fixed_us=5_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkShape:
    """Delay and loss of messages: each message takes a uniform time from `low` to `high`.

    `loss` is the fraction of messages that are lost, from 0 to 1.
    """

    low: Amount = _HALF_A_MS
    high: Amount = _FIVE_MS
    loss: Annotated[float, Between(0, 1)] = 0.0

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)

    @staticmethod
    def from_document(value: object, path: Path) -> "NetworkShape":
        """Reads the name of a preset or a mapping; raises Problem for another value."""
        words = {"preset": value} if isinstance(value, str) else dict(mapping(value, path))
        preset = words.pop("preset", None)
        if preset is not None:
            name = read(PresetName, preset, (*path, "preset"))
            words = document_of(PRESETS[name]) | words
        shape: NetworkShape = read_words(NetworkShape, words, path)
        return shape

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of a preset's name or a mapping."""
        name = of(PresetName)
        words = object_of(NetworkShape, of)["properties"]
        assert isinstance(words, dict)
        return any_of(name, closed(words | {"preset": name}))


PRESETS: Mapping[str, NetworkShape] = {
    "lan": NetworkShape(low=Amount(fixed_us=100), high=Amount(fixed_us=1_000)),
    "zones": NetworkShape(low=Amount(fixed_us=500), high=Amount(fixed_us=5_000)),
    "wan": NetworkShape(low=Amount(fixed_us=20_000), high=Amount(fixed_us=80_000)),
    "satellite": NetworkShape(low=Amount(fixed_us=250_000), high=Amount(fixed_us=350_000)),
    "lossy": NetworkShape(low=Amount(fixed_us=1_000), high=Amount(fixed_us=50_000), loss=0.02),
}
PresetName = Annotated[str, OneOf(tuple(PRESETS))]
