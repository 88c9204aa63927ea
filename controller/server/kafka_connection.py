"""One connection of a client to a Kafka listener: requests in, replies out, in order."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from ..core.apis import is_one_way
from ..core.errors import ApiError, ClosedConnection
from ..core.rpc import ApiVersionsRequest, Request
from ..raft.protocol import Reply
from ..wire import frames
from ..wire.errors import DecodeError
from ..wire.frame_reader import LENGTH_BYTES, without_length
from .admission import address_of, port_of
from .awaited import Awaited, encoded, encoded_at_once
from .connection.exchanges import Exchanges
from .connection.large_frame import LargeFrame, is_worth_it, switch
from .connection.learned import Learned
from .connection.outgoing import JOINED_BYTES_MAX, WRITE_BUFFER_BYTES_MAX, Outgoing
from .envelope import Forwarded, open_envelope, refused_envelope
from .idleness import Idleness
from .large_requests import LARGE_BYTES
from .listener import Listener, ShortPath, Whole
from .muting import Muting
from .runtime import Runtime
from .turns import REQUESTS_PER_VISIT, in_turns

log = logging.getLogger(__name__)
ReplyTo = Callable[[Reply], None]


class KafkaConnection(asyncio.Protocol):
    """One connection of a client at `address`; `unread_bytes` have arrived and were not handled."""

    def __init__(self, listener: "Listener[KafkaConnection]") -> None:
        self._listener = listener
        self._reader = listener.new_reader()
        self._outgoing = Outgoing()
        self._exchanges = Exchanges(listener, self)
        self._learned = Learned()
        self._awaited: Awaited | None = None
        self._muting = Muting()
        self._is_working = self._cannot_write = self._is_paused = False
        self._is_input_closed = self._is_silent = False
        self.is_held = False  # a fault holds the pending request: time does not bring its reply
        self.address, self.port = "", 0
        self.unread_bytes = 0  # as noted in the runtime
        self.waits_for_room = False  # its next request is large, and others are pending
        self._idleness = Idleness()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection, or abort it if the listener has too many."""
        transport = cast(asyncio.Transport, transport)  # uvloop's class does not inherit from it
        self.address, self.port = address_of(transport), port_of(transport)
        if not self._listener.admit(self, transport):
            transport.abort()
            return
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES_MAX)
        self._transport = transport
        self.hold(self._listener.is_holding)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the pending requests of a closed connection."""
        self._listener.forget(self, self.address)
        self._transport, self._learned = None, Learned()  # it has a log, maybe the last to have it
        self._reader = self._listener.new_reader()
        self._note_unread()

    def eof_received(self) -> bool:
        """A client that closed its sending side still gets all pending replies."""
        self._is_input_closed = True
        self._mind_backlog()
        return True

    def pause_writing(self) -> None:
        """Called by asyncio when the client does not read its replies."""
        self._cannot_write = True

    def resume_writing(self) -> None:
        """Called by asyncio when the client has read its replies."""
        self._cannot_write = False
        self.work()

    @property
    def awaited(self) -> Request | None:
        """The request whose reply is pending, or whose mute another request waits for."""
        is_over = self._muting.is_on and not self._reader.has_frame
        return None if self._awaited is None or is_over else self._awaited[2]

    def drop(self) -> None:
        """Abort the connection."""
        if self._transport is not None:
            self._transport.abort()

    def hold(self, holding: bool) -> None:
        """Pause reading if `holding`, otherwise resume."""
        if self._transport is None:
            return
        if holding:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
            self._work_soon()

    def data_received(self, data: bytes) -> None:
        """Keep the bytes, and handle the requests that they complete."""
        if self._is_silent:
            return
        reader = self._reader
        if reader.data:
            reader.feed(data)
        else:
            reader.data = data
        self.work()
        if reader.data and is_worth_it(reader):
            self._receive_apart()

    def _receive_apart(self) -> None:
        """Let the rest of a large request arrive in a buffer of its own."""
        reader, runtime, transport = self._reader, self._listener.runtime, self._transport
        is_reading = not (self._is_paused or self._is_input_closed or self._listener.is_holding)
        if runtime is None or transport is None or transport.is_closing() or not is_reading:
            return
        rest = reader.open_buffer(runtime.buffers.take(reader.next_bytes + LENGTH_BYTES))
        self._note_unread()
        LargeFrame(self, transport, reader, rest).begin()

    def request_arrived(self, transport: asyncio.Transport) -> None:
        """Handle a large request that has arrived in its buffer."""
        switch(transport, self)
        self.work()

    def work(self) -> None:
        """Handle requests until a reply is pending, the client does not read or the turn ends."""
        listener, reader, runtime = self._listener, self._reader, self._listener.runtime
        if self._is_working or self._transport is None or runtime is None:
            return
        self._is_working = True
        runtime.turns.join(self)
        handled = 0
        try:
            while not (
                self._awaited or self._cannot_write or self._is_silent or listener.is_holding
            ):
                if handled:
                    if not reader.data:
                        break
                    if handled == REQUESTS_PER_VISIT or runtime.turns.is_over:
                        self._put_off()
                        break
                if (runtime.large.is_full or self.waits_for_room) and self._must_wait(runtime):
                    break
                whole = reader.take_whole()
                if whole is None:
                    break
                handled += 1
                self._handle(whole)
                if len(whole) > JOINED_BYTES_MAX and type(whole) is bytearray:
                    runtime.buffers.give(whole)
        except DecodeError as error:
            self.flush()  # malformed bytes close this connection only, after its replies
            self.refuse(str(error))
        finally:
            self._is_working = False
        self._idleness.handled += handled
        if self._reader.data or self.unread_bytes:
            self._note_unread()
        if self._reader.data or self._is_paused or self._is_input_closed:
            self._mind_backlog()

    def _must_wait(self, runtime: Runtime) -> bool:
        """True if the next request is large, and has to wait until others are answered."""
        reader = self._reader
        is_large = len(reader.data) > LARGE_BYTES and reader.next_bytes > LARGE_BYTES
        self.waits_for_room = is_large and runtime.large.is_full
        if self.waits_for_room:
            runtime.large.wait(self)
        return self.waits_for_room

    def _handle(self, whole: Whole) -> None:
        """Handle one request; its reply is pending if it does not come at once."""
        listener, exchange = self._listener, self._exchanges.last
        short = self._learned.short
        if (
            short is not None
            and short.matches(whole)
            and type(short.request) not in listener.intercepted
        ):
            self._handle_shortly(short, whole)
            return
        frame = without_length(whole)
        request = None if exchange is None else exchange.repeated(frame)
        if exchange is None or request is None:
            found = self._exchanges.of(frame)
            if isinstance(found, bytes):
                self._put((found,))
                return
            exchange = found
            if exchange.is_envelope:
                self._handle_envelope(exchange, frame)
                return
            request = exchange.decode(frame)
        listener.note(self.address, exchange.header, frame)
        if exchange.is_api_versions and type(request) not in listener.intercepted:
            described = cast(ApiVersionsRequest, request)
            self._put((self._exchanges.described(exchange, frame, described),))
        else:
            self._learned.learn(exchange, request, whole, listener.shortened)
            self._dispatch(exchange, request, frame)

    def _handle_shortly(self, short: ShortPath, whole: Whole) -> None:
        """Handle one request on its short path, or decode it if that cannot answer it."""
        exchange = short.exchange
        self._listener.note(self.address, exchange.header, memoryview(whole)[LENGTH_BYTES:])
        pieces = short.answer(whole, self)
        if pieces:
            if self._outgoing.put(pieces) > WRITE_BUFFER_BYTES_MAX:
                self.flush()
        elif pieces is None:
            frame = without_length(whole)
            self._dispatch(exchange, exchange.decode(frame), frame)
        else:
            self._awaited = (exchange, bytes(whole[8:12]), short.request)  # its correlation id

    def _dispatch(
        self, exchange: frames.Exchange | Forwarded, request: Request, frame: bytes
    ) -> None:
        """Hand a request over, to faults about it if there are; a large one is counted."""
        listener, reply_to = self._listener, cast(ReplyTo, self.reply)
        self._awaited = (exchange, frame[4:8], request)
        if type(request) in listener.intercepted and listener.intercept is not None:
            listener.intercept(self, exchange.header, request)
            return
        if len(frame) > LARGE_BYTES and listener.runtime is not None:
            reply_to = listener.runtime.large.counted(len(frame), reply_to)
        listener.dispatch(request, reply_to)

    def _handle_envelope(self, exchange: frames.Exchange, frame: bytes) -> None:
        """Handle the request in an envelope; an invalid envelope is refused at once."""
        listener = self._listener
        try:
            forwarded = open_envelope(exchange, frame, listener.spoken)
        except ApiError as error:
            listener.note(self.address, exchange.header, frame)
            self._put((refused_envelope(exchange, frame[4:8], error),))
            return
        listener.note(forwarded.address, forwarded.header, forwarded.frame)
        self._dispatch(forwarded, forwarded.request, frame)

    def _put_off(self) -> None:
        """Handle the requests that remain in a later visit."""
        runtime = self._listener.runtime
        if runtime is not None and self._reader.has_frame:
            runtime.turns.put_off(self)

    def _work_soon(self) -> None:
        """Handle requests later, because the timeline must not be entered within a step."""
        runtime = self._listener.runtime
        if runtime is not None:
            runtime.call_soon(self.work)

    def reply(self, reply: Reply) -> None:
        """Encode the reply; it leaves with the other replies of its read, or alone if late.

        A refusal ends the connection of a client that expects no response, as in Kafka.
        """
        awaited, runtime = self._awaited, self._listener.runtime
        if awaited is None or self._transport is None or runtime is None or self._muting.is_on:
            return
        delays, client = runtime.delays_reply, (self.address, awaited[0].header.client_id)
        if delays is not None and delays(client, awaited[2], reply, partial(self.reply, reply)):
            return
        self._muting.note(awaited, reply)
        is_unheard = is_one_way(awaited[2])
        if isinstance(reply, ClosedConnection) or (is_unheard and isinstance(reply, ApiError)):
            self.end()
        elif is_unheard:
            self._go_on(awaited)
        elif isinstance(frame := encoded(awaited, reply), bytes):
            self.send((frame,))
        else:
            in_turns(runtime.turns, self._encode(awaited, frame))

    def _encode(self, awaited: Awaited, steps: frames.Steps) -> Iterator[None]:
        """Reply with the frame that the steps return, unless the request is dropped meanwhile."""
        frame = yield from steps
        if self._awaited is not None and self._awaited[1:] == awaited[1:]:
            self.send((frame,))

    def send(self, pieces: Sequence[bytes]) -> None:
        """Send the reply to the pending request, unless it was dropped."""
        if self._awaited is not None and self._transport is not None:
            self._put(pieces)
            self._go_on(self._awaited)

    def _go_on(self, answered: Awaited) -> None:
        """Handle the requests behind one that was answered, once the client is not muted."""
        runtime = self._listener.runtime
        if runtime is None or not self._muting.waits(runtime, answered, self._go_on):
            self._awaited = None
        if not self._is_working:
            self._continue_soon()

    def reply_damaged(self, reply: Reply, change: Callable[[bytes], bytes], closes: bool) -> None:
        """Reply with changed bytes; then close the connection if `closes`."""
        awaited = self._awaited
        if awaited is None or self._transport is None:
            return
        self._put((change(encoded_at_once(awaited, reply)),))
        if closes:
            self.end()
        else:
            self._go_on(awaited)

    def end(self) -> None:
        """Close the connection after the replies so far; the pending request gets none."""
        self._awaited, self._is_silent = None, True
        self.flush()
        self._close()

    def fall_silent(self) -> None:
        """Reply to nothing more, and forget all later bytes, until the client disconnects."""
        self._awaited, self._is_silent = None, True
        self._reader = self._listener.new_reader()
        self._note_unread()
        if not self._is_working:
            self._mind_backlog()

    def _continue_soon(self) -> None:
        """Write a late reply, at the end of a turn; requests that remain wait for a visit."""
        runtime = self._listener.runtime
        has_backlog = self._reader.data or self._is_paused or self._is_input_closed
        if not has_backlog and runtime is not None and runtime.turns.is_under_way:
            runtime.turns.join(self)
        elif self._reader.has_frame and runtime is not None:
            runtime.call_soon(self.flush)
            self._put_off()
        else:
            self._work_soon()

    def _put(self, pieces: Sequence[bytes]) -> None:
        if self._outgoing.put(pieces) > WRITE_BUFFER_BYTES_MAX:
            self.flush()  # large replies are written early; a slow reader delays its own

    def flush(self) -> None:
        """Write all encoded replies in one write."""
        self._outgoing.write(self._transport)

    def _mind_backlog(self) -> None:
        """Pause reading while requests are pending; close a finished connection."""
        transport = self._transport
        if transport is None or transport.is_closing() or self._listener.is_holding:
            return
        if self._reader.has_frame:
            self._is_paused = True
            transport.pause_reading()
        elif self._is_input_closed and self._awaited is None:
            self.flush()
            transport.close()
        elif self._is_paused:
            self._is_paused = False
            transport.resume_reading()

    def _note_unread(self) -> None:
        runtime = self._listener.runtime
        if runtime is not None:
            self.unread_bytes = self._reader.held_bytes
            runtime.unread.note(self, self.unread_bytes)

    def close_if_stuck(self) -> None:
        """Close the connection if nothing has moved in it for too long; called every LOOK_S."""
        idleness = self._idleness
        idleness.look(is_waiting=self._awaited is not None or self.waits_for_room)
        if idleness.is_too_long:
            self._close()  # as Kafka does, without a line in the log
        elif idleness.is_stuck and self._cannot_write:
            self.refuse("expected the client to read its replies")
        elif idleness.is_stuck and self._reader.data:
            self.refuse("expected the rest of a request")

    def refuse(self, reason: str) -> None:
        """Close the connection, with a line in the log that gives the reason."""
        log.warning(
            "%s: closing the connection from %s: %s", self._listener.name, self.address, reason
        )
        self._close()

    def _close(self) -> None:
        self._reader = self._listener.new_reader()
        self._note_unread()
        transport = self._transport
        if transport is None:
            return
        if self._cannot_write:
            transport.abort()  # a client that does not read would keep its replies in memory
        else:
            transport.close()
