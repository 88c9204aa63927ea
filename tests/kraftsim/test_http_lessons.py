"""Lessons over HTTP: what visitors without the token may do, and what they cannot do to others.

A visitor plays lessons in a process beside the service (docs/security.md).
"""

import asyncio
import os
import re
import resource
import select
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.lessons import process as process_module
from kraftsim.lessons import shared_answers
from kraftsim.lessons.worker import MEMORY_MAX
from tests.interop.running import kraftsim_up
from tests.kraftsim.conftest import Answer, Http
from tests.kraftsim.loop_passes import others_run
from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

LESSON, OTHER = "lesson-01-lease", "lesson-02-fenced-is-not-dead"
MANY = '[{"at": "1s", "topic.create": {"name": "many", "partitions": 3000, "replication": 3}}]'
PLACE = f"lesson={LESSON}&seed=17&t=10000000"

Service = tuple[Cluster, Http, Http]
Asked = asyncio.Task[Answer]


@asynccontextmanager
async def serving(*, opens_lessons: bool = True) -> AsyncIterator[Service]:
    """A cluster with a token, a visitor, and the instructor, who has the token."""
    kraft = Cluster(brokers=1, clock="virtual", seed=1, http_port=0, token="secret")
    kraft.opens_lessons = opens_lessons
    async with (
        kraft,
        ClientSession() as visitor,
        ClientSession(headers={"Authorization": "Bearer secret"}) as instructor,
    ):
        yield kraft, Http(visitor, kraft.http_url), Http(instructor, kraft.http_url)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serving() as service:
        yield service


async def story(http: Http, name: str = LESSON, acts: str = "[]", seed: int = 17) -> Answer:
    return await http.get(f"/v1/lessons/{name}/story", acts=acts, seed=seed)


def player(kraft: Cluster) -> int:
    """The id of the process that plays the lessons."""
    process = kraft.lessons._process._process
    assert process is not None
    return process.pid


def bytes_of(process_id: int) -> int:
    """The address space of a process."""
    pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def processes() -> set[int]:
    return {int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()}


async def asked(http: Http, kraft: Cluster, count: int) -> list[Asked]:
    """Different new questions that wait for the process, which stands still."""
    os.kill(player(kraft), signal.SIGSTOP)
    questions = [asyncio.create_task(story(http, seed=seed)) for seed in range(count)]
    async with asyncio.timeout(LIMIT_S):
        while len(kraft.lessons._shared._under_way) < count:
            await others_run()
    await others_run(100)  # until the first is at the process
    return questions


# Who may do what


async def test_a_visitor_without_the_token_reads_lessons_and_the_page(service: Service) -> None:
    _, visitor, _ = service

    async with visitor.session.get(visitor.url + "/") as page:
        assert page.status == 200
    assert (await visitor.get("/v1/lessons")).document["lessons"]
    assert (await story(visitor)).document["verdict"] == "pass"
    film = await visitor.get(f"/v1/lessons/{LESSON}/film", fromUs=9_000_000, toUs=10_000_000)
    assert film.document["scene"]["brokers"]
    assert (await visitor.get(f"/v1/lessons/{LESSON}/why", event=3)).document["lines"]
    assert (await visitor.get("/v1/lessons/lead")).document["isKept"] is False


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/scene"),
        ("GET", "/v1/events"),
        ("GET", "/v1/story"),
        ("GET", "/v1/brokers"),
        ("GET", "/v1/cluster"),
        ("GET", "/sim/clock"),
        ("GET", "/sim/requests"),
        ("POST", "/sim/brokers/1/kill"),
        ("POST", "/sim/faults"),
        ("POST", "/sim/reset"),
        ("POST", "/sim/lessons/steer"),
        ("POST", "/sim/lessons/release"),
        ("POST", "/kafka/BrokerHeartbeat"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
    ],
)
async def test_a_visitor_without_the_token_gets_nothing_else(
    service: Service, method: str, path: str
) -> None:
    kraft, visitor, _ = service

    answer = await (visitor.get(path) if method == "GET" else visitor.post(path, {}))

    assert answer.status == 401
    assert kraft.world.agents[1].is_alive


@pytest.mark.parametrize(
    "path",
    [
        "/v1/lessons/../scene",
        "/v1/lessons/%2e%2e/scene",
        "/page/../v1/scene",
        "/page/..%2fv1%2fscene",
        "/page/%2e%2e/errors.py",
        "/page/../http/guard.py",
        "//v1/scene",
    ],
)
async def test_no_spelling_of_an_open_path_leads_to_another(service: Service, path: str) -> None:
    kraft, _, _ = service
    port = int(kraft.http_url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    status = int((await reader.read()).split(b" ", 2)[1])
    writer.close()

    assert status in (401, 404)


async def test_lessons_that_are_not_open_need_the_token() -> None:
    async with serving(opens_lessons=False) as (_, visitor, instructor):
        assert (await visitor.get("/v1/lessons")).status == 401
        assert (await visitor.post("/v1/lessons/predict", {"choice": "yes"})).status == 401
        assert (await instructor.get("/v1/lessons")).status == 200
        async with visitor.session.get(visitor.url + "/") as page:
            assert page.status == 200


async def test_a_link_of_another_site_opens_the_page_and_reads_no_lesson(service: Service) -> None:
    _, visitor, _ = service
    from_elsewhere = {"Sec-Fetch-Site": "cross-site"}

    for path, status in (("/", 200), ("/page/main.js", 200), ("/v1/lessons", 403)):
        async with visitor.session.get(visitor.url + path, headers=from_elsewhere) as response:
            assert response.status == status


async def test_the_page_names_all_its_modules_at_once(service: Service) -> None:
    _, visitor, _ = service

    async with visitor.session.get(visitor.url + "/") as page:
        named = re.findall('rel="modulepreload" href="(.+?)"', await page.text())

    assert "/page/main.js" in named
    for path in named:
        async with visitor.session.get(visitor.url + path) as module:
            assert module.status == 200
            assert module.content_type == "text/javascript"


async def test_the_page_loads_nothing_from_elsewhere(service: Service) -> None:
    _, visitor, _ = service

    async with visitor.session.get(visitor.url + "/") as page:
        policy, text = page.headers["Content-Security-Policy"].split("; "), await page.text()

    assert policy[:3] == ["default-src 'none'", "script-src 'self'", "style-src 'self'"]
    assert {"connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} < set(policy)
    assert "//" not in text
    assert "<script>" not in text


# A class


async def test_the_instructor_brings_every_visitor_to_a_place(service: Service) -> None:
    _, visitor, instructor = service

    assert (await instructor.post("/sim/lessons/steer", {"place": PLACE})).status == 200
    kept = (await visitor.get("/v1/lessons/lead")).document
    await instructor.post("/sim/lessons/release")

    assert (kept["place"], kept["isKept"]) == (PLACE, True)
    assert (await visitor.get("/v1/lessons/lead")).document["isKept"] is False


async def test_predictions_of_visitors_are_counted_until_the_next_place(service: Service) -> None:
    _, visitor, instructor = service
    await instructor.post("/sim/lessons/steer", {"place": PLACE})
    for choice in ("yes", "no", "yes"):
        await visitor.post("/v1/lessons/predict", {"choice": choice})

    counted = (await instructor.get("/v1/lessons/lead")).document["predictions"]
    moved = (await instructor.post("/sim/lessons/steer", {"place": PLACE})).document

    assert counted == {"yes": 2, "no": 1}
    assert moved["predictions"] == {}


async def test_a_class_of_thirty_is_served_at_once(service: Service) -> None:
    _, visitor, _ = service
    window = {"fromUs": 9_000_000, "toUs": 14_000_000}

    answers = await asyncio.gather(
        *(story(visitor) for _ in range(30)),
        *(visitor.get(f"/v1/lessons/{LESSON}/film", **window) for _ in range(30)),
    )

    assert [answer.status for answer in answers] == [200] * 60


# Limits


async def test_too_many_questions_are_refused_with_what_to_do(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    kraft, visitor, _ = service
    monkeypatch.setattr(shared_answers, "WAITING_MAX", 2)
    await story(visitor)
    waiting = await asked(visitor, kraft, 2)

    refused = await story(visitor, seed=3)
    kept = await story(visitor)
    os.kill(player(kraft), signal.SIGCONT)

    assert refused.status == 503
    assert refused.message == "lessons: too many visitors ask at once: try again in a few seconds"
    assert kept.status == 200
    assert [(await each).status for each in waiting] == [200, 200]


async def test_a_question_that_takes_too_long_is_given_up_and_the_next_one_is_answered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    kraft, visitor, _ = service
    await story(visitor)
    stuck = player(kraft)
    with monkeypatch.context() as patch:
        patch.setattr(process_module, "ANSWER_S", 0.1)
        (question,) = await asked(visitor, kraft, 1)
        given_up = await question

    assert given_up.status == 504
    assert "no answer within 0.1 s: take a shorter scenario, or fewer acts" in given_up.message
    assert (await story(visitor, seed=99)).status == 200
    assert player(kraft) != stuck


async def test_an_answer_that_is_too_long_is_refused_and_the_next_one_is_not(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, visitor, _ = service
    with monkeypatch.context() as patch:
        patch.setattr(process_module, "LINE_BYTES_MAX", 2_000)
        refused = await story(visitor)
        short = await visitor.get(f"/v1/lessons/{LESSON}/why", event=3)

    assert refused.status == 400
    assert "expected an answer of at most 2,000 bytes" in refused.message
    assert short.status == 200


async def test_a_lesson_that_fills_the_memory_is_refused_and_others_are_played(
    service: Service,
) -> None:
    kraft, visitor, _ = service
    await story(visitor)
    full = player(kraft)
    assert resource.prlimit(full, resource.RLIMIT_AS) == (MEMORY_MAX, MEMORY_MAX)
    little = bytes_of(full) + 32 * 1024**2
    resource.prlimit(full, resource.RLIMIT_AS, (little, little))

    refused = await story(visitor, acts=MANY)
    played = await story(visitor, seed=99)

    assert refused.status == 400
    assert refused.message == "expected a smaller lesson, got one that fills the memory"
    assert played.status == 200
    assert player(kraft) != full


async def test_a_killed_process_is_started_again_with_the_next_question(service: Service) -> None:
    kraft, visitor, _ = service
    await story(visitor)
    killed = player(kraft)
    (question,) = await asked(visitor, kraft, 1)

    os.kill(killed, signal.SIGKILL)

    ended = await question
    assert (ended.status, ended.message) == (
        503,
        "lessons: the process that plays them ended: try again",
    )
    assert (await story(visitor, seed=99)).status == 200
    assert player(kraft) != killed


async def test_an_answer_never_reaches_the_visitor_who_asks_next(service: Service) -> None:
    kraft, visitor, _ = service
    await story(visitor)
    stood_still = player(kraft)
    os.kill(stood_still, signal.SIGSTOP)
    first = asyncio.create_task(kraft.lessons.story(LESSON, seed=1))
    await others_run(100)
    first.cancel()
    with suppress(asyncio.CancelledError):
        await first
    with suppress(ProcessLookupError):
        os.kill(stood_still, signal.SIGCONT)

    assert (await story(visitor, OTHER)).document["scenario"] == OTHER


async def test_a_visitor_who_hangs_up_leaves_no_answer_to_the_next_one(service: Service) -> None:
    kraft, visitor, _ = service
    await story(visitor)
    (first,) = await asked(visitor, kraft, 1)
    first.cancel()  # closes the connection
    with suppress(asyncio.CancelledError):
        await first

    second = asyncio.create_task(story(visitor, OTHER))
    await others_run(100)
    os.kill(player(kraft), signal.SIGCONT)

    assert (await second).document["scenario"] == OTHER


# The end


async def test_questions_under_way_start_no_process_after_the_end_of_the_cluster() -> None:
    async with serving() as (kraft, visitor, _):
        await story(visitor)
        lessons, played = kraft.lessons, player(kraft)
        os.kill(played, signal.SIGSTOP)
        questions = [asyncio.create_task(lessons.story(LESSON, seed=seed)) for seed in range(3)]
        await others_run(100)

    answers = await asyncio.gather(*questions, return_exceptions=True)
    assert all("try again" in str(answer) for answer in answers)
    assert lessons._process._process is None
    assert played not in processes()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_process_ends_with_its_service(tmp_path: Path, how: signal.Signals) -> None:
    with kraftsim_up(tmp_path, brokers=1, settings="") as service:
        urlopen(f"{service.url}/v1/lessons/{LESSON}/story").close()
        pid = service.process.pid
        (player,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        watched = os.pidfd_open(int(player))

        service.process.send_signal(how)

        assert select.select([watched], [], [], LIMIT_S)[0] == [watched]
        os.close(watched)
