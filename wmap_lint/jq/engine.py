"""Evaluation of jq programs in a process of its own, many at a time (floor 0).

Programs come from strangers. They run in :mod:`wmap_lint.jq.worker`, which has no environment, no files and
little memory. Here is the other side: it hands over all programs and inputs at once, watches outcomes come in
one by one and in order, and replaces the worker when a program hangs, takes too much memory or crashes it. By
the outcomes that came in it is known which program that was: it fails, and the others go on.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import functools
import importlib.util
import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from wmap_lint.jq import worker as protocol
from wmap_lint.jq.analysis import Analysis, analyse

JSONValue = Any


@dataclass(frozen=True, slots=True)
class Values:
    """The results of a program, in order; there may be none. Numbers are as :func:`normalise` gives them."""

    values: tuple[JSONValue, ...]


class FailureKind(enum.Enum):
    """Why a program has no results."""

    ERROR = "error"
    """jq raised an error, or the program halted."""
    COMPILE = "compile"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    """More memory or more output than allowed."""
    CRASH = "crash"
    TOO_MANY = "too many"
    """As many results as consumers refuse (SEMANTICS 2.1)."""
    SKIPPED = "skipped"
    """Not evaluated: the time of the whole call was spent."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A program that gave no results; ``message`` is jq's own where there is one."""

    kind: FailureKind
    message: str


Outcome = Values | Failure


@dataclass(frozen=True, slots=True)
class Limits:
    """What programs may use.

    ``memory_bytes``: address space of the worker. ``program_seconds``: processor time of one program on one
    input. ``batch_seconds``: the same for compiling the programs of a call. ``total_seconds``: wall clock of
    a call. ``max_results``: of one program on one input. ``input_bytes``: of one input, as JSON; ten times
    what a cluster stores is taken, and anything larger would only use up the memory. ``output_bytes``: of one
    outcome, as JSON. ``total_output_bytes``: of all outcomes of a call.
    """

    memory_bytes: int = 512 * 1024 * 1024
    program_seconds: float = 1.0
    batch_seconds: float = 5.0
    total_seconds: float = 30.0
    max_results: int = 999
    input_bytes: int = 16 * 1024 * 1024
    output_bytes: int = 8 * 1024 * 1024
    total_output_bytes: int = 128 * 1024 * 1024


class EngineUnavailable(RuntimeError):  # noqa: N818 - it says what is the case
    """jq cannot be run at all; the message is one line."""


MAX_DEPTH = 300
_WALL_FACTOR = 10  # a program that gets no processor is given up after this many times its seconds
_LARGEST_EXACT = 2**53
_WRITTEN_IN_FULL = 10**21
_READ_BYTES = 1 << 18
_MANY_INPUTS = 20
_PATIENCE_SECONDS = 0.001
_PIPE_BYTES = 1 << 20
_LOG_BYTES = 4096
_MOST_UNCOMPILABLE = 1000


_TEXT = frozenset({str})


def normalise(value: JSONValue) -> JSONValue:
    """``value`` as consumers see it: keys sorted, every number a float64.

    An integral number below 1e21 is an int, with the digits consumers print, any other a float; what JSON has no
    number for is None. Keys are strings afterwards. ValueError when it is nested deeper than :data:`MAX_DEPTH`.
    """
    return _normalise(value, MAX_DEPTH)


def _normalise(value: JSONValue, depth: int) -> JSONValue:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        return _integer(value)
    if kind is float:
        return _float(value)
    if depth == 0 and isinstance(value, (dict, list, tuple)):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        if not _TEXT.issuperset(map(type, value)):
            value = {key if isinstance(key, str) else str(key): item for key, item in value.items()}
        depth -= 1
        return {key: item if type(item := value[key]) is str else _normalise(item, depth) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        depth -= 1
        return [item if type(item) is str else _normalise(item, depth) for item in value]
    # Subclasses, of which YAML libraries have some, and what is no JSON.
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return _integer(value)
    return _float(value) if isinstance(value, float) else str(value)


def _integer(number: int) -> int | float | None:
    if -_LARGEST_EXACT <= number <= _LARGEST_EXACT:
        return number
    try:
        return _float(float(number))
    except OverflowError:
        return sys.float_info.max if number > 0 else -sys.float_info.max


def _float(number: float) -> int | float | None:
    if not math.isfinite(number):
        return None
    if not number.is_integer() or abs(number) >= _WRITTEN_IN_FULL:
        return number
    # jq writes what it was given: a 1e+20 would come out as 1E+20. Consumers write the shortest digits that are the
    # same float64, and zeros.
    return int(number) if abs(number) <= _LARGEST_EXACT else int(Decimal(repr(number)))


def _result_float(text: str) -> int | float | None:
    """A number of a result. What is too large for a float64 is the largest one, as gojq writes it."""
    return _float(min(max(float(text), -sys.float_info.max), sys.float_info.max))


def _result_integer(text: str) -> int | float | None:
    return _result_float(text) if len(text) > 16 else _integer(int(text))


_ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # a normalised value has no circles
_DECODER = json.JSONDecoder(parse_float=_result_float, parse_int=_result_integer, parse_constant=lambda _: None)


class _Died(Exception):  # noqa: N818
    """The worker is no more; ``kind`` and ``message`` say why."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Engine:
    """Evaluates programs; close it, or use it as a context manager. Not for several threads."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = Limits() if limits is None else limits
        self._worker: _WorkerProcess | None = None
        self._uncompilable: dict[str, str] = {}

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the worker, if there is none, and do not wait for it. EngineUnavailable without jq."""
        if self._worker is None:
            self._worker = _WorkerProcess(self.limits)

    def close(self) -> None:
        """End the worker. The engine can be used again."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def evaluate(self, programs: Sequence[str], inputs: Sequence[JSONValue]) -> list[list[Outcome]]:
        """The outcome of every program on every input: ``result[program][input]``.

        Each input is normalised first. Once a program has hung, crashed or run out of memory on an input, it
        is not tried on those after that, which get the same failure. EngineUnavailable when jq cannot run.
        """
        return _Evaluation(self, programs, inputs).run()

    def running(self) -> _WorkerProcess:
        """A worker that is ready for a request."""
        if self._worker is None:
            self.start()
        assert self._worker is not None
        return self._worker

    def remember_uncompilable(self, program: str, message: str) -> None:
        """Spare later calls the compilation of a program that does not compile."""
        if len(self._uncompilable) >= _MOST_UNCOMPILABLE:
            self._uncompilable.clear()
        self._uncompilable[program] = message

    def uncompilable(self, program: str) -> str | None:
        """Why a program does not compile, if that is known already."""
        return self._uncompilable.get(program)


class _Evaluation:
    """One call of :meth:`Engine.evaluate`."""

    def __init__(self, engine: Engine, programs: Sequence[str], inputs: Sequence[JSONValue]) -> None:
        self.engine = engine
        self.limits = engine.limits
        self.programs = list(programs)
        self.deadline = time.monotonic() + self.limits.total_seconds
        self.outcomes: list[list[Outcome | None]] = [[None] * len(inputs) for _ in programs]
        self.output_left = self.limits.total_output_bytes
        self.inputs: list[tuple[int, str]] = []
        for index, value in enumerate(inputs):
            try:
                text = _ENCODE(normalise(value))
                if len(text) > self.limits.input_bytes:
                    raise ValueError(f"it has {len(text):,} bytes, more than {self.limits.input_bytes:,}")
                self.inputs.append((index, text))
            except (ValueError, RecursionError) as error:
                failure = Failure(FailureKind.ERROR, f"the input cannot be given to jq: {error}")
                for row in self.outcomes:
                    row[index] = failure

    def run(self) -> list[list[Outcome]]:
        """All outcomes."""
        candidates = []
        for index, program in enumerate(self.programs):
            message = self.engine.uncompilable(program)
            if message is None and _is_text(program):
                candidates.append(index)
            else:
                self.fail(index, 0, Failure(FailureKind.COMPILE, message or "the program is not text"))
        if self.inputs:
            self.evaluate(candidates)
        spent = f"not evaluated: {self.limits.total_seconds:g} seconds were spent before"
        skipped = Failure(FailureKind.SKIPPED, spent)
        return [[skipped if outcome is None else outcome for outcome in row] for row in self.outcomes]

    def fail(self, program: int, at: int, failure: Failure) -> None:
        """Give a failure to a program on its inputs from position ``at`` of those in use."""
        for index, _ in self.inputs[at:]:
            self.outcomes[program][index] = failure

    def evaluate(self, candidates: list[int]) -> None:
        """Evaluate programs (by index) on all inputs, in as many workers as it takes."""
        batches = [candidates]
        while batches:
            batch = batches.pop()
            if not batch or time.monotonic() >= self.deadline:
                continue
            progress = _Progress(batch)
            try:
                self.evaluate_batch(progress)
            except _Died as death:
                self.engine.close()
                if time.monotonic() >= self.deadline and death.kind is FailureKind.TIMEOUT:
                    return
                if progress.compiled:
                    culprit = progress.current()
                    self.fail(culprit, progress.at, Failure(death.kind, death.message))
                    batches.append([program for program in batch if self.first_open(program) < len(self.inputs)])
                elif len(batch) == 1:
                    self.fail(batch[0], 0, Failure(death.kind, death.message))
                else:  # it died while compiling, of which nothing tells whose fault it is
                    batches += [batch[len(batch) // 2 :], batch[: len(batch) // 2]]
            except BaseException:
                self.engine.close()  # what is still in the pipe must not answer the next call
                raise

    def evaluate_batch(self, progress: _Progress) -> None:
        """Have one worker evaluate what a batch has left; _Died when it does not survive that."""
        batch = progress.batch
        start = min((self.first_open(program) for program in batch), default=len(self.inputs))
        if start == len(self.inputs):
            return
        progress.at = start
        skip = next(i for i, program in enumerate(batch) if self.first_open(program) == start)
        request = {
            "programs": [self.programs[program] for program in batch],
            "inputs": [text for _, text in self.inputs[start:]],
            "skip": skip,
            "single": [position for position, program in enumerate(batch) if _is_single(self.programs[program])],
            "cpu": max(self.deadline - time.monotonic(), 0),
        }
        worker = self.engine.running()
        worker.request(json.dumps(request, separators=(",", ":")).encode(), len(self.inputs) - start >= _MANY_INPUTS)
        excluded: set[int] = set()
        limit = self.limits.batch_seconds
        progress.position = skip
        while True:
            at, position, kind, payload = worker.frame(limit, self.deadline)
            if kind == protocol.DONE:
                return
            if kind == protocol.COMPILED:
                progress.compiled = True
                limit = self.limits.program_seconds
            elif kind == protocol.NOT_COMPILED:
                program = batch[position]
                message = _first_lines(payload)
                self.engine.remember_uncompilable(self.programs[program], message)
                self.fail(program, 0, Failure(FailureKind.COMPILE, message))
                excluded.add(position)
                progress.excluded = excluded
                progress.settle(len(self.inputs))
                continue
            else:
                index = self.inputs[start + at][0]
                self.outcomes[batch[position]][index] = self.outcome(kind, payload)
                progress.at, progress.position = start + at, position + 1
            progress.settle(len(self.inputs))

    def first_open(self, program: int) -> int:
        """The position of the first input on which a program has no outcome yet."""
        row = self.outcomes[program]
        return next((at for at, (index, _) in enumerate(self.inputs) if row[index] is None), len(self.inputs))

    def outcome(self, kind: int, payload: bytes) -> Outcome:
        """What a frame says about a program."""
        limits = self.limits
        if kind == protocol.TOO_LARGE or len(payload) > self.output_left:
            return Failure(FailureKind.MEMORY, "the program produces too much output")
        self.output_left -= len(payload)
        if kind == protocol.RAISED:
            return Failure(FailureKind.ERROR, payload.decode())
        if kind == protocol.HALTED:
            return Failure(FailureKind.ERROR, "the program halts")
        if kind == protocol.OUT_OF_MEMORY:
            return Failure(FailureKind.MEMORY, _memory_message(limits))
        if _is_deep(payload):
            return Failure(FailureKind.ERROR, "the result is nested too deeply")
        try:
            result = _DECODER.decode(payload.decode())
        except (ValueError, RecursionError):
            return Failure(FailureKind.ERROR, "the result is nested too deeply")
        if isinstance(result, list):
            return Values(tuple(result))
        if isinstance(result, dict):
            return Failure(FailureKind.ERROR, str(result["e"]))
        return Failure(FailureKind.TOO_MANY, f"the program gives more than {limits.max_results} results")


def _is_deep(payload: bytes) -> bool:
    """Whether a JSON text is nested deeper than :data:`MAX_DEPTH` within its outermost list.

    How deep Python's own decoder goes differs between its versions.
    """
    if payload.count(b"[") + payload.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _NESTING.finditer(payload):
        if match[0] in (b"[", b"{"):
            depth += 1
            if depth > MAX_DEPTH + 1:
                return True
        elif match[0] in (b"]", b"}"):
            depth -= 1
    return False


_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')


class _Progress:
    """How far a batch has come: its program at ``position``, on the input at ``at``, is next or running."""

    def __init__(self, batch: list[int]) -> None:
        self.batch = batch
        self.compiled = False
        self.at = 0
        self.position = 0
        self.excluded: set[int] = set()

    def settle(self, inputs: int) -> None:
        """Move on over programs that are not run and over the end of the batch."""
        while self.at < inputs:
            while self.position in self.excluded:
                self.position += 1
            if self.position < len(self.batch) or len(self.excluded) == len(self.batch):
                return
            self.at, self.position = self.at + 1, 0

    def current(self) -> int:
        """The program that is running."""
        return self.batch[min(self.position, len(self.batch) - 1)]


class _WorkerProcess:
    """One worker and the pipes to it."""

    def __init__(self, limits: Limits) -> None:
        specification = importlib.util.find_spec("jq")
        if specification is None or specification.origin is None:
            raise EngineUnavailable("jq expressions cannot be evaluated: the Python package 'jq' is not installed")
        place = Path(specification.origin).resolve()
        if specification.submodule_search_locations:
            place = place.parent
        self.limits = limits
        command = [
            sys.executable,
            *("-I", "-S", str(Path(protocol.__file__).resolve()), str(place.parent)),
            *(str(limits.memory_bytes), str(limits.max_results), str(limits.output_bytes)),
        ]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env={},
                start_new_session=True,
            )
        except OSError as error:
            raise EngineUnavailable(f"jq expressions cannot be evaluated: {error}") from error
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.stderr = self.process.stderr.fileno()
        os.set_blocking(self.stdin, False)
        _widen(self.stdin, self.stdout)
        self.poll = select.poll()
        self.poll.register(self.stdout, select.POLLIN)
        self.poll.register(self.stderr, select.POLLIN)
        self.received = bytearray()
        self.consumed = 0
        self.pending = memoryview(b"")
        self.log = b""
        self.ready = False
        self.patient = False

    def request(self, content: bytes, patient: bool = False) -> None:
        """Hand over a request; it is written while frames are waited for. A ``patient`` one has many answers."""
        self.patient = patient
        if not self.pending:
            self.poll.register(self.stdin, select.POLLOUT)
        self.pending = memoryview(protocol.REQUEST.pack(len(content)) + content)

    def frame(self, seconds: float, deadline: float) -> tuple[int, int, int, bytes]:
        """The next frame: input, program, kind, payload.

        _Died when it takes more than ``seconds`` of processor time, or ten times that by the clock,
        when the clock passes ``deadline``, or when the worker ends by itself.
        """
        frame = self.buffered()
        if frame is not None:
            return frame
        began = time.monotonic()
        used = self.processor_seconds()
        while True:
            now = time.monotonic()
            if now >= deadline:
                self.give_up(f"all programs together ran {self.limits.total_seconds:g} seconds")
            if self.ready and (
                now - began >= _WALL_FACTOR * seconds
                or (now - began >= seconds and self.processor_seconds() - used >= seconds)
            ):
                self.give_up(f"it ran longer than {seconds:g} seconds")
            self.wait(min(max(seconds - (now - began), 0.02), deadline - now))
            frame = self.buffered()
            if frame is not None:
                return frame

    def buffered(self) -> tuple[int, int, int, bytes] | None:
        """The next frame if all of it has been received."""
        size = protocol.FRAME.size
        while len(self.received) - self.consumed >= size:
            on_input, program, kind, length = protocol.FRAME.unpack_from(self.received, self.consumed)
            if length > self.limits.output_bytes:
                raise self.died(FailureKind.CRASH)
            end = self.consumed + size + length
            if len(self.received) < end:
                break
            payload = bytes(memoryview(self.received)[self.consumed + size : end])
            self.consumed = end
            if kind == protocol.READY:
                self.ready = True
                continue
            return on_input, program, kind, payload
        del self.received[: self.consumed]
        self.consumed = 0
        return None

    def wait(self, seconds: float) -> None:
        """Read and write what the pipes allow within some time."""
        if self.patient and not self.pending:
            time.sleep(_PATIENCE_SECONDS)  # let frames gather: waking for each costs more than reading it
        for descriptor, _ in self.poll.poll(math.ceil(max(seconds, 0) * 1000)):
            if descriptor == self.stdin:
                self.write()
                continue
            content = os.read(descriptor, _READ_BYTES)
            if descriptor == self.stderr:
                self.log = (self.log + content)[-_LOG_BYTES:]
                if not content:
                    self.poll.unregister(self.stderr)
            elif content:
                self.received += content
            else:
                raise self.died(None)

    def write(self) -> None:
        """Write as much of the request as the pipe takes."""
        try:
            written = os.write(self.stdin, self.pending[:_READ_BYTES])
        except BlockingIOError:
            return
        except OSError:  # it is dead; reading will tell
            written = len(self.pending)
        self.pending = self.pending[written:]
        if not self.pending:
            self.poll.unregister(self.stdin)

    def processor_seconds(self) -> float:
        """The processor time the worker has used so far; the clock where the system does not tell."""
        if sys.platform.startswith("linux"):
            with contextlib.suppress(OSError, OverflowError):
                return time.clock_gettime((~self.process.pid << 3) | 2)  # clock_getcpuclockid(3)
        return time.monotonic()

    def give_up(self, message: str) -> NoReturn:
        """End a worker that takes too long."""
        self.kill()
        raise _Died(FailureKind.TIMEOUT, message)

    def died(self, kind: FailureKind | None) -> Exception:
        """Why the worker ended, as the exception to raise."""
        status, rss_bytes = self.reap()
        with contextlib.suppress(OSError):
            os.set_blocking(self.stderr, False)
            while content := os.read(self.stderr, _READ_BYTES):
                self.log = (self.log + content)[-_LOG_BYTES:]
        log = self.log.decode("utf-8", "replace").strip()
        self.close_pipes()
        if not self.ready:
            reason = log.splitlines()[-1] if log else f"the worker ended with status {status}"
            return EngineUnavailable(f"jq expressions cannot be evaluated: {reason}")
        if kind is None:
            kind = FailureKind.CRASH
            ended_by = -status
            if ended_by == getattr(signal, "SIGXCPU", None):
                kind = FailureKind.TIMEOUT
            elif (
                "cannot allocate memory" in log
                or "MemoryError" in log
                or ended_by == signal.SIGKILL
                or rss_bytes > self.limits.memory_bytes * 0.7
            ):
                kind = FailureKind.MEMORY
        if kind is FailureKind.TIMEOUT:
            return _Died(kind, "it ran too long")
        if kind is FailureKind.MEMORY:
            return _Died(kind, _memory_message(self.limits))
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        return _Died(kind, f"jq itself crashed on it ({name})")

    def reap(self) -> tuple[int, int]:
        """Wait for the end of the worker, which is killed if need be: its status and its peak memory."""
        if self.process.returncode is None:
            pid, status, usage = 0, 0, None
            for _ in range(50):
                with contextlib.suppress(ChildProcessError):
                    pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
                if pid:
                    break
                time.sleep(0.01)
            else:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(self.process.pid, signal.SIGKILL)
                    pid, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            unit = 1 if sys.platform == "darwin" else 1024
            return self.process.returncode, 0 if usage is None else usage.ru_maxrss * unit
        return self.process.returncode, 0

    def kill(self) -> None:
        """End the worker now."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        self.close_pipes()

    def close_pipes(self) -> None:
        """Close this side of the pipes."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _memory_message(limits: Limits) -> str:
    return f"it takes more than {limits.memory_bytes / 1024 / 1024:g} MiB of memory"


def _first_lines(message: bytes) -> str:
    """jq's message about a program without its decoration."""
    text = message.decode()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else "it does not compile"
    return first.removeprefix("jq: error: ").split(" at <top-level>")[0]


def _widen(*pipes: int) -> None:
    """Let pipes hold more, where the system can, so that neither side waits for the other to look."""
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if size is not None:
        for pipe in pipes:
            with contextlib.suppress(OSError):
                fcntl.fcntl(pipe, size, _PIPE_BYTES)


@functools.lru_cache(maxsize=4096)
def _is_single(program: str) -> bool:
    """Whether a program surely gives one result at most."""
    analysis = analyse(program)
    return (
        isinstance(analysis, Analysis)
        and analysis.runnable
        and not analysis.flow.exhausted
        and analysis.flow.result.most <= 1
    )


def _is_text(program: str) -> bool:
    """Whether jq can be given the text at all; for it a null character ends a program."""
    return re.search("[\0\ud800-\udfff]", program) is None
