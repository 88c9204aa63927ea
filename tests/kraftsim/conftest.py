"""A cluster on a virtual clock with HTTP in front of it, and somebody who asks."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.cli.main import main
from tests.kraftsim.on_terminal import OnTerminal
from tests.limits import LIMIT_S

CLUSTER_ID = "kraftsimTestCluster001"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    document: dict[str, Any]

    @property
    def refusal(self) -> tuple[int, int, str]:
        """Status, number and name of the error."""
        return self.status, self.document["errorCode"], self.document["error"]

    @property
    def message(self) -> str:
        text = self.document["message"]
        assert isinstance(text, str), text
        return text


class Http:
    def __init__(self, session: ClientSession, url: str) -> None:
        self.session = session
        self.url = url

    async def get(self, path: str, **query: object) -> Answer:
        named = {name.rstrip("_"): str(value) for name, value in query.items()}
        async with self.session.get(self.url + path, params=named) as response:
            return Answer(response.status, await response.json())

    async def post(self, path: str, body: object = None, *, data: bytes | None = None) -> Answer:
        given: dict[str, Any] = {"json": body} if data is None else {"data": BytesIO(data)}
        headers = {"Content-Type": "application/json"}
        async with self.session.post(self.url + path, headers=headers, **given) as response:
            return Answer(response.status, await response.json())

    async def kafka(self, api: str, **body: object) -> Answer:
        return await self.post(f"/kafka/{api}", body)


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=3, clock="virtual", seed=1, cluster_id=CLUSTER_ID, http_port=0
    ) as cluster:
        yield cluster


@pytest.fixture
async def http(kraft: Cluster) -> AsyncIterator[Http]:
    async with ClientSession() as session:
        yield Http(session, kraft.http_url)


class Service:
    """A cluster on its own thread, as the command line finds it: behind a URL."""

    def __init__(self, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        usual = {"clock": "virtual", "seed": 1, "cluster_id": CLUSTER_ID, "http_port": 0}
        self.kraft = Cluster(**(usual | options))
        self.do(self.kraft.start())

    def do(self, verb: Any) -> None:
        asyncio.run_coroutine_threadsafe(verb, self._loop).result(LIMIT_S)

    def close(self) -> None:
        """Once; a test may have done it already."""
        if self._loop.is_closed():
            return
        self.do(self.kraft.close())
        self.do(_ended_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _ended_tasks() -> None:
    """Ends what a closed server has cancelled, as `asyncio.run` does before it closes its loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


Said = tuple[int, str, str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Exit code, stdout and stderr of a command line."""

    def run(line: str) -> Said:
        code: Any
        try:
            code = main(line.split())
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


@pytest.fixture
def terminals() -> Iterator[list[OnTerminal]]:
    terminals: list[OnTerminal] = []
    yield terminals
    for terminal in terminals:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()
