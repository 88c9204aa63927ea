"""Values by number, so that what is made of many of them is a tuple of a few numbers."""

from dataclasses import fields, is_dataclass, replace


class Numbered:
    """Values with equal keys have one number, and the first of them stands for all."""

    def __init__(self):
        self.values, self.keys, self._numbers = [], [], {}

    def __getitem__(self, number):
        return self.values[number]

    def __len__(self):
        return len(self.values)

    def number(self, key, value=None):
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.keys.append(key)
        return number


class Remembered(dict):
    """What a function makes of its one argument, computed once."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def __missing__(self, argument):
        made = self[argument] = self.function(argument)
        return made


def renamed(value, names):
    """`value` with every name in it replaced, however deep."""
    if isinstance(value, tuple | frozenset):
        inner = (renamed(one, names) for one in value)
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    if is_dataclass(value):
        inner = {one.name: renamed(getattr(value, one.name), names) for one in fields(value)}
        return replace(value, **inner)
    return names.get(value, value)


def bits(mask):
    """The numbers that are in a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
