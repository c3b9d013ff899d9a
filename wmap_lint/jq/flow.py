"""What flows through a program (floor 0): an abstract interpretation of jq over unknown documents.

It answers, without running anything: which paths of the document are read; of what JSON types the results are;
how many results there can be; where a null (an absent field is null) makes the program fail; how far the output
can outgrow the document. Nothing is known of the document except the JSON types of its root, unless a shape is given:
then it also answers where the program asks for what no such document has.

Bounds. A list or map of the document is taken to have :data:`MEMBERS` members, and counts are multiplied along
the program; :attr:`Flow.most` is that estimate of the number of results (``inf`` when nothing bounds it).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, TypeVar

from wmap_lint.jq import ast, builtins
from wmap_lint.record import Record, compiled, replace
from wmap_lint.shape import Shape

MEMBERS: Final = 16
#: What a text of the document is taken to have.
_CHARACTERS: Final = 256
#: Evaluation steps of the interpretation itself, after which a program is called too complex.
MAX_STEPS: Final = 20_000
_MAX_ALTERNATIVES: Final = 24

ALL_TYPES: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})
NOT_NULL: Final = ALL_TYPES - {"null"}


class Every(enum.Enum):
    """A step of a path that stands for many: every element or member, or a key computed at run time."""

    MEMBER = "[]"
    COMPUTED = "[*]"


Step: TypeAlias = str | int | Every
Path: TypeAlias = tuple[Step, ...]


def path_text(path: Path) -> str:
    """``.spec.items[].name``"""
    text = ""
    for step in path:
        if isinstance(step, Every):
            text += step.value
        elif isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier() and step.isascii():
            text += f".{step}"
        else:
            text += f'["{step}"]'
    return text if text.startswith(".") else f".{text}"


class _Missing(enum.Enum):
    MISSING = enum.auto()


@compiled
class Value(Record):
    """What is known of one value.

    ``path`` is where in the document it stands (None: it was computed). ``known`` holds paths that the program has
    already found not to be null. ``elements`` and ``members`` describe arrays and objects the program builds,
    ``others`` what such an object may hold under computed keys. ``literal`` is the value itself when the program
    spells it out. ``count`` is an estimate of the members of an array, ``filled`` whether there is certainly one.
    ``weight`` is its size in documents. ``shape`` is what a schema says of it (None: nothing). ``alternatives`` are
    the values it is one of, where they have little in common and a schema says something of them.
    """

    types: frozenset[str] = ALL_TYPES
    path: Path | None = None
    known: frozenset[Path] = frozenset()
    elements: tuple[Value, ...] | None = None
    members: tuple[tuple[str, tuple[Value, ...]], ...] | None = None
    others: tuple[Value, ...] = ()
    literal: object = _Missing.MISSING
    count: float = MEMBERS
    filled: bool = False
    weight: float = 1.0
    shape: Shape | None = None
    alternatives: tuple[Value, ...] = ()

    @property
    def has_literal(self) -> bool:
        """Whether ``literal`` is known."""
        return self.literal is not _Missing.MISSING

    def without(self, *types: str) -> Value:
        """The value, known not to be of ``types``."""
        return replace(self, types=self.types - set(types))


@compiled
class Flow(Record):
    """The results of a program or a part of it: what each may be, and how many there are.

    ``least`` is 0 or 1 (is there always a result?), ``most`` an estimate.
    """

    values: tuple[Value, ...]
    least: int = 1
    most: float = 1.0

    @property
    def types(self) -> frozenset[str]:
        """The JSON types a result may have."""
        return frozenset().union(*(value.types for value in self.values)) if self.values else frozenset()


@compiled
class Read(Record):
    """A step of the program that reads ``path``."""

    path: Path
    node: ast.Node


class NullHazard(Record):
    """A node that fails when the value at ``path`` is null, which an absent field is."""

    node: ast.Node
    path: Path
    operation: str


class NullComparison(Record):
    """A comparison that a null makes true: null sorts before everything. ``side`` is the node that may be null."""

    node: ast.Binary
    side: ast.Node
    path: Path


class TypeClash(Record):
    """An operation whose operands can never fit; ``verdict`` is what it then always gives (None: it fails)."""

    node: ast.Binary
    left: frozenset[str]
    right: frozenset[str]
    verdict: bool | None


class OrderUse(Record):
    """A use of the order of the members of an object that the program built in another order than by key."""

    node: ast.Node


class MisfitKind(enum.Enum):
    """What a program asks for that values of a shape do not have."""

    UNKNOWN_FIELD = "unknown-field"
    """A field that objects there do not have: always null."""
    NOT_AN_OBJECT = "not-an-object"
    """A field of something that is no object: it fails."""
    NOT_A_LIST = "not-a-list"
    """A position of something that is no list: it fails."""
    NOT_ITERABLE = "not-iterable"
    """The members of something that has none: it fails."""
    MIXED_FIELDS = "mixed-fields"
    """The values of an object whose fields mean different things, taken for those of a list or map."""
    KEY = "key"
    """Something that is no name or position, used as one."""
    INPUT = "input"
    """A function of something it fails on."""
    ARGUMENT = "argument"
    """A function with an argument it fails on."""
    OPERANDS = "operands"
    """A calculation with types that do not go together: it fails."""
    COMPARISON = "comparison"
    """A comparison of different types: the order of types decides, not the values."""
    OUTSIDE_ENUM = "outside-enum"
    """A comparison with a text that the value can never be."""


class Misfit(Record):
    """A place of the program that no document of the shape fits.

    ``path`` and ``shape`` are of the value that is stepped into or computed with, as far as they are known;
    ``name`` is the field that is not there, the function, or the text outside the enumeration. ``types`` are those
    of the value, ``other`` those it is computed or compared with.
    """

    node: ast.Node
    kind: MisfitKind
    path: Path | None
    shape: Shape | None
    name: str = ""
    types: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()


class Interpretation(Record):
    """Everything the interpretation of one program found, each list in the order of the text."""

    result: Flow
    reads: tuple[Read, ...]
    null_hazards: tuple[NullHazard, ...]
    null_comparisons: tuple[NullComparison, ...]
    type_clashes: tuple[TypeClash, ...]
    order_uses: tuple[OrderUse, ...]
    #: Where no document of the shape fits; empty when no shape was given.
    misfits: tuple[Misfit, ...]
    #: The first node whose number of results, or size of result, passes :data:`TOO_MANY`, with the estimate.
    explosion: tuple[ast.Node, float] | None
    #: The interpretation was given up after :data:`MAX_STEPS`.
    exhausted: bool


#: By how much a text can grow that is written as a text of this format again: each quote is doubled, or worse.
_ESCAPING: Final = {"json": 2.0, "csv": 2.0, "tsv": 2.0, "sh": 4.0, "base64": 1.5, "html": 1.5, "uri": 1.5}

#: More results, or a value larger than this many documents, is an explosion.
TOO_MANY: Final = 1_000_000.0


def interpret(
    program: ast.Program, root: frozenset[str] = frozenset({"object"}), shape: Shape | None = None
) -> Interpretation:
    """Interpret ``program`` on a document of unknown content, or of the content that ``shape`` allows."""
    interpreter = _Interpreter(typed=shape is not None)
    document = Value(types=root, path=(), shape=shape)
    try:
        result = interpreter.run(program.body, document, _Scope({}, {}))
        exhausted = False
    except _ExhaustedError:
        result = Flow((_ANYTHING,), 0, math.inf)
        exhausted = True
    return Interpretation(
        result=result,
        reads=_ordered(interpreter.reads),
        null_hazards=_ordered(interpreter.hazards),
        null_comparisons=_ordered(interpreter.comparisons),
        type_clashes=_ordered(interpreter.clashes),
        order_uses=_ordered(interpreter.orders),
        misfits=() if exhausted else interpreter.misfits(),
        explosion=interpreter.explosion,
        exhausted=exhausted,
    )


class _ExhaustedError(Exception):
    pass


_Found = TypeVar("_Found", Read, NullHazard, NullComparison, TypeClash, OrderUse, Misfit)


def _ordered(found: Iterable[_Found]) -> tuple[_Found, ...]:
    """In the order of the text, each once: the same node is met again for every alternative that reaches it."""
    unique = {(item.node.start, item.node.end, _without_node(item)): item for item in found}
    return tuple(sorted(unique.values(), key=lambda item: (item.node.start, item.node.end)))


def _without_node(item: _Found) -> tuple[object, ...]:
    """What is found, to compare it with others of the same node."""
    return (type(item), *(value for name, value in item.__dict__.items() if name != "node"))


class _Closure(Record):
    """A function: its body, its parameters, and the scope it was written in. An argument has no parameters."""

    body: ast.Node
    parameters: tuple[str, ...]
    scope: _Scope
    definition: ast.FunctionDefinition | None = None


class _Scope(Record):
    functions: dict[str, _Closure]
    variables: dict[str, Value]
    calls: tuple[ast.FunctionDefinition, ...] = ()

    def bind(self, **variables: Value) -> _Scope:
        return replace(self, variables={**self.variables, **variables})


_ANYTHING = Value(types=NOT_NULL)
_TRUTH = Value(types=frozenset({"boolean"}))
_NEVER = Value(types=frozenset({"null"}), literal=None)
_NOTHING = Flow((), 0, 0.0)


def _of(json_type: str, weight: float = 1.0) -> Value:
    return Value(types=frozenset({json_type}), weight=weight)


def _literal(value: object) -> Value:
    name = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}[type(value)]
    return Value(types=frozenset({name}), literal=value)


def _merge(values: Iterable[Value]) -> tuple[Value, ...]:
    unique = tuple(dict.fromkeys(each for value in values for each in value.alternatives or (value,)))
    if len(unique) <= _MAX_ALTERNATIVES:
        return unique
    types = frozenset[str]().union(*(value.types for value in unique))
    return (Value(types=types, weight=max(value.weight for value in unique)),)


def _join(flow: Flow) -> Value:
    """One value that stands for all results of ``flow``."""
    return _united(flow.values) if flow.values else _ANYTHING


def _united(values: tuple[Value, ...]) -> Value:
    """One value that stands for each of ``values``, with what they have in common."""
    if len(values) == 1:
        return values[0]
    types = Flow(values).types
    weight = max(value.weight for value in values)
    filled = [value for value in values if value.types != {"null"}]
    shapes = {value.shape for value in filled}
    if len(shapes) == 1 and None not in shapes:
        return Value(types=types, weight=weight, shape=filled[0].shape)
    if filled and all(value.members is not None for value in filled):
        return replace(_merged_objects(filled), types=types, weight=weight)
    if filled and all(value.elements is not None for value in filled):
        elements = _merge(element for value in filled for element in value.elements or ())
        return Value(types=types, weight=weight, elements=elements, count=max(value.count for value in filled))
    alternatives = values if any(value.shape is not None for value in values) else ()
    return Value(types=types, weight=weight, alternatives=alternatives)


def _or(value: Value, types: frozenset[str]) -> Value:
    """``value``, which may also be of ``types``."""
    if types <= value.types:
        return value
    alternatives = (*value.alternatives, Value(types=types)) if value.alternatives else ()
    return replace(value, types=value.types | types, literal=_Missing.MISSING, alternatives=alternatives)


def _merged_objects(values: Iterable[Value]) -> Value:
    """An object with what any of ``values``, objects that the program builds, may have."""
    members: dict[str, tuple[Value, ...]] = {}
    others: tuple[Value, ...] = ()
    for value in values:
        others += value.others
        for key, found in value.members or ():
            members[key] = _merge((*members.get(key, ()), *found))
    # Of what only some of them have nothing is certain.
    return Value(
        types=frozenset({"object"}),
        members=tuple((key, _merge((*found, _NEVER))) for key, found in members.items()),
        others=_merge(others),
    )


class _Interpreter:
    def __init__(self, typed: bool = False) -> None:
        self.typed = typed
        self.found_misfits: list[Misfit] = []
        self.fitting: set[tuple[int, bool]] = set()  # nodes that something fits: as a step, or as an operation
        self.reads: list[Read] = []
        self.hazards: list[NullHazard] = []
        self.comparisons: list[NullComparison] = []
        self.clashes: list[TypeClash] = []
        self.orders: list[OrderUse] = []
        self.explosion: tuple[ast.Node, float] | None = None
        self.steps = 0
        self.guarded = 0  # inside try or ?: errors are caught
        self.silent = 0  # evaluating for facts only: nothing is recorded

    # -- recording ------------------------------------------------------------------------------------

    def read(self, path: Path, node: ast.Node) -> None:
        if not self.silent:
            self.reads.append(Read(path, node))

    def hazard(self, node: ast.Node, value: Value, operation: str) -> None:
        if not self.silent and not self.guarded and "null" in value.types and value.path is not None:
            self.hazards.append(NullHazard(node, value.path, operation))

    def misfit(
        self,
        node: ast.Node,
        kind: MisfitKind,
        value: Value,
        name: str = "",
        types: frozenset[str] | None = None,
        other: frozenset[str] = frozenset(),
    ) -> None:
        if self.typed and not self.silent:
            own = value.types - {"null"} if types is None else types
            self.found_misfits.append(Misfit(node, kind, value.path, value.shape, name, own, other))

    def fits(self, node: ast.Node, step: bool = False) -> None:
        if self.typed and not self.silent:
            self.fitting.add((id(node), step))

    def misfits(self) -> tuple[Misfit, ...]:
        """One for each node. A step counts when nothing ever fits it: it may be meant for one of several values."""
        first: dict[int, Misfit] = {}
        for each in self.found_misfits:
            step = each.kind in _STEPS
            if (step or each.shape is None) and (id(each.node), step) in self.fitting:
                continue
            first.setdefault(id(each.node), each)
        return _ordered(first.values())

    def grown(self, node: ast.Node, flow: Flow) -> Flow:
        size = max([flow.most, *(value.weight for value in flow.values)])
        if size > TOO_MANY and self.explosion is None:
            self.explosion = (node, size)
        return flow

    # -- evaluation -----------------------------------------------------------------------------------

    def run(self, node: ast.Node, value: Value, scope: _Scope) -> Flow:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _ExhaustedError
        return self.grown(node, self.evaluate(node, value, scope))

    def each(self, flow: Flow, node: ast.Node, scope: _Scope) -> Flow:
        """Run ``node`` on every result of ``flow``."""
        if not flow.values:
            return _NOTHING
        results = [self.run(node, value, scope) for value in flow.values]
        return Flow(
            _merge(value for result in results for value in result.values),
            min(flow.least, *(result.least for result in results)) if len(results) else 0,
            flow.most * max(result.most for result in results),
        )

    def evaluate(self, node: ast.Node, value: Value, scope: _Scope) -> Flow:
        match node:
            case ast.Identity():
                return Flow((value,))
            case ast.Literal(literal):
                return Flow((_literal(literal),))
            case ast.Index(target, key):
                return self.index(node, target, key, value, scope)
            case ast.Iterate(target):
                return self.iterate(node, target, value, scope)
            case ast.Pipe(left, right):
                return self.each(self.run(left, value, scope), right, scope)
            case ast.Comma(left, right):
                first, second = self.run(left, value, scope), self.run(right, value, scope)
                return Flow(
                    _merge((*first.values, *second.values)), max(first.least, second.least), first.most + second.most
                )
            case ast.Binary("//", left, right):
                return self.alternative(left, right, value, scope)
            case ast.Binary("and" | "or", left, right):
                return self.logic(node, value, scope)
            case ast.Binary():
                return self.binary(node, value, scope)
            case ast.Optional(target) | ast.Try(target, None):
                self.guarded += 1
                flow = self.run(target, value, scope)
                self.guarded -= 1
                return replace(flow, least=0) if not isinstance(target, ast.Identity) else flow
            case ast.Try(body, handler) if handler is not None:
                self.guarded += 1
                tried = self.run(body, value, scope)
                self.guarded -= 1
                caught = self.run(handler, Value(), scope)
                return Flow(
                    _merge((*tried.values, *caught.values)), min(tried.least, caught.least), tried.most + caught.most
                )
            case ast.If(branches, otherwise):
                return self.condition(branches, otherwise, value, scope)
            case ast.Array(body):
                return Flow((self.array(body, value, scope),))
            case ast.Object(entries):
                return self.object(entries, value, scope)
            case ast.String(parts):
                return self.string(node, parts, value, scope)
            case ast.Format(name):
                if name in builtins.FORMATS_FAIL_ON_NULL:
                    self.hazard(node, value, f"@{name}")
                self.order(node, value)
                return Flow((_of("string", value.weight * _ESCAPING.get(name, 1.0)),))
            case ast.Negate(operand):
                flow = self.run(operand, value, scope)
                for result in flow.values:
                    self.hazard(operand, result, "negation")
                    self.accepts(operand, result, _NUMBER, MisfitKind.OPERANDS, "-")
                return replace(flow, values=(_of("number"),))
            case ast.Slice():
                return self.slice(node, value, scope)
            case ast.Variable(name):
                bound = scope.variables.get(name, _ANYTHING)
                return Flow(_merge(self.variable(each, value) for each in bound.alternatives or (bound,)))
            case ast.Bind(source, patterns, body):
                flow = self.run(source, value, scope)
                body_flow = self.run(body, value, self.bind(patterns, flow, scope))
                return self.multiplied(body_flow, flow)
            case ast.Reduce(source, patterns, initial, update):
                return self.reduce(source, patterns, initial, update, value, scope)
            case ast.Foreach(source, patterns, initial, update, extract):
                return self.foreach(source, patterns, initial, update, extract, value, scope)
            case ast.Label(_, body):
                return replace(self.run(body, value, scope), least=0)
            case ast.Break():
                return _NOTHING
            case ast.Define(definition, body):
                closure = _Closure(definition.body, definition.parameters, scope, definition)
                functions = {**scope.functions, definition.signature: closure}
                return self.run(body, value, replace(scope, functions=functions))
            case ast.Call():
                return self.call(node, value, scope)
            case ast.RecursiveDescent():
                return Flow((_ANYTHING,), 1, math.inf)
            case ast.Assignment(_, left, right):
                self.run(left, value, scope)
                self.run(right, value, scope)
                return Flow((replace(value, path=None, types=NOT_NULL),))
        return Flow((_ANYTHING,))

    @staticmethod
    def variable(bound: Value, value: Value) -> Value:
        """The value of a variable, where ``value`` is the input: what is known of the document holds for both.

        Not what is known of an item of a list: the variable may have been bound to another one.
        """
        known = bound.known | {path for path in value.known if not any(isinstance(step, Every) for step in path)}
        types = bound.types - {"null"} if bound.path is not None and bound.path in known else bound.types
        return bound if known == bound.known else replace(bound, known=known, types=types)

    # -- paths ----------------------------------------------------------------------------------------

    def step(self, value: Value, step: Step, node: ast.Node) -> Value:
        """What stands at ``step`` in ``value``."""
        if value.members is not None and isinstance(step, str):
            found = next((values for key, values in value.members if key == step), (_NEVER,))
            return _united(_merge((*found, *value.others)))
        if value.members is not None and step is Every.COMPUTED:
            found = tuple(item for _, values in value.members for item in values)
            return _united(_merge((*found, *value.others, _NEVER)))
        if value.elements is not None and not isinstance(step, str):
            nullable = frozenset({"null"}) if isinstance(step, int) else frozenset[str]()
            if step is Every.COMPUTED:
                nullable = frozenset({"null", "array"})  # by an array: the positions where it stands
            if not value.elements:
                return Value(types=nullable | {"null"})
            return _or(_united(value.elements), nullable)
        if value.path is None and value.shape is None:
            return Value(types=ALL_TYPES, weight=value.weight)
        path = None if value.path is None else (*value.path, step)
        if path is not None:
            self.read(path, node)
        shape = self.below(value, step, node)
        types = ALL_TYPES if shape is None else shape.types | {"null"}
        required = value.shape is not None and step in value.shape.required and "null" not in value.types
        if required or (path is not None and path in value.known):
            types -= {"null"}
        return Value(types=types, path=path, known=value.known, weight=value.weight, shape=shape)

    def below(self, value: Value, step: Step, node: ast.Node) -> Shape | None:
        """The shape of what stands at ``step`` in ``value``; None when nothing is known of it."""
        shape = value.shape
        if shape is None or shape.is_any:
            self.fits(node, step=True)
            return None
        types = value.types & shape.types
        if isinstance(step, str):
            if "object" in types:
                found = shape.field(step)
                if found is None and not shape.open:
                    self.misfit(node, MisfitKind.UNKNOWN_FIELD, value, step)
                    return None
            elif types:
                self.misfit(node, MisfitKind.NOT_AN_OBJECT, value, step)
                return None
            else:
                return None
        elif isinstance(step, int):
            if "array" not in types:
                if types:
                    self.misfit(node, MisfitKind.NOT_A_LIST, value, str(step))
                return None
            found = shape.items
        else:
            if not types & {"array", "object"}:
                if types:
                    self.misfit(node, MisfitKind.NOT_ITERABLE, value)
                return None
            found = shape.items if "array" in types else shape.members
        self.fits(node, step=True)
        return None if found is None or found.is_any else found

    def accepts(self, node: ast.Node, value: Value, accepted: frozenset[str], kind: MisfitKind, name: str = "") -> None:
        """Record a misfit when nothing that ``value`` may be is among the types ``accepted``, null aside."""
        types = value.types - {"null"}
        if types & accepted:
            self.fits(node)
        elif types:
            self.misfit(node, kind, value, name)

    def index(self, node: ast.Node, target: ast.Node, key: ast.Node, value: Value, scope: _Scope) -> Flow:
        targets = self.run(target, value, scope)
        if isinstance(key, ast.String) and (name := key.literal) is not None:
            return replace(targets, values=_merge(self.step(item, name, node) for item in targets.values))
        keys = self.run(key, value, scope)
        steps: set[Step] = set()
        indexed = targets.types - {"null"}
        for item in keys.values:
            self.hazard(key, item, "indexing with it")
            for only, fit in (("object", _TEXT), ("array", frozenset({"number", "array", "object"}))):
                if indexed == {only} and item.shape is not None and item.types - {"null"} and not item.types & fit:
                    self.misfit(key, MisfitKind.KEY, item, other=indexed)
            if isinstance(item.literal, str):
                steps.add(item.literal)
            elif isinstance(item.literal, int | float) and not isinstance(item.literal, bool):
                steps.add(int(item.literal))
            else:
                steps.add(Every.COMPUTED)
        ordered = sorted(steps, key=str)
        values = [self.step(item, step, node) for item in targets.values for step in ordered]
        if "array" in keys.types & targets.types:  # by a list: the positions where it stands
            values.append(_of("array"))
        return Flow(
            _merge(values),
            min(targets.least, keys.least),
            targets.most * keys.most,
        )

    def iterate(self, node: ast.Node, target: ast.Node, value: Value, scope: _Scope) -> Flow:
        targets = self.run(target, value, scope)
        values: list[Value] = []
        most = 0.0
        for item in targets.values:
            self.hazard(node, item, "iteration")
            most = max(most, item.count)
            if item.elements is not None:
                values.extend(item.elements)
            elif item.members is not None:
                self.order(node, item)
                values.extend(member for _, members in item.members for member in members)
                values.extend(item.others)
                most = max(most, len(item.members))
            elif item.path is None and item.shape is None:
                self.accepts(node, item, _ITERABLE, MisfitKind.NOT_ITERABLE)
                values.append(Value(weight=item.weight))  # a list that the program builds may hold null
            else:
                path = None if item.path is None else (*item.path, Every.MEMBER)
                if path is not None:
                    self.read(path, node)
                # An element that is null is possible, but nobody writes one: not an absent field.
                every = Value(types=NOT_NULL, path=path, known=item.known, weight=item.weight)
                values.extend(
                    every if shape is None else replace(every, types=shape.types, shape=shape)
                    for shape in self.shapes_within(item, node)
                )
        return Flow(_merge(values), 0, targets.most * most)

    def shapes_within(self, value: Value, node: ast.Node) -> tuple[Shape | None, ...]:
        """The shapes of the members of ``value``."""
        below = self.below(value, Every.MEMBER, node)
        shape = value.shape
        if below is not None or shape is None or shape.kind != "object" or shape.open or not shape.names:
            return (below,)
        fields = tuple(dict.fromkeys(field for _, field in shape.fields))
        if len({field.kind for field in fields}) > 1 and _goes_through_values(node):
            self.misfit(node, MisfitKind.MIXED_FIELDS, value)
            return (None,)
        return fields if len(fields) <= _MAX_ALTERNATIVES and not any(field.is_any for field in fields) else (None,)

    def slice(self, node: ast.Slice, value: Value, scope: _Scope) -> Flow:
        targets = self.run(node.target, value, scope)
        for bound in (node.first, node.last):
            if bound is not None:
                self.run(bound, value, scope)
        for item in targets.values:
            self.accepts(node, item, _SLICEABLE, MisfitKind.NOT_A_LIST)
        return replace(
            targets,
            values=_merge(
                replace(item, types=item.types & {"null", "string", "array"}, literal=_Missing.MISSING)
                for item in targets.values
            ),
        )

    # -- operators ------------------------------------------------------------------------------------

    def alternative(self, left: ast.Node, right: ast.Node, value: Value, scope: _Scope) -> Flow:
        preferred = self.run(left, value, scope)
        fallback = self.run(right, value, scope)
        kept = (
            item.without("null")
            for item in preferred.values
            if item.types - {"null"} and item.literal is not None and item.literal is not False
        )
        always = preferred.least and all(
            "null" not in item.types and "boolean" not in item.types for item in preferred.values
        )
        return Flow(
            _merge((*kept, *(() if always else fallback.values))),
            1 if always else fallback.least,
            max(preferred.most, fallback.most),
        )

    def logic(self, node: ast.Binary, value: Value, scope: _Scope) -> Flow:
        left = self.run(node.left, value, scope)
        truth = node.operator == "and"
        learned = self.learn(node.left, truth, value, scope)
        right = self.run(node.right, learned, scope) if learned.types else Flow((_literal(not truth),))
        sides = (self.decided(left), self.decided(right))
        outcome = _TRUTH
        if (not truth) in sides:  # one side suffices
            outcome = _literal(not truth)
        elif sides == (truth, truth):
            outcome = _literal(truth)
        return Flow((outcome,), min(left.least, right.least), left.most * max(1.0, right.most))

    def decided(self, flow: Flow) -> bool | None:
        """What every result of ``flow`` counts as in a condition, where the shape of the document decides it."""
        if not self.typed or not flow.values or not flow.least:
            return None
        if all(value.literal is None or value.literal is False or value.types == {"null"} for value in flow.values):
            return False
        if all(value.has_literal and value.literal is not None and value.literal is not False for value in flow.values):
            return True
        return None

    def binary(self, node: ast.Binary, value: Value, scope: _Scope) -> Flow:
        left, right = self.run(node.left, value, scope), self.run(node.right, value, scope)
        least, most = min(left.least, right.least), left.most * right.most
        if node.operator in ("==", "!=", "<", "<=", ">", ">="):
            self.comparison(node, left, right)
            verdict = self.verdict(node.operator, left, right)
            return Flow((_TRUTH if verdict is None else _literal(verdict),), least, most)
        self.operands(node, left, right)
        return Flow(self.arithmetic(node, left, right), least, most)

    def operands(self, node: ast.Binary, left: Flow, right: Flow) -> None:
        """Record a calculation with types that never go together."""
        one, two = left.types - {"null"}, right.types - {"null"}
        if not self.typed or not one or not two:
            return
        allowed = _CALCULATIONS[node.operator]
        if any((first, second) in allowed for first in one for second in two):
            self.fits(node)
        else:
            value = next((each for each in (*left.values, *right.values) if each.shape is not None), left.values[0])
            self.misfit(node, MisfitKind.OPERANDS, value, node.operator, types=one, other=two)
            return
        for side, others, swap in ((left, two, False), (right, one, True)):
            for value in _read(side):
                types = value.types - {"null"}
                pairs = ((second, first) if swap else (first, second) for first in types for second in others)
                if not any(pair in allowed for pair in pairs):
                    self.misfit(node, MisfitKind.OPERANDS, value, node.operator, other=others)

    def verdict(self, operator: str, left: Flow, right: Flow) -> bool | None:
        """What a comparison always gives, where the shape of the document decides it."""
        if not self.typed or operator not in ("==", "!=") or not left.values or not right.values:
            return None
        equal = {_may_equal(one, two) for one in left.values for two in right.values}
        if equal == {False}:
            return operator == "!="
        return operator == "==" if equal == {True} else None

    def comparison(self, node: ast.Binary, left: Flow, right: Flow) -> None:
        if self.silent:
            return
        operator = node.operator
        if operator in ("<", "<=", ">", ">="):
            side, flow = (node.left, left) if operator in ("<", "<=") else (node.right, right)
            for item in flow.values:
                if item.path is not None and "null" in item.types:
                    self.comparisons.append(NullComparison(node, side, item.path))
                    break
        self.outside_enum(node, left, right)
        for one, other in ((left, right), (right, left)):
            if operator in ("==", "!=") and _default_is_meant(one, other):
                continue
            others = other.types - {"null"}
            for value in _read(one):
                if others and not value.types & others:
                    self.misfit(node, MisfitKind.COMPARISON, value, operator, other=others)
        if left.types and right.types and not left.types & right.types:
            verdict: bool | None = None
            if operator in ("==", "!="):
                verdict = operator == "!="
            elif max(map(_rank, left.types)) < min(map(_rank, right.types)):
                verdict = operator in ("<", "<=")
            elif min(map(_rank, left.types)) > max(map(_rank, right.types)):
                verdict = operator in (">", ">=")
            if verdict is not None:
                self.clashes.append(TypeClash(node, left.types, right.types, verdict))

    def outside_enum(self, node: ast.Binary, left: Flow, right: Flow) -> None:
        """Record the texts that are compared with what they can never equal."""
        for flow, other, side in ((left, right, node.right), (right, left, node.left)):
            enums = [value.shape.enum for value in flow.values if value.shape is not None and value.shape.enum]
            if not enums or len(enums) < len(flow.values):
                continue
            allowed = {item for enum in enums for item in enum if isinstance(item, str)}
            for value in other.values:
                if isinstance(value.literal, str) and value.literal not in allowed:
                    place = next(
                        (
                            each
                            for each in side.walk()
                            if isinstance(each, ast.String) and each.literal == value.literal
                        ),
                        node,
                    )
                    self.misfit(place, MisfitKind.OUTSIDE_ENUM, flow.values[0], value.literal)

    def arithmetic(self, node: ast.Binary, left: Flow, right: Flow) -> tuple[Value, ...]:
        operator = node.operator
        one, two = left.types, right.types
        weight = max((v.weight for v in left.values), default=1.0) + max((v.weight for v in right.values), default=1.0)
        if operator != "+":
            for side, flow in ((node.left, left), (node.right, right)):
                for item in flow.values:
                    self.hazard(side, item, f"'{operator}'")
        if operator == "+":
            # null is neutral; otherwise both sides have the type of the result.
            types = (one & two) - {"boolean"}
            for nullable, other in ((one, two), (two, one)):
                types |= other if "null" in nullable else frozenset()
            if one <= {"number"} or two <= {"number"}:
                types = frozenset({"number"})
            elements = self.added(left, right)
            if elements is not None:
                return (elements,)
            return (Value(types=types or NOT_NULL, weight=1.0 if types == {"number"} else weight),)
        if operator == "-":
            types = frozenset({"number", "array"}) & (one | two)
            if one <= {"number", "null"} or two <= {"number", "null"}:
                types = frozenset({"number"})
            return (Value(types=types or frozenset({"number"})),)
        if operator == "*":
            return (self.product(node, left, right),)
        if operator == "/":
            types = frozenset({"array"}) if "string" in one & two else frozenset()
            types |= {"number"} if "number" in one & two or not types else frozenset()
            return (Value(types=types),)
        return (_of("number"),)

    def added(self, left: Flow, right: Flow) -> Value | None:
        if len(left.values) != 1 or len(right.values) != 1:
            return None
        one, two = left.values[0], right.values[0]
        weight = one.weight + two.weight
        if one.elements is not None and two.elements is not None:
            return Value(
                types=frozenset({"array"}),
                elements=_merge((*one.elements, *two.elements)),
                count=one.count + two.count,
                weight=weight,
            )
        if one.members is not None and two.members is not None and one.types == two.types == {"object"}:
            return replace(_merged_objects((one, two)), weight=weight)
        return None

    def product(self, node: ast.Binary, left: Flow, right: Flow) -> Value:
        # A string times a number repeats the string.
        for text, times in ((left, right), (right, left)):
            if "string" in text.types and text.types <= {"string", "null"} and "number" in times.types:
                factors = [item.literal for item in times.values if isinstance(item.literal, int | float)]
                factor = (
                    max([float(f) for f in factors], default=math.inf)
                    if len(factors) == len(times.values)
                    else math.inf
                )
                grown = Value(
                    types=frozenset({"string", "null"}),
                    weight=max(value.weight for value in text.values) * max(1.0, factor),
                )
                self.grown(node, Flow((grown,)))
                return grown
        if left.types <= {"object"} and right.types <= {"object"}:
            return _of("object", 2.0)
        types = frozenset({"number"})
        if ("string" in left.types and "number" in right.types) or ("number" in left.types and "string" in right.types):
            types |= {"string", "null"}
        if "object" in left.types & right.types:
            types |= {"object"}
        return Value(types=types)

    def condition(
        self, branches: tuple[tuple[ast.Node, ast.Node], ...], otherwise: ast.Node | None, value: Value, scope: _Scope
    ) -> Flow:
        results: list[Flow] = []
        tested = 1.0
        least = 1
        for test, result in branches:
            flow = self.run(test, value, scope)
            tested *= max(1.0, flow.most)
            least = min(least, flow.least)
            decided = self.decided(flow)
            positive = self.learn(test, True, value, scope)
            if decided is not False and positive.types:
                results.append(self.run(result, positive, scope))
            value = self.learn(test, False, value, scope)
            if decided or not value.types:
                break
        else:
            results.append(Flow((value,)) if otherwise is None else self.run(otherwise, value, scope))
        if not results:
            return _NOTHING
        return Flow(
            _merge(item for flow in results for item in flow.values),
            min(least, *(flow.least for flow in results)),
            tested * max(flow.most for flow in results),
        )

    # -- construction ---------------------------------------------------------------------------------

    def array(self, body: ast.Node | None, value: Value, scope: _Scope) -> Value:
        items = [self.run(item, value, scope) for item in _separated(body)]
        flow = Flow(
            _merge(item for each in items for item in each.values),
            max((each.least for each in items), default=0),
            sum(each.most for each in items),
        )
        if body is not None:
            self.grown(body, flow)
        weight = sum(each.most * max((item.weight for item in each.values), default=0.0) for each in items)
        # A list of document values is no larger than the document.
        if all(item.path is not None for item in flow.values):
            weight = max(1.0, flow.most / MEMBERS**2)
        return Value(
            types=frozenset({"array"}),
            elements=flow.values,
            count=flow.most,
            filled=flow.least > 0,
            weight=max(1.0, weight),
        )

    def object(self, entries: tuple[ast.ObjectEntry, ...], value: Value, scope: _Scope) -> Flow:
        members: list[tuple[str, tuple[Value, ...]]] = []
        others: tuple[Value, ...] = ()
        least, most, weight = 1, 1.0, 0.0
        none = False  # without a value for one key there is no object
        for entry in entries:
            key, item = self.entry(entry, value, scope)
            least, most = min(least, item.least), most * max(item.most, 0.0)
            weight += max((member.weight for member in item.values), default=0.0)
            none = none or not item.values
            if key is None:
                others += item.values
            else:
                members = [(name, values) for name, values in members if name != key] + [(key, item.values)]
        if none:
            return _NOTHING
        built = Value(
            types=frozenset({"object"}), members=tuple(members), others=_merge(others), weight=max(1.0, weight)
        )
        return Flow((built,), least, most)

    def entry(self, entry: ast.ObjectEntry, value: Value, scope: _Scope) -> tuple[str | None, Flow]:
        key = entry.key
        if isinstance(key, ast.Variable):
            name: str | None = key.name
            if entry.value is None:
                return name, self.run(key, value, scope)
            computed = self.run(key, value, scope)
            return None, self.multiplied(self.run(entry.value, value, scope), computed)
        if isinstance(key, ast.Location):
            return "__loc__", Flow((_of("object"),))
        if isinstance(key, ast.String) and key.literal is not None:
            name = key.literal
            if entry.value is None:
                return name, Flow((self.step(value, name, key),))
            return name, self.run(entry.value, value, scope)
        computed = self.run(key, value, scope)
        for part in key.parts if isinstance(key, ast.String) and self.typed else ():
            if isinstance(part, ast.Node):
                for item in _read(self.quietly(part, value, scope)):
                    if item.types <= {"array", "object", "null"}:
                        self.misfit(part, MisfitKind.KEY, item, other=frozenset({"object"}))
        if entry.value is None:
            return None, computed
        return None, self.multiplied(self.run(entry.value, value, scope), computed)

    @staticmethod
    def multiplied(flow: Flow, other: Flow) -> Flow:
        return replace(flow, least=min(flow.least, other.least), most=flow.most * other.most)

    def string(self, node: ast.String, parts: tuple[str | ast.Node, ...], value: Value, scope: _Scope) -> Flow:
        if node.literal is not None:
            return Flow((_literal(node.literal),))
        least, most, weight = 1, 1.0, 1.0
        for part in parts:
            if isinstance(part, ast.Node):
                flow = self.run(part, value, scope)
                least, most = min(least, flow.least), most * flow.most
                weight += max((item.weight for item in flow.values), default=0.0)
                for item in flow.values:
                    self.order(part, item)
                    if node.format in builtins.FORMATS_FAIL_ON_NULL:
                        self.hazard(part, item, f"@{node.format}")
        return Flow((_of("string", weight),), least, most)

    # -- bindings and loops ---------------------------------------------------------------------------

    def bind(self, patterns: tuple[ast.Node, ...], flow: Flow, scope: _Scope) -> _Scope:
        bound: dict[str, Value] = {}
        several = len(patterns) > 1
        for pattern in patterns:
            self.destructure(pattern, _join(flow), scope, bound)
        if several:
            bound = dict.fromkeys(bound, Value())
        return scope.bind(**bound)

    def destructure(self, pattern: ast.Node, value: Value, scope: _Scope, bound: dict[str, Value]) -> None:
        match pattern:
            case ast.VariablePattern(name):
                bound[name] = value
            case ast.ArrayPattern(items):
                for position, item in enumerate(items):
                    self.destructure(item, self.step(value, position, item), scope, bound)
            case ast.ObjectPattern(entries):
                for entry in entries:
                    key = entry.key
                    if isinstance(key, ast.VariablePattern):
                        inner = self.step(value, key.name, key)
                        bound[key.name] = inner
                    elif isinstance(key, ast.String) and key.literal is not None:
                        inner = self.step(value, key.literal, key)
                    else:
                        self.run(key, value, scope)
                        inner = self.step(value, Every.COMPUTED, key)
                    if entry.pattern is not None:
                        self.destructure(entry.pattern, inner, scope, bound)

    def reduce(
        self,
        source: ast.Node,
        patterns: tuple[ast.Node, ...],
        initial: ast.Node,
        update: ast.Node,
        value: Value,
        scope: _Scope,
    ) -> Flow:
        flow = self.run(source, value, scope)
        start = self.run(initial, value, scope)
        inner = self.bind(patterns, flow, scope)
        state = replace(_join(start), path=None)
        if self.typed:  # what holds in the first round need not hold in the next
            first = self.quietly(update, state, inner)
            state = replace(_join(Flow(_merge((*start.values, *first.values)))), path=None)
        once = self.run(update, state, inner)
        state = replace(_join(Flow(_merge((*start.values, *once.values)))), path=None)
        grown = max((item.weight for item in once.values), default=1.0)
        if grown > 1 and flow.most > 1:
            # What each round adds is added once a round; what each round multiplies is multiplied, and then a list
            # that is but a little longer than estimated makes all the difference.
            again = self.run(update, replace(state, weight=grown), inner)
            twice = max((item.weight for item in again.values), default=1.0)
            before = max((item.weight for item in start.values), default=1.0)
            if twice - grown <= grown - before:
                grown += (twice - grown) * flow.most
            else:
                grown *= (twice / grown) ** (64.0 if flow.most >= MEMBERS else flow.most)
            state = replace(state, weight=grown)
        # An update without a result leaves null.
        result = replace(
            _or(state, frozenset() if once.least else frozenset({"null"})),
            known=frozenset(),
            literal=_Missing.MISSING,
            filled=False,
            count=state.count * flow.most,
        )
        return Flow(_merge((result,)), start.least, start.most)

    def foreach(
        self,
        source: ast.Node,
        patterns: tuple[ast.Node, ...],
        initial: ast.Node,
        update: ast.Node,
        extract: ast.Node | None,
        value: Value,
        scope: _Scope,
    ) -> Flow:
        flow = self.run(source, value, scope)
        start = self.run(initial, value, scope)
        inner = self.bind(patterns, flow, scope)
        once = self.run(update, replace(_join(start), path=None), inner)
        state = Value(types=start.types | once.types or NOT_NULL)
        result = once if extract is None else self.run(extract, state, inner)
        types = result.types or NOT_NULL
        return Flow((Value(types=types),), 0, start.most * flow.most * max(1.0, once.most) * max(1.0, result.most))

    # -- functions ------------------------------------------------------------------------------------

    def call(self, node: ast.Call, value: Value, scope: _Scope) -> Flow:
        closure = scope.functions.get(node.signature)
        if closure is not None:
            return self.apply(node, closure, value, scope)
        handler = _HANDLERS.get(node.signature)
        if node.signature in builtins.FAIL_ON_NULL:
            self.hazard(node, value, node.name)
        accepted = builtins.ACCEPTS.get(node.signature)
        if accepted is not None:
            self.accepts(node, value, accepted, MisfitKind.INPUT, node.name)
        if handler is not None:
            return handler(self, node, value, scope)
        least, most = 1, 1.0
        for argument in node.arguments:
            flow = self.run(argument, value, scope)
            if node.signature in builtins.TEXT_ARGUMENT:
                for item in flow.values:
                    self.accepts(argument, item, _TEXT, MisfitKind.ARGUMENT, node.name)
            if node.name not in _TAKE_PROGRAMS:
                # Once for every combination of what the arguments give.
                least, most = min(least, flow.least), most * max(1.0, flow.most)
        if node.signature in ("tojson/0", "tostring/0"):
            self.order(node, value)
        if node.signature in builtins.UNBOUNDED:
            return Flow((_ANYTHING,), 0, math.inf)
        result = builtins.RESULT_TYPE.get(node.signature)
        if result is not None:
            grows = _ESCAPING["json"] if node.signature == "tojson/0" else 1.0
            return Flow((_of(result, value.weight * grows if result == "string" else 1.0),), least, most)
        return Flow((Value(),), 0, most * (MEMBERS if node.name in _STREAMS else 1.0))

    def apply(self, node: ast.Call, closure: _Closure, value: Value, scope: _Scope) -> Flow:
        definition = closure.definition
        if definition is None:
            # A closure argument runs in the scope it was written in.
            return self.run(closure.body, value, replace(closure.scope, calls=scope.calls))
        if any(definition is outer for outer in scope.calls):
            return Flow((_ANYTHING,), 0, math.inf)
        functions = {**closure.scope.functions, definition.signature: closure}
        variables = dict(closure.scope.variables)
        least, most = 1, 1.0
        for parameter, argument in zip(closure.parameters, node.arguments, strict=True):
            name = parameter.removeprefix("$")
            functions[f"{name}/0"] = _Closure(argument, (), scope)
            if parameter.startswith("$"):
                flow = self.run(argument, value, scope)
                variables[name] = _join(flow)
                least, most = min(least, flow.least), most * flow.most
        inner = _Scope(functions, variables, (*scope.calls, definition))
        result = self.run(closure.body, value, inner)
        return replace(result, least=min(result.least, least), most=result.most * most)

    def order(self, node: ast.Node, value: Value) -> None:
        if self.silent or value.members is None or value.others:
            return
        keys = [key for key, _ in value.members]
        if keys != sorted(keys):
            self.orders.append(OrderUse(node))

    # -- facts ----------------------------------------------------------------------------------------

    def learn(self, test: ast.Node, truth: bool, value: Value, scope: _Scope) -> Value:
        """``value``, with what ``test`` having come out as ``truth`` tells about it."""
        if self.typed:
            value = replace(value, types=_narrowed(test, truth, value.types))
        known = self.facts(test, truth, value, scope)
        if not known:
            return value
        types = value.types - {"null"} if value.path is not None and value.path in known else value.types
        return replace(value, known=value.known | known, types=types)

    def facts(self, test: ast.Node, truth: bool, value: Value, scope: _Scope) -> frozenset[Path]:
        """The paths that cannot be null when ``test`` comes out as ``truth``."""
        match test:
            case ast.Binary("and", left, right):
                one, two = self.facts(left, truth, value, scope), self.facts(right, truth, value, scope)
                return one | two if truth else one & two
            case ast.Binary("or", left, right):
                one, two = self.facts(left, truth, value, scope), self.facts(right, truth, value, scope)
                return one & two if truth else one | two
            case ast.Binary("==" | "!=" as operator, left, right):
                equal = truth if operator == "==" else not truth
                for side, other in ((left, right), (right, left)):
                    others = self.quietly(other, value, scope)
                    if measured := _measured(side):
                        literal = others.values[0].literal if len(others.values) == 1 else None
                        if _excludes_null(measured[1], "==" if equal else "!=", literal):
                            return self.not_null(measured[0], value, scope)
                    elif ((equal and "null" not in others.types) or (not equal and others.types == {"null"})) and (
                        found := self.not_null(side, value, scope)
                    ):
                        return found
                return frozenset()
            case ast.Binary("<" | "<=" | ">" | ">=" as operator, left, right) if truth:
                # null is smaller than everything, so what is greater than a non-null is not null.
                greater, smaller = (left, right) if operator in (">", ">=") else (right, left)
                lesser = self.quietly(smaller, value, scope)
                if measured := _measured(greater):
                    literal = lesser.values[0].literal if len(lesser.values) == 1 else None
                    strict = ">" if operator in ("<", ">") else ">="
                    if _excludes_null(measured[1], strict, literal):
                        return self.not_null(measured[0], value, scope)
                    return frozenset()
                if "null" not in lesser.types:
                    return self.not_null(greater, value, scope)
                return frozenset()
            case ast.Pipe(left, ast.Call("not", ())):
                return self.facts(left, not truth, value, scope)
            case ast.Pipe(left, right):
                flow = self.quietly(left, value, scope)
                if len(flow.values) == 1 and flow.values[0].path is not None:
                    return self.facts(right, truth, flow.values[0], scope)
                return frozenset()
            case ast.Call("select", (condition,)) if truth:
                return self.facts(condition, True, value, scope)
        return self.not_null(test, value, scope) if truth else frozenset()

    def not_null(self, node: ast.Node, value: Value, scope: _Scope) -> frozenset[Path]:
        """The paths that are not null when the value of ``node`` is not null."""
        if isinstance(node, ast.Identity | ast.Index | ast.Variable):
            flow = self.quietly(node, value, scope)
            if len(flow.values) == 1 and flow.values[0].path is not None:
                return frozenset(_prefixes(flow.values[0].path))
        return frozenset()

    def quietly(self, node: ast.Node, value: Value, scope: _Scope) -> Flow:
        self.silent += 1
        explosion = self.explosion
        try:
            return self.run(node, value, scope)
        finally:
            self.silent -= 1
            self.explosion = explosion


def _goes_through_values(node: ast.Node) -> bool:
    """Whether ``node`` takes the values of an object without its keys."""
    return isinstance(node, ast.Iterate) or (
        isinstance(node, ast.Call) and node.name in ("map", "any", "all", "add", "keys")
    )


def _separated(body: ast.Node | None) -> list[ast.Node]:
    """What stands between the commas."""
    if isinstance(body, ast.Comma):
        return [*_separated(body.left), *_separated(body.right)]
    return [] if body is None else [body]


def _measured(node: ast.Node) -> tuple[ast.Node, str] | None:
    """What ``node`` takes the length or the type of, and which of the two."""
    match node:
        case ast.Call("length" | "type" as measure, ()):
            return ast.Identity(), measure
        case ast.Pipe(left, ast.Call("length" | "type" as measure, ())):
            return left, measure
    return None


def _excludes_null(measure: str, operator: str, literal: object) -> bool:
    """Whether the length (of null: 0) or the type (``null``) compared so with ``literal`` cannot be that of null."""
    if measure == "type":
        if not isinstance(literal, str):
            return False
        return (operator == "==" and literal != "null") or (operator == "!=" and literal == "null")
    if not isinstance(literal, int | float):
        return False
    return {">": literal >= 0, ">=": literal > 0, "==": literal != 0, "!=": literal == 0}[operator]


def _narrowed(test: ast.Node, truth: bool, types: frozenset[str]) -> frozenset[str]:
    """What is left of ``types`` when a test of the type of the input, ``type == "array"``, comes out as ``truth``."""
    match test:
        case ast.Binary("==" | "!=" as operator, ast.Call("type", ()), ast.String() as name) | ast.Binary(
            "==" | "!=" as operator, ast.String() as name, ast.Call("type", ())
        ) if name.literal is not None:
            return types & {name.literal} if (operator == "==") is truth else types - {name.literal}
        case ast.Binary("and", left, right) if truth:
            return _narrowed(right, truth, _narrowed(left, truth, types))
        case ast.Binary("or", left, right) if not truth:
            return _narrowed(right, truth, _narrowed(left, truth, types))
        case ast.Pipe(left, ast.Call("not", ())):
            return _narrowed(left, not truth, types)
    return types


def _may_equal(one: Value, two: Value) -> bool | None:
    """Whether two values are always equal, never, or (None) sometimes."""
    if not one.types & two.types:
        return False
    if one.has_literal and two.has_literal:
        return type(one.literal) is type(two.literal) and one.literal == two.literal
    for value, other in ((one, two), (two, one)):
        enum = None if value.shape is None else value.shape.enum
        if enum is not None and other.has_literal and other.literal is not None and other.literal not in enum:
            return False
        if enum is not None and len(enum) == 1 and other.literal == enum[0] and "null" not in value.types:
            return True
    return None


def _default_is_meant(one: Flow, other: Flow) -> bool:
    """Whether a default of ``one`` is what it is compared with: ``(.port // "none") == "none"`` asks if it is there."""
    defaults = {value.literal for value in one.values if value.shape is None and isinstance(value.literal, str | int)}
    return not defaults.isdisjoint(value.literal for value in other.values if isinstance(value.literal, str | int))


def _read(flow: Flow) -> Iterable[Value]:
    """Those of the results that are read from the document, not defaults, and may be something else than null."""
    return (value for value in flow.values if value.shape is not None and value.types - {"null"})


_STEPS: Final = frozenset(
    {MisfitKind.UNKNOWN_FIELD, MisfitKind.NOT_AN_OBJECT, MisfitKind.NOT_A_LIST, MisfitKind.NOT_ITERABLE}
)
_NUMBER: Final = frozenset({"number"})
_TEXT: Final = frozenset({"string"})
_ITERABLE: Final = frozenset({"array", "object"})
_SLICEABLE: Final = frozenset({"array", "string"})
#: The types that an operator takes, left and right.
_CALCULATIONS: Final = {
    "+": frozenset((each, each) for each in ("number", "string", "array", "object")),
    "-": frozenset((each, each) for each in ("number", "array")),
    # A text times a number is the text so many times: of what an object holds nobody wants that.
    "*": frozenset({("number", "number"), ("object", "object")}),
    "/": frozenset({("number", "number"), ("string", "string")}),
    "%": frozenset({("number", "number")}),
}


def _prefixes(path: Path) -> Iterable[Path]:
    return (path[:length] for length in range(1, len(path) + 1)) if path else ((),)


_RANKS = {"null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6}


def _rank(json_type: str) -> int:
    return _RANKS[json_type]


_STREAMS = frozenset({"match", "scan", "splits", "capture"})
#: Builtins whose arguments are programs, not values.
_TAKE_PROGRAMS = frozenset("path paths isempty IN INDEX JOIN walk del pick recurse repeat".split())


_Handler: TypeAlias = Callable[[_Interpreter, ast.Call, Value, _Scope], Flow]

# -- builtins that pass values through ----------------------------------------------------------------


def _select(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    test = node.arguments[0]
    flow = run.run(test, value, scope)
    learned = run.learn(test, True, value, scope)
    if run.decided(flow) is False or not learned.types:
        return _NOTHING
    return Flow((learned,), 0, max(1.0, flow.most))


def _map(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    members = _members(run, node, value, scope)
    flow = run.each(members, node.arguments[0], scope)
    weight = max((item.weight for item in flow.values), default=1.0)
    return Flow((Value(types=frozenset({"array"}), elements=flow.values, count=flow.most, weight=weight),))


def _map_values(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    members = _members(run, node, value, scope)
    results = run.each(members, node.arguments[0], scope)
    types = value.types & {"array", "object"} or frozenset({"object"})
    built = Value(types=types, weight=value.weight)
    if types == {"object"}:
        built = replace(built, members=(), others=results.values)
    elif types == {"array"}:
        built = replace(built, elements=results.values)
    return Flow((built,))


def _to_entries(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    members = _members(run, node, value, scope)
    entry = Value(
        types=frozenset({"object"}),
        members=(("key", (_of("string"),)), ("value", members.values or (_ANYTHING,))),
    )
    return Flow((Value(types=frozenset({"array"}), elements=(entry,), count=members.most),))


def _with_entries(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    entries = _to_entries(run, node, value, scope).values[0]
    changed = run.each(Flow(entries.elements or (), 0, MEMBERS), node.arguments[0], scope)
    return Flow((_from(run, node, changed.values, value.weight),))


def _from_entries(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    return Flow((_from(run, node, _members(run, node, value, scope).values, value.weight),))


def _from(run: _Interpreter, node: ast.Call, entries: tuple[Value, ...], weight: float) -> Value:
    """The object that ``entries`` make."""
    if not all(entry.members is not None and any(key == "value" for key, _ in entry.members) for entry in entries):
        return _of("object", weight)
    values = _merge(run.step(entry, "value", node) for entry in entries)
    return Value(types=frozenset({"object"}), members=(), others=values, weight=weight)


def _index(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    """INDEX: an object of the elements, by a text made of each."""
    if len(node.arguments) == 1:
        members = _members(run, node, value, scope)
    else:
        members = run.run(node.arguments[0], value, scope)
    run.each(members, node.arguments[-1], scope)
    return Flow((Value(types=frozenset({"object"}), members=(), others=members.values, weight=value.weight),))


def _first(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    if not node.arguments:
        return Flow((run.step(value, 0, node),))
    flow = run.run(node.arguments[-1], value, scope)
    return replace(flow, most=min(1.0, flow.most))


def _nth(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    positions = run.run(node.arguments[0], value, scope)
    flow = run.run(node.arguments[1], value, scope)
    return replace(flow, least=0, most=min(1.0, flow.most) * positions.most)


def _limit(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    times = run.run(node.arguments[0], value, scope)
    flow = run.run(node.arguments[1], value, scope)
    bounds = [float(item.literal) for item in times.values if isinstance(item.literal, int | float)]
    if not bounds or len(bounds) != len(times.values):
        return replace(flow, least=0, most=flow.most * times.most)
    # Once for each number of times there is.
    least = flow.least * times.least if min(bounds) >= 1 else 0
    return replace(flow, least=least, most=min(flow.most, max(0.0, math.ceil(max(bounds)))) * times.most)


def _skip(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    times = run.run(node.arguments[0], value, scope)
    flow = run.run(node.arguments[1], value, scope)
    return replace(flow, least=0, most=flow.most * times.most)


def _any_all(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    if len(node.arguments) == 2:
        tests = run.each(run.run(node.arguments[0], value, scope), node.arguments[1], scope)
    else:
        # FAIL_ON_NULL has already spoken of the input.
        members = _members(run, node, value, scope)
        tests = run.each(members, node.arguments[0], scope) if node.arguments else members
    # Without elements any is false and all is true.
    empty = node.name == "all"
    if run.decided(replace(tests, least=1)) is empty:
        return Flow((_literal(empty),))
    return Flow((_TRUTH,))


def _members(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    run.guarded += 1
    flow = run.iterate(node, ast.Identity(), value, scope)
    run.guarded -= 1
    return flow


def _sorting(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    """sort, sort_by, unique…, reverse: the same elements in an array."""
    members = _members(run, node, value, scope)
    for argument in node.arguments:
        run.each(members, argument, scope)
    elements = members.values
    if node.name == "group_by":
        elements = (Value(types=frozenset({"array"}), elements=members.values),)
    return Flow((Value(types=frozenset({"array"}), elements=elements, count=value.count, weight=value.weight),))


def _extreme(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    """min, max, min_by, max_by, last: one of the elements, or null."""
    members = _members(run, node, value, scope)
    for argument in node.arguments:
        run.each(members, argument, scope)
    if node.name in ("min", "max"):
        for item in _read(members):
            others = frozenset[str]().union(*(each.types for each in members.values if each is not item)) - {"null"}
            if others and not item.types & others:
                run.misfit(node, MisfitKind.COMPARISON, item, node.name, other=others)
    absent = frozenset() if value.filled else frozenset({"null"})
    return Flow(_merge(_or(item, absent) for item in members.values) or (Value(types=frozenset({"null"})),))


def _add(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    items = run.run(node.arguments[0], value, scope) if node.arguments else _members(run, node, value, scope)
    types = items.types | {"null"} if items.values else frozenset({"null"})
    heavy = types & {"string", "array", "object"} if not any(item.path for item in items.values) else frozenset()
    weight = max((item.weight for item in items.values), default=1.0) * (items.most if heavy else 1.0)
    for item in _read(items):
        others = frozenset[str]().union(*(each.types for each in items.values if each is not item)) - {"null"}
        if others and not item.types & others:
            run.misfit(node, MisfitKind.OPERANDS, item, "+", other=others)
    sum_of = Value(types=types, weight=max(1.0, weight))
    filled = [item for item in items.values if item.types != {"null"}]
    if filled and all(item.members is not None for item in filled):
        sum_of = replace(_merged_objects(filled), types=types, weight=sum_of.weight)
    elif filled and all(item.elements is not None for item in filled):
        sum_of = replace(sum_of, elements=_merge(element for item in filled for element in item.elements or ()))
    elif len({item.shape for item in filled}) == 1:
        sum_of = replace(sum_of, shape=filled[0].shape)
    return Flow((sum_of,))


def _not(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    decided = run.decided(Flow((value,)))
    return Flow((_TRUTH if decided is None else _literal(not decided),))


def _type(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    if not run.typed:
        return Flow((_of("string"),))
    return Flow(tuple(_literal(name) for name in sorted(value.types)))


def _length(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    return Flow((_of("number"),))


def _only(*types: str) -> _Handler:
    """values, strings, numbers…: passes what has one of the types."""
    wanted = frozenset(types)

    def handler(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
        kept = value.types & wanted
        if not kept:
            return _NOTHING
        known = value.known | ({value.path} if value.path is not None and "null" not in wanted else frozenset())
        return Flow((replace(value, types=kept, known=known),), 1 if kept == value.types else 0)

    return handler


def _empty(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    return _NOTHING


def _error(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    for argument in node.arguments:
        run.run(argument, value, scope)
    return _NOTHING


def _getpath(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    argument = node.arguments[0]
    steps = _literal_steps(argument)
    if steps is None:
        run.run(argument, value, scope)
        return Flow((Value(path=None if value.path is None else (*value.path, Every.COMPUTED), known=value.known),))
    result = value
    for each, step in steps:
        result = run.step(result, step, each)
    return Flow((result,))


def _literal_steps(node: ast.Node) -> list[tuple[ast.Node, Step]] | None:
    """The steps of a path written as a literal array, each with its node; None when it is computed."""
    if not isinstance(node, ast.Array):
        return None
    steps: list[tuple[ast.Node, Step]] = []
    pending = [] if node.body is None else [node.body]
    while pending:
        item = pending.pop(0)
        if isinstance(item, ast.Comma):
            pending[:0] = [item.left, item.right]
        elif isinstance(item, ast.String) and item.literal is not None:
            steps.append((item, item.literal))
        elif isinstance(item, ast.Literal) and isinstance(item.value, int) and not isinstance(item.value, bool):
            steps.append((item, item.value))
        else:
            return None
    return steps


def _isempty(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    run.run(node.arguments[0], value, scope)
    return Flow((_TRUTH,))


def _replaced(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    """sub, gsub: the replacement can come once for every character, and once more."""
    for position, argument in enumerate(node.arguments):
        if position != 1:
            run.run(argument, value, scope)
    flow = run.run(node.arguments[1], Value(types=frozenset({"object"})), scope)
    each = max((_length_of(item) for item in flow.values), default=1.0)
    return Flow((_of("string", value.weight * (1.0 + each)),), 0, max(1.0, flow.most))


def _length_of(value: Value) -> float:
    return max(value.weight, len(value.literal) / 8 if isinstance(value.literal, str) else 1.0)


def _joined(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    separators = run.run(node.arguments[0], value, scope)
    each = max((_length_of(item) for item in separators.values), default=1.0)
    weight = value.weight + (value.count * each if each > 1 else 0.0)
    return Flow((_of("string", weight),), separators.least, separators.most)


def _exploded(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    """explode: as many numbers as the text has characters."""
    return Flow((Value(types=frozenset({"array"}), elements=(_of("number"),), count=_CHARACTERS * value.weight),))


def _has(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    flow = run.run(node.arguments[0], value, scope)
    for item in flow.values:
        if isinstance(item.literal, str):
            if value.path is not None:
                run.read((*value.path, item.literal), node)
            run.below(value, item.literal, node)
    return Flow((_TRUTH,), flow.least, flow.most)


def _keys(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    element = Value(types=frozenset({"string"}) if "object" in value.types else frozenset({"number"}))
    if value.path is not None:
        run.read((*value.path, Every.MEMBER), node)
    run.shapes_within(value, node)
    return Flow((Value(types=frozenset({"array"}), elements=(element,), count=value.count),))


def _pick(run: _Interpreter, node: ast.Call, value: Value, scope: _Scope) -> Flow:
    run.run(node.arguments[0], value, scope)
    return Flow((_of("object"),))


_HANDLERS: Final[dict[str, _Handler]] = {
    "select/1": _select,
    "map/1": _map,
    "map_values/1": _map_values,
    "to_entries/0": _to_entries,
    "from_entries/0": _from_entries,
    "INDEX/1": _index,
    "INDEX/2": _index,
    "not/0": _not,
    "type/0": _type,
    "with_entries/1": _with_entries,
    "first/0": _first,
    "first/1": _first,
    "last/1": _first,
    "nth/2": _nth,
    "last/0": _extreme,
    "min/0": _extreme,
    "max/0": _extreme,
    "min_by/1": _extreme,
    "max_by/1": _extreme,
    "limit/2": _limit,
    "skip/2": _skip,
    **dict.fromkeys(("any/0", "any/1", "any/2", "all/0", "all/1", "all/2"), _any_all),
    **dict.fromkeys(
        ("sort/0", "sort_by/1", "unique/0", "unique_by/1", "group_by/1", "reverse/0", "flatten/0"), _sorting
    ),
    "add/0": _add,
    "add/1": _add,
    "length/0": _length,
    **dict.fromkeys(("sub/2", "sub/3", "gsub/2", "gsub/3"), _replaced),
    "join/1": _joined,
    "explode/0": _exploded,
    "values/0": _only("boolean", "number", "string", "array", "object"),
    "nulls/0": _only("null"),
    "strings/0": _only("string"),
    "numbers/0": _only("number"),
    "booleans/0": _only("boolean"),
    "arrays/0": _only("array"),
    "objects/0": _only("object"),
    "iterables/0": _only("array", "object"),
    "scalars/0": _only("null", "boolean", "number", "string"),
    "empty/0": _empty,
    "error/0": _error,
    "error/1": _error,
    "getpath/1": _getpath,
    "isempty/1": _isempty,
    "has/1": _has,
    "keys/0": _keys,
    "keys_unsorted/0": _keys,
    "pick/1": _pick,
}
