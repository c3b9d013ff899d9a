"""Family WM3: expressions against the schema of the kind they read, before anything runs.

Where no CRD is given for a kind the rules about it rest; pods are typed always. A step that fits nothing gives one
finding, and nothing is said of what follows from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath

from wmap_lint import kubernetes
from wmap_lint.crd import KindSchema
from wmap_lint.crd_types import TAKES, Places, close_names, fits, is_fit, places_fit_for, places_of, shape_at
from wmap_lint.definition import (
    Component,
    ConditionMatcher,
    Expression,
    GroupVersionKind,
    Matcher,
    ResultType,
    Slot,
    StatusDefinition,
    SuspendAction,
)
from wmap_lint.diagnostic import Severity, Span
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.flow import Interpretation, Misfit, MisfitKind, Path, Value, path_text
from wmap_lint.jq.unparse import unparse
from wmap_lint.paths import lookup
from wmap_lint.rules.context import Context
from wmap_lint.rules.dead_ends import Misspelling
from wmap_lint.rules.jq_rules import has_wrong_type, may_be_text
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.shape import Shape
from wmap_lint.spelling import nearest
from wmap_lint.wording import listed, shortened

_MOST_NAMES = 8
_MISSPELT = 2
"""As many letters may be wrong in a kind that is meant to be another."""


def _typed(context: Context) -> Iterator[tuple[Expression, Analysis, Interpretation, KindSchema]]:
    """Every expression that is typed, also of the status model; one whose place is in doubt is not."""
    for expression in (*context.expressions, *(path for path, _ in context.varied)):
        interpretation = context.typing.of(expression)
        analysis = analyse(expression.text)
        schema = context.typing.schema(expression)
        if interpretation is None or schema is None or not isinstance(analysis, Analysis):
            continue
        if not context.is_doubtful(expression.path):
            yield expression, analysis, interpretation, schema


def _misfits(
    context: Context, kinds: frozenset[MisfitKind]
) -> Iterator[tuple[Expression, Analysis, Misfit, KindSchema]]:
    for expression, analysis, interpretation, schema in _typed(context):
        told = {id(clash.node) for clash in analysis.flow.type_clashes}
        for misfit in interpretation.misfits:
            if misfit.kind in kinds and id(misfit.node) not in told:
                yield expression, analysis, misfit, schema


def _has_misfit(interpretation: Interpretation, node: ast.Node | None = None) -> bool:
    return any(
        node is None or (node.start <= misfit.node.start and misfit.node.end <= node.end)
        for misfit in interpretation.misfits
    )


def _kind(schema: KindSchema) -> str:
    """``JobSet v1alpha2``; a kind of Kubernetes' own by its name alone."""
    return schema.kind if schema.crd is None else f"{schema.kind} {schema.version}"


def _written(path: Path | None) -> str:
    return "" if path is None else path_text(path) if path else "."


def _step(expression: Expression, node: ast.Node) -> tuple[int, int]:
    """The characters of the step that ``node`` makes: a key with its dot, the brackets."""
    if isinstance(node, ast.Index):
        start = node.key.start
        if expression.text[start - 1 : start] == ".":
            return start - 1, node.key.end
        bracket = expression.text.rfind("[", node.start, start)
        return (bracket, node.end) if bracket >= 0 else (start, node.key.end)
    if isinstance(node, ast.Iterate):
        at = expression.text.rfind("[", node.start, node.end)
        return (at if at >= 0 else node.start), node.end
    return node.start, node.end


def _quoted(analysis: Analysis, node: ast.Node) -> str:
    return f"`{shortened(analysis.text[node.start : node.end], 60)}`"


_ARTICLES = {
    "array": "a list",
    "object": "an object",
    "string": "a text",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _types(types: frozenset[str]) -> str:
    return " or ".join(text for name, text in _ARTICLES.items() if name in types) or "nothing"


def _a(shape: Shape) -> str:
    noun = shape.describe()
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


# -- steps --------------------------------------------------------------------------------------------


@rule("WM301", "field-not-in-schema", Severity.ERROR, "The schema of the kind has no such field.")
def field_not_in_schema(context: Context) -> Iterable[Finding]:
    """What the API server would drop is null in every object."""
    for expression, _, misfit, schema in _misfits(context, frozenset({MisfitKind.UNKNOWN_FIELD})):
        start, end = _step(expression, misfit.node)
        shape = misfit.shape
        assert shape is not None
        where = f" in `{_written(misfit.path)}`" if misfit.path else ""
        message = f"{_kind(schema)} has no field `{misfit.name}`{where}: this is null in every object."
        if shape.is_pruned:
            message = (
                f"{_kind(schema)} keeps no field{where}: its schema names none, so the API server drops what is "
                f"written there, and `{misfit.name}` is null in every object."
            )
        close = close_names(shape, misfit.name)
        fix = None
        if isinstance(misfit.node, ast.Index):
            key = misfit.node.key
            fix = Misspelling(expression, misfit.name, start, end, key.start, key.end, close).fix
        yield Finding(
            expression.span(start, end),
            message,
            _meant(schema, misfit, shape, close),
            fix=fix,
        )


def _meant(schema: KindSchema, misfit: Misfit, shape: Shape, close: tuple[str, ...]) -> str:
    if close:
        return f"Did you mean {listed(close[:3], 'or')}?"
    places = places_of(schema.shape, misfit.path, shape, misfit.name)
    if elsewhere := _elsewhere(places):
        return elsewhere
    names = sorted(shape.names)
    if 0 < len(names) <= _MOST_NAMES:
        return f"The fields there are {listed(names)}."
    kind = schema.kind if schema.crd is None else schema.crd.kind
    path = f" '{_written(misfit.path)}'" if misfit.path else ""
    return f"`wmap-lint crd show {kind}{path}` lists the fields that are there."


def _elsewhere(places: Places) -> str | None:
    if places.above and places.below:
        return f"It is higher up, {listed(map(path_text, places.above[:1]), 'or')}, and further down, " + (
            f"{listed(map(path_text, places.below), 'or')}."
        )
    if places.above:
        return f"It is higher up: {listed(map(path_text, places.above[:2]), 'or')}."
    if places.below:
        return f"It is further down: {listed(map(path_text, places.below), 'or')}."
    return None


@rule("WM302", "step-into-wrong-type", Severity.ERROR, "A step goes into a value of a type that has no such step.")
def step_into_wrong_type(context: Context) -> Iterable[Finding]:
    """A field of a list, the elements of a number: jq fails, or gives nothing behind a ``?``."""
    kinds = frozenset(
        {MisfitKind.NOT_AN_OBJECT, MisfitKind.NOT_A_LIST, MisfitKind.NOT_ITERABLE, MisfitKind.MIXED_FIELDS}
    )
    for expression, analysis, misfit, schema in _misfits(context, kinds):
        start, end = _step(expression, misfit.node)
        what = _a(misfit.shape) if misfit.shape is not None else _types(misfit.types)
        subject = f"`{_written(misfit.path)}` of {_kind(schema)}" if misfit.path else "This"
        step = _quoted(analysis, misfit.node)
        if misfit.kind is MisfitKind.NOT_AN_OBJECT:
            message = f"{subject} is {what}, which has no field `{misfit.name}`: {step} fails wherever it is set."
        elif misfit.kind is MisfitKind.NOT_A_LIST:
            message = f"{subject} is {what}, not a list: {step} fails wherever it is set."
        elif misfit.kind is MisfitKind.MIXED_FIELDS:
            message = (
                f"{subject} is no list or map but {what} with fields of its own: {step} goes through the values of all "
                "of them, of whatever type they are."
            )
        else:
            message = f"{subject} is {what}, which has no elements: {step} fails wherever it is set."
        yield Finding(expression.span(start, end), message, _step_hint(expression, misfit, schema))


def _step_hint(expression: Expression, misfit: Misfit, schema: KindSchema) -> str | None:
    shape = misfit.shape
    if shape is None:
        return None
    if misfit.kind is MisfitKind.NOT_AN_OBJECT and shape.kind == "array":
        items = shape.items
        if items is not None and misfit.name in items.names:
            target = misfit.node.target if isinstance(misfit.node, ast.Index) else None
            path = unparse(target) if target is not None else _written(misfit.path)
            return f"Go through its elements: `{path}[]?.{misfit.name}`, or one of them with `first(…)`, `any(…)`."
    if misfit.kind is MisfitKind.MIXED_FIELDS:
        inner = [name for name, each in shape.fields if each.kind == "array" or each.members is not None]
        return f"Lists and maps in it: {listed(inner)}." if 0 < len(inner) <= _MOST_NAMES else "Name a field."
    if misfit.kind is MisfitKind.NOT_ITERABLE:
        return "Leave the `[]` out."
    if misfit.kind is MisfitKind.NOT_A_LIST:
        return "Leave the index out." if shape.kind != "object" else "Name a field."
    above = shape_at(schema.shape, misfit.path[:-1]) if misfit.path else None
    if misfit.path and above is not None and above.members is not None and isinstance(misfit.path[-1], str):
        key = (*misfit.path[:-1], f"{misfit.path[-1]}.{misfit.name}")
        return f"A key with a dot in it stands in brackets: `{path_text(key)}`."
    if misfit.path is not None and (found := _elsewhere(places_of(schema.shape, misfit.path, shape, misfit.name))):
        return found
    return None


# -- types --------------------------------------------------------------------------------------------


@rule("WM303", "types-do-not-fit", Severity.ERROR, "An operation on types that do not go together.")
def types_do_not_fit(context: Context) -> Iterable[Finding]:
    """Comparisons of different types, functions and calculations that fail on what the schema says is there."""
    kinds = frozenset(
        {MisfitKind.COMPARISON, MisfitKind.INPUT, MisfitKind.ARGUMENT, MisfitKind.OPERANDS, MisfitKind.KEY}
    )
    for expression, analysis, misfit, _ in _misfits(context, kinds):
        node = misfit.node
        written = _quoted(analysis, node)
        subject = f"`{_written(misfit.path)}`" if misfit.path else "this"
        is_what = _a(misfit.shape) if misfit.shape is not None else _types(misfit.types)
        hint: str | None = None
        if misfit.kind is MisfitKind.COMPARISON:
            left, right = _types(misfit.types), _types(misfit.other)
            if misfit.name in ("==", "!="):
                outcome = f"they are never equal, so this is always {'false' if misfit.name == '==' else 'true'}"
                if misfit.shape is None or not misfit.path:
                    outcome = "they are never equal"
            else:
                outcome = "jq then orders them by their type, whatever the values are"
            message = f"{written} compares {left} with {right}: {outcome}."
            hint = _comparison_hint(misfit)
        elif misfit.kind is MisfitKind.INPUT:
            message = f"{subject[:1].upper()}{subject[1:]} is {is_what}, and `{misfit.name}` fails on that."
            hint = "Take its elements first: `[]`, `map(…)`." if misfit.shape and misfit.shape.kind == "array" else None
        elif misfit.kind is MisfitKind.KEY:
            place = "a field is named by a text" if "object" in misfit.other else "an element is named by a number"
            message = f"{written} is {is_what}, and {place}."
            hint = _text_in(misfit)
        elif misfit.kind is MisfitKind.ARGUMENT:
            message = f"`{misfit.name}` takes a text, and {written} is {is_what}: it fails."
            hint = "Convert it with `tostring`." if misfit.types <= {"number", "boolean"} else None
        else:
            other = f" and {_types(misfit.other)}" if misfit.other else ""
            repeats = misfit.name == "*" and misfit.types | misfit.other == {"string", "number"}
            outcome = "repeats the text" if repeats else "fails"
            message = f"{written} calculates with {_types(misfit.types)}{other}, which {outcome}."
            hint = (
                "Convert a number that is written as a text with `tonumber`."
                if "string" in misfit.types | misfit.other
                else None
            )
        yield Finding(expression.span(node.start, node.end), message, hint)


def _text_in(misfit: Misfit) -> str | None:
    """The texts among the fields of what is used as a key."""
    shape = misfit.shape
    names = [] if shape is None else [name for name, each in shape.fields if each.kind == "string"]
    return f"Texts in it: {listed(sorted(names))}." if 0 < len(names) <= _MOST_NAMES else None


def _comparison_hint(misfit: Misfit) -> str | None:
    types = misfit.types | misfit.other
    if types == {"array", "number"}:
        return "Compare how many there are: `length`."
    if types == {"number", "string"}:
        return "Compare values of one type: `tonumber` for a number in a text, `tostring` the other way."
    if types == {"boolean", "string"}:
        return "Write true and false without quotes: in jq they are no texts."
    if "array" in types:
        return "Compare its elements: `any(.[]?; …)`."
    return None


# -- places -------------------------------------------------------------------------------------------


@rule(
    "WM304", "result-not-fit-for-place", Severity.ERROR, "The schema says that the result is not what its place takes."
)
def result_not_fit_for_place(context: Context) -> Iterable[Finding]:
    """A path that leads to something else than a pod template, a count, a text…"""
    for expression, analysis, interpretation, schema in _typed(context):
        if _has_misfit(interpretation) or has_wrong_type(expression, analysis):
            continue
        wanted = expression.slot.result
        values = [value for value in interpretation.result.values if value.types - {"null"}]
        if wanted is ResultType.EXISTENCE:
            yield from _selector(context, expression, analysis, values)
        elif values and wanted in TAKES and (wrong := _wrong(wanted, values)):
            yield Finding(
                expression.span(),
                f"`{expression.slot.label}` takes {wanted.value}, and {_subject(wrong, schema)} is "
                f"{_described(wrong)}: {_consequence(expression, wrong)}.",
                _place_hint(expression, wrong[0], schema),
            )


def _wrong(wanted: ResultType, values: list[Value]) -> list[Value]:
    """Those of the values that are read from the object and do not fit; computed ones count when all are wrong."""
    wrong = [value for value in values if is_fit(wanted, value) is False]
    read = [value for value in wrong if value.shape is not None]
    return read or (wrong if len(wrong) == len(values) else [])


def _described(values: list[Value]) -> str:
    shapes = {value.shape for value in values}
    shape = next(iter(shapes))
    if len(shapes) == 1 and shape is not None:
        known = next((each for each in _KNOWN if fits(each, shape)), None)
        return _a(shape) if known is None else known.value
    return _types(frozenset().union(*(value.types for value in values)) - {"null"})


#: Objects that have a name of their own.
_KNOWN = (ResultType.POD_TEMPLATE_SPEC, ResultType.POD_SPEC, ResultType.CONTAINERS, ResultType.CONTAINER)


def _subject(values: list[Value], schema: KindSchema) -> str:
    (value, *others) = values
    return "this" if others or not value.path else f"`{path_text(value.path)}` of {_kind(schema)}"


def _consequence(expression: Expression, values: list[Value]) -> str:
    wanted = expression.slot.result
    if any(value.types & TAKES[wanted] for value in values) and wanted not in (
        ResultType.STRING_MAP,
        ResultType.INTEGER,
    ):
        return "consumers read it without an error, and find nothing in it"
    if wanted is ResultType.INTEGER and any("string" in value.types for value in values):
        return "older consumers fail on a count in a text, newer ones unless it is all digits"
    return "consumers fail on it"


def _place_hint(expression: Expression, value: Value, schema: KindSchema) -> str | None:
    shape, path = value.shape, value.path
    wanted = expression.slot.result
    if shape is None:
        return None
    if wanted in (ResultType.INTEGER, ResultType.STRING, ResultType.KEY):
        if wanted is ResultType.INTEGER and shape.kind == "array":
            return "Count its elements with `length`."
        if shape.kind == "object":
            names = [name for name, each in shape.fields if is_fit(wanted, Value(types=each.types, shape=each))]
            if 0 < len(names) <= _MOST_NAMES:
                return f"In it {'is' if len(names) == 1 else 'are'} {listed(names)}."
        return (
            "Convert it with `tostring`."
            if wanted is not ResultType.INTEGER and shape.types <= {"number", "boolean"}
            else None
        )
    places = places_fit_for(schema.shape, path, shape, wanted)
    named = expression.slot.label.removesuffix("Path")
    below = sorted(places.below, key=lambda each: each[-1] != named)
    candidates = [*below[:1], *places.above[:1]]
    if path is None or not candidates:
        return None
    return f"{listed(map(path_text, candidates), 'or')} is {wanted.value}."


def _selector(context: Context, expression: Expression, analysis: Analysis, values: list[Value]) -> Iterator[Finding]:
    """A keyPath with a value is compared with a text, which only a text equals."""
    if not values or analysis.flow.result.types == {"boolean"}:  # WM215 tells of these
        return
    component = context.definition.component(expression.component or "")
    selector = component.pod_selector if component is not None else None
    kind = selector.type_selector if selector is not None else None
    if kind is None or kind.value is None or any("string" in value.types for value in values):
        return
    yield Finding(
        expression.span(),
        f"This is {_described(values)}, and is compared with the text of `value`: no pod matches.",
        'Write a path to a text, such as a label: `.metadata.labels["…"]`.',
    )


@rule("WM305", "not-in-enumeration", Severity.ERROR, "A text that the schema does not allow in that field.")
def not_in_enumeration(context: Context) -> Iterable[Finding]:
    """Phases, conditions and literals that no object can have."""
    for expression, _, misfit, schema in _misfits(context, frozenset({MisfitKind.OUTSIDE_ENUM})):
        assert misfit.shape is not None
        yield _outside(
            expression.span(misfit.node.start, misfit.node.end),
            misfit.name,
            misfit.shape,
            f"`{_written(misfit.path)}` of {_kind(schema)}" if misfit.path else "it",
            "is compared with",
        )
    root = context.definition.root
    status = None if root is None else root.status_definition
    if status is None or context.typing.workload is None:
        return
    yield from _phases(context, status)
    yield from _conditions(context, status)
    yield from _expected(context, status)


def _outside(span: Span, text: str, shape: Shape, what: str, verb: str) -> Finding:
    allowed = [value for value in shape.enum or () if isinstance(value, str)]
    close = nearest(text, allowed)
    values = ", ".join(f"`{value}`" for value in allowed[:_MOST_NAMES]) + (", …" if len(allowed) > _MOST_NAMES else "")
    return Finding(
        span,
        f"{what[:1].upper()}{what[1:]} {verb} `{shortened(text, 40)}`, which it never is: the schema allows {values}.",
        f"Did you mean {listed(close, 'or')}?" if close else None,
    )


def _matchers(status: StatusDefinition) -> Iterator[Matcher]:
    for mapping in status.mappings:
        yield from mapping.matchers


def _phases(context: Context, status: StatusDefinition) -> Iterator[Finding]:
    interpretation = None if status.phase is None else context.typing.of(status.phase)
    if status.phase is None or interpretation is None:
        return
    values = [value for value in interpretation.result.values if value.types != {"null"}]
    shapes = [value.shape for value in values if value.shape is not None and value.shape.enum is not None]
    if not shapes or len(shapes) < len(values):
        return
    for matcher in _matchers(status):
        phase = matcher.by_phase
        if phase and not any(phase in (shape.enum or ()) for shape in shapes):
            what = f"`{_written(values[0].path)}`" if values[0].path else "the phase"
            yield _outside(matcher.span("byPhase"), phase, shapes[0], what, "is matched with")


def _conditions(context: Context, status: StatusDefinition) -> Iterator[Finding]:
    shape, names = context.typing.conditions, status.conditions
    if shape is None or names is None or shape.kind != "object":
        return
    for matcher in _matchers(status):
        for condition in matcher.by_conditions:
            for key, field in (
                ("type", names.type_field_name),
                ("status", names.status_field_name),
                ("reason", names.reason_field_name),
            ):
                text = _stated(condition, key)
                found = shape.field(field) if field else None
                if text and found is not None and found.enum is not None and text not in found.enum:
                    yield _outside(condition.span(key), text, found, f"the {key} of a condition", "is matched with")


def _stated(condition: ConditionMatcher, key: str) -> str | None:
    return {"type": condition.type, "status": condition.status, "reason": condition.reason}[key]


def _expected(context: Context, status: StatusDefinition) -> Iterator[Finding]:
    """An expected result that is no text of anything the expression can give."""
    for matcher in _matchers(status):
        by = matcher.by_expression
        if by is None or by.expression is None or by.expected_result is None:
            continue
        interpretation, analysis = context.typing.of(by.expression), analyse(by.expression.text)
        if interpretation is None or not isinstance(analysis, Analysis) or _has_misfit(interpretation):
            continue
        untyped = analysis.flow.result.values
        values = interpretation.result.values
        if not any(may_be_text(value, by.expected_result) for value in untyped):
            continue  # WM210
        if (
            values
            and not any(_gives_text(value, by.expected_result) for value in values)
            and not _is_constant(interpretation)
        ):
            yield Finding(
                by.span("expectedResult"),
                f"The expression gives {_described([*values])}, never `{shortened(by.expected_result, 40)}`: this "
                "matcher never holds.",
                "Expect a text that it can give, or end the expression with a comparison.",
            )


def _gives_text(value: Value, text: str) -> bool:
    """Whether ``value | tostring`` can be ``text``."""
    if value.shape is None:
        return may_be_text(value, text)
    if text == "null" and "null" in value.types:
        return True
    if value.shape.enum is not None:
        return text in {each if isinstance(each, str) else json.dumps(each) for each in value.shape.enum}
    return "string" in value.types or may_be_text(Value(types=value.types), text)


@rule("WM306", "no-such-condition-field", Severity.ERROR, "Conditions of the kind have no field of that name.")
def no_such_condition_field(context: Context) -> Iterable[Finding]:
    """``typeFieldName`` and the like, against the elements of the conditions."""
    root = context.definition.root
    status = None if root is None else root.status_definition
    shape = context.typing.conditions
    if status is None or status.conditions is None or shape is None or shape.kind != "object" or shape.open:
        return
    conditions = status.conditions
    for key, name in (
        ("typeFieldName", conditions.type_field_name),
        ("statusFieldName", conditions.status_field_name),
        ("reasonFieldName", conditions.reason_field_name),
        ("messageFieldName", conditions.message_field_name),
    ):
        if not name or context.is_doubtful((*conditions.path, key)):
            continue
        found = shape.field(name)
        if found is None:
            close = close_names(shape, name)
            yield Finding(
                conditions.span(key),
                f"A condition has no field `{name}`: nothing is ever matched through `{key}`.",
                f"Did you mean {listed(close, 'or')}?" if close else f"Its fields are {listed(sorted(shape.names))}.",
            )
        elif "string" not in found.types:
            yield Finding(
                conditions.span(key),
                f"`{name}` of a condition is {_a(found)}, and is compared with texts: nothing is ever matched.",
            )


@rule("WM307", "value-not-assignable", Severity.ERROR, "A suspend or resume action writes a value of the wrong type.")
def value_not_assignable(context: Context) -> Iterable[Finding]:
    """The API server refuses the object then."""
    for component in context.definition.components:
        suspend = component.suspend_definition
        if suspend is None:
            continue
        for action in (*suspend.suspend_actions, *suspend.resume_actions):
            yield from _assigned(context, action)
    yield from _varied(context)


def _varied(context: Context) -> Iterator[Finding]:
    """Values that the status model gives a field and the API server would refuse."""
    for expression, place in context.varied:
        values = lookup(expression.document.data, (*place, "values"))
        target = _target(context, expression)
        if target is None or not isinstance(values, list):
            continue
        shape, path, schema = target
        for position, value in enumerate(values):
            if value is not None and not _takes(shape, value):
                yield Finding(
                    expression.document.span((*place, "values", position)),
                    f"{_refused(shape, path, schema, value)}, so no object is in this state.",
                    "Write a value that the field can have.",
                )


def _assigned(context: Context, action: SuspendAction) -> Iterator[Finding]:
    expression = action.expression
    if expression is None or action.value is None or context.is_doubtful(action.path):
        return
    target = _target(context, expression)
    try:
        value = json.loads(action.value)
    except (ValueError, RecursionError):
        return  # WM810
    if target is None or value is None or _takes(target[0], value):
        return
    shape, path, schema = target
    meant = _meant_value(shape, value)
    yield Finding(
        action.span("value"),
        f"{_refused(shape, path, schema, value)}: the API server refuses the object.",
        None if meant is None else f"Write `value: {json.dumps(meant)}`.",
    )


def _target(context: Context, expression: Expression) -> tuple[Shape, Path | None, KindSchema] | None:
    """The one shape of the places that ``expression`` leads to, and where they are; None when it is not known."""
    interpretation, schema = context.typing.of(expression), context.typing.schema(expression)
    if interpretation is None or schema is None or _has_misfit(interpretation):
        return None
    values = [each for each in interpretation.result.values if each.types != {"null"}]
    shapes = {each.shape for each in values}
    shape = next(iter(shapes)) if len(shapes) == 1 else None
    return None if shape is None else (shape, values[0].path, schema)


def _refused(shape: Shape, path: Path | None, schema: KindSchema, value: object) -> str:
    allowed = f", one of {listed(map(str, shape.enum), 'or')}" if shape.enum else ""
    written = _types(frozenset({_json_type(value)}))
    return f"`{_written(path)}` of {_kind(schema)} is {_a(shape)}{allowed}, and this writes {written}"


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _takes(shape: Shape, value: object) -> bool:
    if shape.is_any:
        return True
    if _json_type(value) not in shape.types:
        return False
    if shape.kind == "integer" and isinstance(value, float) and not value.is_integer():
        return False
    return shape.enum is None or value in shape.enum


def _meant_value(shape: Shape, value: object) -> str | None:
    """The text to write for a value of the right type, where one is obvious."""
    if shape.kind == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower()
    if shape.kind == "boolean" and value in (0, 1):
        return "true" if value else "false"
    if shape.kind == "string" and isinstance(value, bool | int):
        text = json.dumps(value)
        return json.dumps(text) if shape.enum is None or text in shape.enum else None
    return None


@rule("WM308", "constant-by-type", Severity.WARNING, "The schema leaves the expression one result only.")
def constant_by_type(context: Context) -> Iterable[Finding]:
    """Always true, always false or always null, whatever the object holds."""
    for expression, analysis, interpretation, schema in _typed(context):
        if _has_misfit(interpretation) or analysis.flow.type_clashes or not analysis.flow.reads:
            continue
        if not _is_constant(interpretation) or _is_constant(analysis.flow):
            continue
        first = interpretation.result.values[0]
        outcome = None if first.types == {"null"} else first.literal
        if expression.slot is not Slot.MATCHER_EXPRESSION and outcome is not None:
            continue  # a count or a key that is the same for all may be meant so: WM218
        yield Finding(
            expression.span(),
            f"By the schema of {_kind(schema)} this is always {json.dumps(outcome)}.",
            "Compare with something that differs between objects.",
        )


def _is_constant(interpretation: Interpretation) -> bool:
    result = interpretation.result
    if not result.values or result.least == 0:
        return False
    first = result.values[0]
    if all(value.types == {"null"} for value in result.values):
        return True
    return first.has_literal and all(value.has_literal and value.literal is first.literal for value in result.values)


# -- kinds --------------------------------------------------------------------------------------------


@rule("WM310", "kind-not-served", Severity.ERROR, "The CRD does not serve the kind in this version.")
def kind_not_served(context: Context) -> Iterable[Finding]:
    """A kind or a version that the CRDs given do not have, do not serve, or have deprecated."""
    root = context.definition.root
    if root is None or root.kind is None or not root.kind.group or context.is_doubtful(root.kind.path):
        return  # of the core group only Pod can be a root: WM109
    yield from _kind_fault(context, root.kind, root, Severity.ERROR)


def _kind_fault(
    context: Context, kind: GroupVersionKind, component: Component | None, severity: Severity
) -> Iterator[Finding]:
    if not kind.kind or not kind.version:
        return
    index = context.typing.index
    crds = index.of_kind(kind.group, kind.kind)
    if not crds:
        yield from _unknown_kind(context, kind, severity)
        if component is not None:
            yield from _other_version(kind)
        return
    versions = {version.name: version for crd in crds for version in crd.versions}
    served = sorted(name for name, version in versions.items() if version.served)
    found = next(
        (version for crd in crds if (version := crd.version(kind.version)) is not None and version.served), None
    )
    all_served = listed(served) if served else "no version"
    if kind.version not in versions:
        yield Finding(
            kind.span("version"),
            f"`{crds[0].name}` has no version `{kind.version}`; it serves {all_served}.",
            f"Did you mean {listed(nearest(kind.version, served) or served, 'or')}?" if served else None,
            severity=severity,
        )
    elif found is None:
        stored = " It is only what the API server stores." if versions[kind.version].storage else ""
        yield Finding(
            kind.span("version"),
            f"`{crds[0].name}` does not serve version `{kind.version}` any more; it serves {all_served}.{stored}",
            f"Write {listed(served, 'or')}." if served else None,
            severity=severity,
        )
    elif found.deprecated and component is not None:
        others = [name for name in served if not versions[name].deprecated]
        if any(_is_beside(context, kind, version) for version in others):
            return
        note = f": {shortened(found.warning, 120)}" if found.warning else ""
        yield Finding(
            kind.span("version"),
            f"Version `{kind.version}` of `{crds[0].name}` is deprecated{note}{'' if note.endswith('.') else '.'}",
            f"Write a definition for {listed(others, 'or')}." if others else None,
            severity=Severity.WARNING,
        )


def _is_beside(context: Context, kind: GroupVersionKind, version: str) -> bool:
    """Whether the folder has a definition for this version too, in a file with the name of the catalog's."""
    name = f"{kind.group.replace('.', '-')}-{kind.kind.lower()}-{version}.yaml"
    return "/" not in name and (FilePath(context.document.source.file).parent / name).is_file()


def _unknown_kind(context: Context, kind: GroupVersionKind, severity: Severity) -> Iterator[Finding]:
    """Of a group that is given there is no such kind."""
    built_in = kubernetes.groups().get(kind.group)
    if built_in is not None:
        names = {name for kinds in built_in.values() for name in kinds}
        where = f"Kubernetes {kubernetes.release()}"
    else:
        crds = context.typing.index.of_group(kind.group)
        names = {crd.kind for crd in crds}
        where = f"The CRDs given for `{kind.group}`" if len(names) > 1 else f"The CRD given for `{kind.group}`"
    if not names or kind.kind in names:
        return
    is_below = severity is Severity.WARNING
    close = nearest(kind.kind, sorted(names), _MISSPELT if is_below and built_in is None else None)
    if not close and is_below and built_in is None:
        return  # whoever gives the CRD of a workload need not give those of all that it makes
    several = built_in is None and len(names) > 1
    hint = f"Did you mean {listed(close, 'or')}?" if close else None
    if hint is None and built_in is None:
        hint = f"{'They define' if several else 'It defines'} {listed(sorted(names)[:_MOST_NAMES])}."
    yield Finding(
        kind.span("kind"),
        f"{where} {'have' if several else 'has'} no kind `{kind.kind}`"
        f"{f' in group `{kind.group}`' if built_in is not None and kind.group else ''}.",
        hint,
        severity=severity,
    )


def _other_version(kind: GroupVersionKind) -> Iterator[Finding]:
    """Of a kind of Kubernetes' own: older clusters may still serve what this release does not."""
    served = [version for version, names in kubernetes.groups().get(kind.group, {}).items() if kind.kind in names]
    if served and kind.version not in served:
        yield Finding(
            kind.span("version"),
            f"Kubernetes {kubernetes.release()} serves {kind.kind} of `{kind.group}` as {listed(served)}, not as "
            f"`{kind.version}`.",
            f"Write {listed(served, 'or')}.",
            severity=Severity.WARNING,
        )


@rule("WM311", "unknown-child-kind", Severity.WARNING, "A kind that objects below the workload do not have.")
def unknown_child_kind(context: Context) -> Iterable[Finding]:
    """Kinds of components and further kinds: misspelt ones of groups that CRDs are given for, and Kubernetes' own."""
    definition = context.definition
    for component in definition.children:
        if component.kind is not None and not context.is_doubtful(component.kind.path):
            yield from _kind_fault(context, component.kind, None, Severity.WARNING)
    for kind in definition.additional_child_kinds:
        if not context.is_doubtful(kind.path):
            yield from _kind_fault(context, kind, None, Severity.WARNING)
