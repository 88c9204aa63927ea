"""Which plugin and which event loop run an asyncio fixture."""

from collections.abc import Callable
from functools import partial

import pytest

from .keys import LOOP_SCOPE, POOL
from .requested import refuse, requested_scope

OUTCOMES = (pytest.fail.Exception, pytest.skip.Exception)  # not derived from Exception
SCOPES = ("function", "class", "module", "package", "session")  # of loops, the shortest first


def prepared(
    fixture: Callable[..., object], request: pytest.FixtureRequest
) -> Callable[..., object]:
    """Returns the fixture, marked for the event loop of the test; if it cannot run, a refusal.

    The refusal is raised by the fixture that is returned: if it were raised here, pytest would
    believe that the fixture was never set up, and fail an assertion of its own at the next test.
    """
    try:
        return _marked(fixture, request)
    except (Exception, *OUTCOMES) as error:
        return partial(_raise, error)


def _raise(error: BaseException, **_: object) -> None:
    raise error


def _marked(
    fixture: Callable[..., object], request: pytest.FixtureRequest
) -> Callable[..., object]:
    """Marks the fixture for the event loop of the test, and returns it.

    anyio runs every asynchronous fixture of its tests. pytest-asyncio in strict mode runs only
    fixtures with the attributes that `pytest_asyncio.fixture` sets; they are set here for each
    test, so that neither plugin has to be installed. On a loop of another scope than the test's
    the cluster would stand still during the test.
    """
    is_anyio = "anyio_backend" in request.fixturenames
    if request.scope == "function":
        if not is_anyio and request.node.get_closest_marker("asyncio") is None:
            refuse(
                "the fixtures kraft and kraft_factory need an asynchronous test that "
                "pytest-asyncio or anyio runs; a blocking test takes kraft_sync"
            )
        request.config.stash[LOOP_SCOPE] = None if is_anyio else _loop_scope(request)
        if is_anyio:
            _refuse_trio(request)
        if fixture.__name__ == "kraft":
            _request_pool(request, is_anyio)
    scope = request.config.stash[LOOP_SCOPE]
    vars(fixture).update(_force_asyncio_fixture=not is_anyio, _loop_scope=scope)
    return fixture


def _loop_scope(request: pytest.FixtureRequest) -> str | None:
    """Returns the scope of the loop on which pytest-asyncio runs the test; None: its default."""
    scope = request.node.get_closest_marker("asyncio").kwargs.get("loop_scope")
    if scope is None and request.config.pluginmanager.has_plugin("asyncio"):
        scope = request.config.getini("asyncio_default_test_loop_scope")
    return str(scope) if scope else None


def _refuse_trio(request: pytest.FixtureRequest) -> None:
    backend = request.getfixturevalue("anyio_backend")
    name = backend if isinstance(backend, str) else backend[0]
    if name != "asyncio":
        refuse(
            f"the fixtures kraft and kraft_factory run on asyncio, and anyio runs this test on "
            f"{name}: let the fixture anyio_backend return 'asyncio', or take kraft_sync, whose "
            "methods block, in a thread (anyio.to_thread.run_sync)"
        )


def _request_pool(request: pytest.FixtureRequest, is_anyio: bool) -> None:
    """Requests the clusters of the module or session, if the marker of the test has that scope."""
    scope = requested_scope(request.node)
    if scope == "function":
        return
    loop_scope = request.config.stash[LOOP_SCOPE] or "function"
    if not is_anyio and SCOPES.index(loop_scope) < SCOPES.index(scope):
        refuse(
            f'scope="{scope}": the cluster of a {scope} needs an event loop that lives as long. '
            f"The loop of this test lives for a {loop_scope}: mark the tests with "
            f'@pytest.mark.asyncio(loop_scope="{scope}")'
        )
    if is_anyio and SCOPES.index(_scope_of_backend(request)) < SCOPES.index(scope):
        refuse(
            f'scope="{scope}": the cluster of a {scope} needs an event loop that lives as long: '
            f'define the fixture anyio_backend with scope="{scope}"'
        )
    request.node.stash[POOL] = request.getfixturevalue(f"_kraft_of_{scope}")


def _scope_of_backend(request: pytest.FixtureRequest) -> str:
    """Returns the scope of the fixture anyio_backend, which pytest has set up for the test.

    It is not tried out: a fixture of another scope that failed here would fail the next tests, too.
    """
    return request._get_active_fixturedef("anyio_backend").scope
