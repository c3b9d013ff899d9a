"""The process in which jq runs: it has no environment, no files, little memory, and a parent that kills it.

Run as a script by :mod:`wmap_lint.jq.engine`, never imported by the main process for its effects. It imports
nothing but the standard library and ``jq``, because its start is on the way of every check.

Protocol. A request is ``struct '<I'`` (length) and that many bytes of JSON: ``{"programs": [text…], "inputs":
[JSON text…], "skip": n, "single": [index…], "cpu": seconds}``; ``skip`` leaves out the first ``n`` programs for the
first input, ``single`` are the programs that give one result at most.
Replies are frames: ``struct '<IIBI'`` (input, program, kind, length) and that many bytes. For each input in
order there is one frame a program in order, written at once: the frames are the progress by which the parent
knows whose fault a death is. Then one ``DONE``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import struct
import sys
from typing import Any

REQUEST = struct.Struct("<I")
FRAME = struct.Struct("<IIBI")

READY = 0  # jq is imported and the limits are set
COMPILED = 1  # compilation is over; what follows is evaluation
NOT_COMPILED = 2  # this program does not compile; payload: message
RESULT = 3  # payload: JSON; an array of results, or an object with an error, or a number: too many results
RAISED = 4  # an error that jq's own try does not catch; payload: message
HALTED = 5
TOO_LARGE = 6
OUT_OF_MEMORY = 7
DONE = 8

_MOST_CACHED = 8
_LONGEST_MESSAGE = 500
_TOKEN = re.compile(r'\\[\s\S]|["()\[\]{}#]')
_CLOSES = {")": "(", "]": "[", "}": "{"}


def is_closed(text: str) -> bool:
    """Whether a program surely cannot get out of parentheses put around it: brackets and quotes match.

    A program with a comment is answered with False (for "not sure"), since comments can hide brackets.
    """
    stack: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if stack and stack[-1] == '"':
            if token == '"':
                stack.pop()
            elif token == "\\(":
                stack.append("(")
        elif token in ('"', "(", "[", "{"):
            stack.append(token)
        elif token not in _CLOSES or not stack or stack.pop() != _CLOSES[token]:
            return False
    return not stack


def wrap(text: str, max_results: int, single: bool = False) -> str:
    """A program with exactly one result, a JSON text, whatever ``text`` does (short of ``halt``).

    A program that is known to be ``single``, to give one result at most, is not stopped after many: the limit costs
    as much as a simple program.

    Two newlines, for ``text`` may end in a comment, and a comment may end in a backslash, which continues it.
    """
    results = f"({text}\n\n)" if single else f"limit({max_results + 1}; ({text}\n\n))"
    return (
        f"(try ([{results}] | if length > {max_results} then 0 else . end)"
        f' catch {{e: (if type == "string" then . else tojson end | .[0:{_LONGEST_MESSAGE}])}} | tojson)'
    )


class Worker:
    """Answers requests with the module ``jq``. ``max_results`` and ``output_bytes`` limit one outcome."""

    def __init__(self, jq: Any, reply: int, max_results: int, output_bytes: int) -> None:
        self.jq = jq
        self.reply = reply
        self.max_results = max_results
        self.output_bytes = output_bytes
        self.cache: dict[str, Any] = {}
        self.single: frozenset[int] = frozenset()

    def send(self, kind: int, payload: str = "", on_input: int = 0, program: int = 0) -> None:
        """Write one frame."""
        content = payload.encode("utf-8", "replace")
        if len(content) > self.output_bytes:
            kind, content = TOO_LARGE, b""
        frame = FRAME.pack(on_input, program, kind, len(content)) + content
        while frame:
            frame = frame[os.write(self.reply, frame) :]

    def compile(self, text: str) -> Any:
        """A compiled program, from the cache if it is there; ValueError when jq refuses it."""
        program = self.cache.pop(text, None)
        if program is None:
            program = self.jq.compile(text)
        self.cache[text] = program
        while len(self.cache) > _MOST_CACHED:
            del self.cache[next(iter(self.cache))]
        return program

    def fuse(self, programs: list[tuple[int, str]]) -> Any:
        """All programs as one."""
        return self.compile(",\n".join(wrap(text, self.max_results, index in self.single) for index, text in programs))

    def compiled(self, texts: list[str]) -> list[tuple[int, str]]:
        """The programs that compile, with their indices; the others are reported."""
        programs = list(enumerate(texts))
        try:
            if all(is_closed(text) or self.compile(text) for text in texts):
                self.fuse(programs)
                return programs
        except ValueError:
            pass
        good = []
        for index, text in programs:
            try:
                if not is_closed(text):
                    self.jq.compile(text)
                self.jq.compile(wrap(text, self.max_results))
            except ValueError as error:
                self.send(NOT_COMPILED, self.complaint(text, str(error)), program=index)
            else:
                good.append((index, text))
        return good

    def complaint(self, text: str, otherwise: str) -> str:
        """What jq says against a program as it is written, for then the places are right."""
        try:
            self.jq.compile(text)
        except ValueError as error:
            otherwise = str(error)
        return otherwise[: 4 * _LONGEST_MESSAGE]

    def answer(self, request: dict[str, Any]) -> None:
        """Evaluate every program on every input."""
        self.single = frozenset(request["single"])
        programs = self.compiled(request["programs"])
        self.send(COMPILED)
        skip = request["skip"]
        for index, text in enumerate(request["inputs"]):
            pending = programs if index else [program for program in programs if program[0] >= skip]
            while pending:
                pending = pending[self.evaluate(pending, index, text) :]
        self.send(DONE)

    def evaluate(self, programs: list[tuple[int, str]], index: int, text: str) -> int:
        """Evaluate programs on one input until one stops them all; the number of those that are done."""
        done = 0
        kind, message = HALTED, ""
        try:
            for result in self.fuse(programs).input_text(text):
                self.send(RESULT, result, index, programs[done][0])
                done += 1
        except ValueError as error:
            kind, message = RAISED, str(error)[:_LONGEST_MESSAGE]
        except MemoryError:
            kind = OUT_OF_MEMORY
        if done < len(programs):
            self.send(kind, message, index, programs[done][0])
            done += 1
        return done


def _read(count: int) -> bytes:
    parts = []
    while count:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            os._exit(0)  # the parent is gone
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _limit(name: str, value: int) -> None:
    """Set a limit as far as this system has it and allows it."""
    limit = getattr(resource, name, None)
    if limit is None:
        return
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(limit, (value, hard if name == "RLIMIT_CPU" else value))


def main(arguments: list[str]) -> None:
    """Serve requests until the parent closes the pipe."""
    directory, memory_bytes, max_results, output_bytes = arguments
    os.environ.clear()
    reply = os.dup(1)
    os.dup2(2, 1)  # whatever prints, prints into the log and not into the protocol
    sys.path.append(directory)
    import jq

    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_NPROC", 0)
    _limit("RLIMIT_NOFILE", 0)  # what is open stays open; nothing more can be opened
    _limit("RLIMIT_AS", int(memory_bytes))
    worker = Worker(jq, reply, int(max_results), int(output_bytes))
    worker.send(READY)
    while True:
        (length,) = REQUEST.unpack(_read(REQUEST.size))
        request = json.loads(_read(length))
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _limit("RLIMIT_CPU", int(usage.ru_utime + usage.ru_stime + request["cpu"]) + 2)
        worker.answer(request)


if __name__ == "__main__":
    main(sys.argv[1:])
