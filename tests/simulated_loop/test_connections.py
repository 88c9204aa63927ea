"""Connections between processes of a simulated world behave as TCP does."""

import asyncio
import errno
import socket
import ssl
from pathlib import Path

import pytest

from tests.simulated_loop.worlds import World

CERTIFICATE = Path(__file__).with_name("localhost.pem")  # with its key; valid for a century


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def upper(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def serves() -> None:
    server = await asyncio.start_server(upper, "service", 80)
    await server.serve_forever()


async def ask(text: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    writer.write(text + b"\n")
    return await reader.readline()


def test_each_segment_takes_the_delay_of_the_network() -> None:
    world = World()
    world.links.lag_us = 50_000
    world.start("service", serves)

    async def main() -> tuple[bytes, float]:
        reader, writer = await asyncio.open_connection("service", 80)
        answer = await ask(b"hello", reader, writer)
        writer.close()
        return answer, now_s()

    assert world.run(main()) == (b"HELLO\n", 0.2)


def test_a_cut_loses_nothing_of_a_stream() -> None:
    world = World()
    world.start("service", serves)

    async def main() -> tuple[bytes, float]:
        reader, writer = await asyncio.open_connection("service", 80)
        world.links.isolate("test", "service")
        asyncio.get_running_loop().call_later(3, world.links.heal)
        answer = await ask(b"hello", reader, writer)
        writer.close()
        return answer, now_s()

    assert world.run(main()) == (b"HELLO\n", 6.2)  # sent again after 0.2 + 0.4 + ... + 3.2 s


def test_a_stream_ends_once_a_cut_has_lasted_for_fifteen_minutes() -> None:
    world = World()
    world.start("service", serves)

    async def main() -> float:
        reader, writer = await asyncio.open_connection("service", 80)
        world.links.isolate("test", "service")
        with pytest.raises(TimeoutError) as raised:
            await ask(b"hello", reader, writer)
        assert raised.value.errno == errno.ETIMEDOUT
        writer.close()
        return now_s()

    assert 924 <= world.run(main()) < 1_044


def test_a_connection_that_is_cut_off_fails_after_the_last_handshake() -> None:
    world = World()
    world.start("service", serves)
    world.links.isolate("test", "service")

    async def main() -> float:
        with pytest.raises(TimeoutError):
            await asyncio.open_connection("service", 80)
        return now_s()

    assert world.run(main()) == 127  # after SYN at 0, 1, 3, 7, 15, 31 and 63 s


def test_nobody_listens_and_nobody_has_the_name() -> None:
    async def main() -> None:
        with pytest.raises(ConnectionRefusedError, match=r"no server listens at 127\.0\.0\.1:80"):
            await asyncio.open_connection("127.0.0.1", 80)
        with pytest.raises(OSError, match="no node of the simulated network has the name 'kafka'"):
            await asyncio.open_connection("kafka", 80)

    World().run(main())


def test_a_killed_process_resets_its_connections() -> None:
    world = World()
    process = world.start("service", serves)

    async def main() -> None:
        reader, writer = await asyncio.open_connection("service", 80)
        assert await ask(b"hello", reader, writer) == b"HELLO\n"
        process.kill()
        with pytest.raises(ConnectionResetError):
            await reader.readline()
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("service", 80)
        process.start()
        await asyncio.sleep(1)
        reader, writer = await asyncio.open_connection("service", 80)
        assert await ask(b"again", reader, writer) == b"AGAIN\n"
        writer.close()

    world.run(main())


def test_a_paused_process_answers_once_it_goes_on() -> None:
    world = World()
    process = world.start("service", serves)

    async def main() -> float:
        reader, writer = await asyncio.open_connection("service", 80)
        process.pause()
        asyncio.get_running_loop().call_later(60, process.resume)
        assert await ask(b"hello", reader, writer) == b"HELLO\n"
        writer.close()
        return now_s()

    assert world.run(main()) == 60


def test_a_writer_waits_for_a_reader_that_does_not_read() -> None:
    world = World()

    async def main() -> int:
        arrived = asyncio.Event()

        async def reads_late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await arrived.wait()
            while await reader.read(65_536):
                pass
            writer.close()

        server = await asyncio.start_server(reads_late, "127.0.0.1", 80)
        _, writer = await asyncio.open_connection("127.0.0.1", 80)
        sent = 0
        try:
            while True:
                writer.write(bytes(65_536))
                async with asyncio.timeout(1):
                    await writer.drain()
                sent += 65_536
        except TimeoutError:
            arrived.set()
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        server.close()
        return sent

    assert 256 * 1024 <= world.run(main()) <= 1024 * 1024


def test_a_closed_end_answers_data_by_a_reset() -> None:
    world = World()

    async def hangs_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(hangs_up, "127.0.0.1", 80)
        reader, writer = await asyncio.open_connection("127.0.0.1", 80)
        assert await reader.read() == b""
        writer.write(b"late")
        await asyncio.sleep(1)
        writer.write(b"later")
        with pytest.raises(ConnectionResetError):
            await writer.drain()
        server.close()

    world.run(main())


def test_a_stream_is_encrypted_as_in_asyncio() -> None:
    world = World()
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(CERTIFICATE)
    ours = ssl.create_default_context(cafile=CERTIFICATE)

    async def main() -> bytes:
        server = await asyncio.start_server(upper, "127.0.0.1", 443, ssl=theirs)
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", 443, ssl=ours, server_hostname="localhost"
        )
        answer = await ask(b"hello", reader, writer)
        writer.close()
        await writer.wait_closed()
        server.close()
        return answer

    assert world.run(main()) == b"HELLO\n"


def test_every_host_listens_at_a_port_of_its_own() -> None:
    world = World()

    async def serves_everywhere() -> None:
        server = await asyncio.start_server(upper, None, 80)
        await server.serve_forever()

    for name in ("first", "second"):
        world.start(name, serves_everywhere)

    async def main() -> list[bytes]:
        answers = []
        for host in ("first", "second", "localhost"):
            reader, writer = await asyncio.open_connection(host, 80)
            answers.append(await ask(host.encode(), reader, writer))
            writer.close()
        return answers

    assert world.run(main()) == [b"FIRST\n", b"SECOND\n", b"LOCALHOST\n"]


def test_what_arrived_before_a_reset_is_read_before_it() -> None:
    world = World()

    async def says_and_waits(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\n")

    async def serves_once() -> None:
        server = await asyncio.start_server(says_and_waits, "service", 80)
        await server.serve_forever()

    service = world.start("service", serves_once)

    async def main() -> bytes:
        reader, writer = await asyncio.open_connection("service", 80)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(1)
        service.kill()
        await asyncio.sleep(1)
        writer.transport.resume_reading()  # type: ignore[attr-defined]
        line = await reader.readline()
        with pytest.raises(ConnectionResetError):
            await reader.read()
        return line

    assert world.run(main()) == b"hello\n"


def test_a_transport_closes_the_socket_that_it_was_given() -> None:
    world = World()
    world.start("service", serves)

    async def main() -> int:
        loop, sock = asyncio.get_running_loop(), socket.socket()
        await asyncio.sleep(1)
        await loop.sock_connect(sock, ("service", 80))
        transport, _ = await loop.create_connection(asyncio.Protocol, sock=sock)
        transport.close()
        return sock.fileno()

    assert world.run(main()) == -1


def test_a_buffer_counts_what_waits_for_room() -> None:
    world, sizes = World(), list[int]()
    world.start("service", serves)

    async def main() -> None:
        reader, writer = await asyncio.open_connection("service", 80)
        for _ in range(3):
            writer.write((b"x" * 99 + b"\n") * 2_000)
            sizes.append(writer.transport.get_write_buffer_size())
        for _ in range(6_000):
            await reader.readline()
        sizes.append(writer.transport.get_write_buffer_size())
        writer.close()

    world.run(main())

    assert sizes == [0, 400_000 - 256 * 1024, 600_000 - 256 * 1024, 0]
