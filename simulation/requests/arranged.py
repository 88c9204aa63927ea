"""Rules about one type of request, sorted so that few are looked at for each request."""

from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter

from .arrival import Arrival
from .rule import RequestRule

Rules = tuple[RequestRule, ...]
Table = tuple[Callable[[Arrival], Hashable], dict[Hashable, Rules]]
NO_RULES: Rules = ()
in_order = attrgetter("number")


class ArrangedRules:
    """Rules by the value that their condition `found_by` requires."""

    def __init__(self, rules: Iterable[RequestRule]) -> None:
        of_any, of_value = _sorted_out(rules)
        self._of_any: Rules = tuple(of_any)
        self._tables: tuple[Table, ...] = tuple(
            (
                read,
                {
                    value: tuple(sorted((*of_any, *rules_of_value), key=in_order))
                    for value, rules_of_value in values.items()
                },
            )
            for read, values in of_value.values()
        )

    def about(self, arrival: Arrival) -> Rules:
        """Returns the rules whose condition `found_by` the request meets, in order."""
        found = NO_RULES
        for read, of_value in self._tables:
            rules = of_value.get(read(arrival), NO_RULES)
            if rules:
                found = tuple(sorted({*found, *rules}, key=in_order)) if found else rules
        return found or self._of_any


Values = dict[Hashable, list[RequestRule]]


def _sorted_out(
    rules: Iterable[RequestRule],
) -> tuple[list[RequestRule], dict[str, tuple[Callable[[Arrival], Hashable], Values]]]:
    """Returns the rules of every request, and the others by word and value."""
    of_any: list[RequestRule] = []
    of_value: dict[str, tuple[Callable[[Arrival], Hashable], Values]] = {}
    for rule in rules:
        condition = rule.found_by
        if condition is None:
            of_any.append(rule)
            continue
        values = of_value.setdefault(condition.word, (condition.read, {}))[1]
        for value in condition.values:
            values.setdefault(value, []).append(rule)
    return of_any, of_value
