"""Every property by its name."""

from ..property import Property

ALL: tuple[type[Property], ...] = ()
