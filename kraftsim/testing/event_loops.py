"""Which plugin and which event loop run an asyncio fixture."""

from collections.abc import Callable

import pytest

from .requested import refuse


def prepared(
    fixture: Callable[..., object], request: pytest.FixtureRequest
) -> Callable[..., object]:
    """Returns the fixture, marked for the event loop of the test; without a loop, a refusal.

    anyio runs every asynchronous fixture of its tests. pytest-asyncio in strict mode runs only
    fixtures with the attributes that `pytest_asyncio.fixture` sets; they are set here for each
    test, so that neither plugin has to be installed. On a loop of another scope than the test's
    the cluster would stand still during the test.
    """
    is_anyio = "anyio_backend" in request.fixturenames
    marker = request.node.get_closest_marker("asyncio")
    if marker is None and not is_anyio:
        return refused
    scope = marker.kwargs.get("loop_scope") if marker is not None else None
    if scope is None and request.config.pluginmanager.has_plugin("asyncio"):
        scope = request.config.getini("asyncio_default_test_loop_scope")
    vars(fixture).update(_force_asyncio_fixture=not is_anyio, _loop_scope=scope)
    return fixture


def refused(request: pytest.FixtureRequest) -> None:
    """Fails a test without an event loop that requests `kraft` or `kraft_factory`."""
    refuse(
        "the fixtures kraft and kraft_factory need an asynchronous test that pytest-asyncio or "
        "anyio runs; a blocking test takes kraft_sync"
    )
