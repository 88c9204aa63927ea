"""Switches off one remedy against chance, and prints the digest of a history without it.

`python -m tests.simulated_loop.ablation REMEDY HISTORY SEED [MINUTES]`
"""

import asyncio
import datetime
import gc
import logging
import os
import random
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from aiokafka.producer.message_accumulator import BatchBuilder
from aiokafka.structs import BrokerMetadata, TopicPartition

from kraftsim.simulated_loop import process, real_clocks
from kraftsim.simulated_loop.replacing import Replacing
from kraftsim.simulated_loop.tasks import StableFuture, StableTask
from kraftsim.simulated_loop.timed_loop import TimedLoop

from .histories.__main__ import digest

CLOCKS = [getattr(time, name) for name in real_clocks.CLOCKS]


def without_functions(*functions: object) -> Callable[[], None]:
    """Leaves these functions or classes as they are, wherever a name has them."""

    def switch_off() -> None:
        replace_all = Replacing.__init__

        def replace(replacing: Replacing, replacements: dict[object, object]) -> None:
            replace_all(
                replacing, {of: by for of, by in replacements.items() if of not in functions}
            )

        Replacing.__init__ = replace

    return switch_off


def without_attribute(owner: object, name: str) -> Callable[[], None]:
    """Leaves one attribute of a class or a module as it is."""

    def switch_off() -> None:
        set_all = Replacing.set

        def set_others(replacing: Replacing, of: Any, attribute: str, new: object) -> None:
            if (of, attribute) != (owner, name):
                set_all(replacing, of, attribute, new)

        Replacing.set = set_others

    return switch_off


def without_bound_names() -> None:
    """Replaces in the modules of the standard library, and not where others have bound a name."""
    walk = Replacing._walk_module

    def walk_standard(replacing: Replacing, module: Any) -> None:
        if module.__name__ in sys.stdlib_module_names:
            walk(replacing, module)

    Replacing._walk_module = walk_standard


def without_order_of_generators() -> None:
    for name in ("_asyncgen_firstiter_hook", "_asyncgen_finalizer_hook", "shutdown_asyncgens"):
        delattr(TimedLoop, name)


def without_kept_tasks() -> None:
    class Nothing(list[Any]):
        def __iadd__(self, added: Any) -> Any:
            return self

    begin = process.SimulatedProcess.__init__

    def begin_forgetful(self: Any, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        self._killed = Nothing()

    process.SimulatedProcess.__init__ = begin_forgetful


def setting(owner: object, name: str, new: object) -> Callable[[], None]:
    return lambda: setattr(owner, name, new)


def same(of: Any) -> Any:
    return of


REMEDIES: dict[str, Callable[[], None]] = {
    "none": lambda: None,
    "clocks": without_functions(*CLOCKS),
    "bound-names": without_bound_names,
    "default-arguments": setting(Replacing, "_walk_defaults", lambda self, function: None),
    "calendar": without_functions(time.gmtime, time.localtime),
    "dates": without_functions(datetime.datetime, datetime.date),
    "records-in-c": without_attribute(BatchBuilder, "append"),
    "seed": setting(random, "seed", lambda *args: None),
    "seed-anew": without_functions(random.seed),
    "generators-of-chance": without_attribute(random.Random, "seed"),
    "sorted-draws": setting(real_clocks, "_of_sorted", same),
    "entropy": without_functions(os.urandom),
    "uuid-in-c": without_attribute(uuid, "_generate_time_safe"),
    "partitions": without_attribute(TopicPartition, "__hash__"),
    "brokers": without_attribute(BrokerMetadata, "__hash__"),
    "tasks": setting(StableTask, "__hash__", asyncio.Task.__hash__),
    "futures": setting(StableFuture, "__hash__", asyncio.Future.__hash__),
    "as-completed": without_attribute(asyncio, "as_completed"),
    "collections": setting(gc, "disable", lambda: None),
    "order-of-generators": without_order_of_generators,
    "killed-tasks": without_kept_tasks,
}


def main(remedy: str, history: str, *arguments: str) -> None:
    """Prints the digest, or the name of the error with which the history ends."""
    REMEDIES[remedy]()
    try:
        print(digest(history, *map(int, arguments)))
    except Exception as error:  # of any kind: without its remedy a program may fail
        print(type(error).__name__)


if __name__ == "__main__":
    logging.disable()
    main(*sys.argv[1:])
