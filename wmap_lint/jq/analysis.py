"""Everything there is to know about one jq text without running it (floor 0)."""

from __future__ import annotations

import enum
import functools

from wmap_lint.jq import ast, builtins
from wmap_lint.jq.assignability import Obstacle, obstacle_to_assignment
from wmap_lint.jq.flow import TOO_MANY, Interpretation, interpret
from wmap_lint.jq.names import Names, resolve_names
from wmap_lint.jq.parser import JqSyntaxError, parse
from wmap_lint.jq.portability import Difference, catastrophic_regexes, differences
from wmap_lint.record import Record


class UnboundedKind(enum.Enum):
    """What follows from a program not being bounded."""

    REFUSED = "refused"
    """The static check of consumers refuses it, whatever it would do."""
    ENDLESS = "endless"
    GROWTH = "growth"
    REGEX = "regex"
    """Only an engine that backtracks, as that of jq, is in danger."""


class Unbounded(Record):
    """A node that keeps the program from being bounded, and why, as a clause about it."""

    node: ast.Node
    reason: str
    kind: UnboundedKind


class OutsideRead(Record):
    """A node that reads or touches something other than the object: ``what`` is a clause about it."""

    node: ast.Node
    name: str
    what: str


class Write(Record):
    """A node that changes a value; ``operator`` is how it is written."""

    node: ast.Node
    operator: str


class Analysis(Record):
    """The verdicts on one program that parses. Positions are those of the text that was analysed."""

    text: str
    program: ast.Program
    names: Names
    flow: Interpretation
    obstacle: Obstacle | None
    unbounded: tuple[Unbounded, ...]
    outside: tuple[OutsideRead, ...]
    writes: tuple[Write, ...]
    differences: tuple[Difference, ...]

    @property
    def nodes(self) -> tuple[ast.Node, ...]:
        """Every node of the program's main expression, outermost first, in the order of the text."""
        return self.program.nodes

    @property
    def runnable(self) -> bool:
        """Whether it may be handed to the engine: it compiles, is bounded, and reads nothing but its input."""
        return not (self.names.unknown or self.unbounded or self.outside or self.writes)

    @property
    def assignable(self) -> bool:
        """Whether consumers can write through it."""
        return self.obstacle is None


@functools.lru_cache(maxsize=4096)
def analyse(text: str) -> Analysis | JqSyntaxError:
    """Analyse ``text``; a text that does not parse gives its syntax error (returned, not raised)."""
    try:
        program = parse(text)
    except JqSyntaxError as error:
        return error
    names = resolve_names(program)
    flow = interpret(program)
    return Analysis(
        text=text,
        program=program,
        names=names,
        flow=flow,
        obstacle=obstacle_to_assignment(program),
        unbounded=_unbounded(program, names, flow),
        outside=_outside(program, names),
        writes=_writes(program, names),
        differences=differences(program, names, flow),
    )


def _unbounded(program: ast.Program, names: Names, flow: Interpretation) -> tuple[Unbounded, ...]:
    found = [
        Unbounded(node, "'..' visits the whole object, however large", UnboundedKind.REFUSED)
        for node in program.nodes
        if isinstance(node, ast.RecursiveDescent)
    ]
    found += [
        Unbounded(
            call,
            f"'{call.name}' {builtins.UNBOUNDED[call.signature]}",
            UnboundedKind.REFUSED if call.name in builtins.REFUSED else UnboundedKind.ENDLESS,
        )
        for call in names.builtin_calls
        if call.signature in builtins.UNBOUNDED
    ]
    found += [
        Unbounded(definition, f"'{definition.name}' calls itself", UnboundedKind.ENDLESS)
        for definition in names.recursive
    ]
    found += [
        Unbounded(
            node,
            "there are exponentially many ways to match some texts with this regular expression",
            UnboundedKind.REGEX,
        )
        for node in catastrophic_regexes(names)
    ]
    if not found:
        if flow.explosion is not None:
            node, size = flow.explosion
            if isinstance(node, ast.Binary) and node.operator == "*":
                reason = "repeating a string makes a value of any size"
            else:
                reason = f"it can grow to more than {int(min(size, TOO_MANY)):,} results or copies of the object"
            found.append(Unbounded(node, reason, UnboundedKind.GROWTH))
        elif flow.exhausted:
            found.append(Unbounded(program.body, "it is too intricate to be bounded", UnboundedKind.GROWTH))
    return tuple(sorted(found, key=lambda item: (item.node.start, item.node.end)))


def _outside(program: ast.Program, names: Names) -> tuple[OutsideRead, ...]:
    found = [
        OutsideRead(call, call.name, builtins.OUTSIDE[call.signature])
        for call in names.builtin_calls
        if call.signature in builtins.OUTSIDE
    ]
    found += [
        OutsideRead(variable, f"${variable.name}", builtins.OUTSIDE_VARIABLES[variable.name])
        for variable in names.global_variables
    ]
    found += [
        OutsideRead(item, "include" if item.name is None else "import", "reads a module file, and consumers load none")
        for item in program.imports
    ]
    return tuple(sorted(found, key=lambda item: (item.node.start, item.node.end)))


def _writes(program: ast.Program, names: Names) -> tuple[Write, ...]:
    found = [Write(node, node.operator) for node in program.nodes if isinstance(node, ast.Assignment)]
    found += [Write(call, call.name) for call in names.builtin_calls if call.signature in builtins.WRITES]
    return tuple(sorted(found, key=lambda item: (item.node.start, item.node.end)))
