"""Family WM4: what a definition extracts from its fixtures.

One fault gives one finding, however many fixtures show it. The faults of a component are looked for in the
order in which they hide each other: an expression that leads nowhere, gives the wrong type or fails; results
that do not line up; ids that cannot be used; counts and pod specs that are not as expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from wmap_lint.definition import Component, Expression, Slot
from wmap_lint.diagnostic import Related, Severity
from wmap_lint.fixtures import ProblemKind as FixtureProblemKind
from wmap_lint.fixtures import Scenario, instance_key, split_instance
from wmap_lint.jq.engine import Failure, FailureKind, Outcome, Values
from wmap_lint.record import Record
from wmap_lint.resolve.pods import ancestry
from wmap_lint.resolve.structure import Extraction, ProblemKind, Scale, Shape, extract, read_ids, shapes
from wmap_lint.resolve.values import ConversionError, convert
from wmap_lint.rules.context import Context, within
from wmap_lint.rules.dead_ends import REQUIRED, Misspelling, Shelf, dead_ends, likely_misspelling, misspelt_step
from wmap_lint.rules.evaluation import Evaluations
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.wording import capitalised, shortened

_MOST_NAMED = 3
_LONGEST_MESSAGE = 160

_OF_STATUS = frozenset({Slot.PHASE_PATH, Slot.CONDITIONS_PATH, Slot.MATCHER_EXPRESSION})
_STOPPED = frozenset(
    {FailureKind.COMPILE, FailureKind.TIMEOUT, FailureKind.MEMORY, FailureKind.CRASH, FailureKind.TOO_MANY}
)

# --- words --------------------------------------------------------------------------------------------------


def named(scenarios: Sequence[Scenario]) -> str:
    """Scenarios as a sentence lists them: "`a`, `b`, `c` and 4 more"."""
    names = [f"`{scenario.label}`" for scenario in scenarios]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, noun: str) -> str:
    """``1 result``, ``no results``, ``3 results``."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def one_line(text: str) -> str:
    """A message of jq on one line, and not too much of it: objects and strangers' texts may be in it."""
    return shortened(text.rstrip().rstrip("."), _LONGEST_MESSAGE)


def where_shown(scenarios: Sequence[Scenario]) -> tuple[Related, ...]:
    """The workloads of the first scenarios as further places."""
    return tuple(Related(scenario.span(), "The workload is here.") for scenario in scenarios[:_MOST_NAMED])


# --- what is examined ---------------------------------------------------------------------------------------


class _Case(Record):
    """What one scenario shows."""

    scenario: Scenario
    text: str


def _examined(context: Context, code: str) -> Iterable[Finding]:
    """The findings of one rule; all of the family's are worked out together."""
    evaluations = context.evaluations
    if evaluations is None:
        return ()
    if __name__ not in context.memo:
        context.memo[__name__] = _Examination(context, evaluations).run()
    findings: dict[str, list[Finding]] = context.memo[__name__]
    return findings.get(code, ())


def is_faulty(context: Context, component: Component) -> bool:
    """Whether anything has been found here about what is extracted of ``component``."""
    for code in ("WM401", "WM402", "WM403", "WM404", "WM405", "WM406", "WM407", "WM408"):
        for finding in _examined(context, code):
            for field in ("name", "instanceIdPath", "specDefinition", "scaleDefinition"):
                if component.has(field) and within(finding.span, component.span(field)):
                    return True
    return False


class _Examination:
    def __init__(self, context: Context, evaluations: Evaluations) -> None:
        self.context = context
        self.evaluations = evaluations
        self.scenarios = evaluations.scenarios
        self.shelf = context.shelf
        self.findings: dict[str, list[Finding]] = {}
        self.faulty: set[int] = set()  # ids of the expressions that have a finding

    def run(self) -> dict[str, list[Finding]]:
        """All findings by code."""
        for expression in self.context.definition.expressions:
            self.stopped(expression)
        if self.scenarios:
            for component in self.context.definition.components:
                self.component(component)
            self.status_sources()
            self.expected_components()
        return self.findings

    def add(self, code: str, finding: Finding, *expressions: Expression | None) -> None:
        self.findings.setdefault(code, []).append(finding)
        self.faulty.update(id(expression) for expression in expressions if expression is not None)

    # -- evaluation ------------------------------------------------------------------------------------------

    def stopped(self, expression: Expression) -> None:
        """An expression that no object can make good."""
        outcomes = self.evaluations.of(expression)
        at = next((at for at, each in enumerate(outcomes) if _is_stop(each)), None)
        if at is None or self.context.is_told(expression):
            return
        failure = outcomes[at]
        assert isinstance(failure, Failure)
        subject = self.subject(expression, at)
        if failure.kind is FailureKind.COMPILE:
            message, hint = f"jq does not compile this: {one_line(failure.message)}.", None
        elif failure.kind is FailureKind.TOO_MANY:
            message = f"{capitalised(subject)} this is given up: {failure.message}, and consumers refuse that many."
            hint = "Yield one result for each thing that is meant, or collect them: `[…]`."
        else:
            message = f"{capitalised(subject)} the evaluation was stopped: {failure.message}."
            hint = "Make the expression do less: bound what it repeats, and build no copies of large values."
        self.add("WM406", Finding(expression.span(), message, hint), expression)

    def subject(self, expression: Expression, at: int) -> str:
        """The object of the outcome at position ``at``, as "on …"."""
        if self.evaluations.is_on_probe(expression):
            return "on an object with nothing in it"
        if expression.slot.subject == "workload":
            return f"on `{self.scenarios[at].label}`"
        scenario, pod = self.evaluations.pods[at]
        return f"on pod {pod.get('metadata', {}).get('name', '?')} of `{scenario.label}`"

    # -- components ------------------------------------------------------------------------------------------

    def component(self, component: Component) -> None:
        """Everything about one component's instances."""
        parts = list(shapes(component))
        expressions = [each for shape in parts for each in shape.expressions if each is not None and each.text]
        if component.instance_id_path is not None and component.instance_id_path.text:
            expressions.insert(0, component.instance_id_path)
        relevant = self.relevant(component, expressions)
        for expression in expressions:
            self.nowhere(component, expression, relevant)
        if any(not any(shape.expressions) for shape in parts):
            return  # a shape with nothing in it (WM104) fails every extraction
        if any(self.context.is_told(expression) for expression in expressions) or any(
            self.context.is_doubtful((*component.path, key))
            for key in ("specDefinition", "scaleDefinition", "instanceIdPath")
        ):
            return
        for expression in expressions:
            self.wrong_type(expression)
            self.fails(expression)
        if any(id(expression) in self.faulty for expression in expressions):
            return
        if self.misaligned(component, parts) or self.bad_ids(component):
            return
        extractions = [(each, extract(component, self.evaluations.on(each))) for each in self.scenarios]
        if not self.other_instances(component, extractions):
            self.other_replicas(component, extractions)
        self.without_containers(component, extractions, relevant)
        for expression in expressions:
            self.misspelt(expression)

    def relevant(self, component: Component, expressions: Sequence[Expression]) -> list[Scenario]:
        """The scenarios in which the component exists: those that are expected to have it.

        Where nothing is expected, those in which any of its expressions leads to something.
        """
        found = []
        for position, scenario in enumerate(self.scenarios):
            expectation = scenario.expectation
            if expectation is not None and expectation.describes_components and component.is_pod_bearing:
                exists = bool(expectation.instances(component.name))
            else:
                exists = any(_is_something(self.outcome(each, position)) for each in expressions)
            if exists:
                found.append(scenario)
        return found

    def outcome(self, expression: Expression, position: int) -> Outcome | None:
        outcomes = self.evaluations.of(expression)
        return outcomes[position] if outcomes else None

    def outcomes(self, expression: Expression, scenarios: Iterable[Scenario]) -> list[Outcome]:
        return [self.evaluations.on(scenario)(expression) for scenario in scenarios]

    def nowhere(self, component: Component, expression: Expression, relevant: list[Scenario]) -> None:
        """WM401 for one expression of a component."""
        if not relevant or self.context.is_told(expression, Severity.ERROR) or id(expression) in self.faulty:
            return
        outcomes = self.outcomes(expression, relevant)
        if any(_is_something(outcome) or not _is_value_or_error(outcome) for outcome in outcomes):
            return
        fails = any(_is_error(outcome) for outcome in outcomes)
        required = expression.slot in REQUIRED
        shelf = Shelf(scenario.workload for scenario in relevant)
        # A name that is there in another spelling is a mistake anywhere; a name that is just not there may be
        # an optional field that no fixture happens to use.
        dead_end = misspelt_step(expression, shelf)
        if required and not fails:
            dead_end = dead_end or next(dead_ends(expression, shelf), None)
        if dead_end is not None or (required and not fails):
            self.add("WM401", _nowhere(expression, dead_end, relevant, len(self.scenarios)), expression)

    def misspelt(self, expression: Expression) -> None:
        """WM401 for a name in an expression that gives something all the same, such as a default."""
        slip = None if id(expression) in self.faulty else misspelt_step(expression, self.shelf)
        if slip is not None:
            self.add(
                "WM401",
                Finding(
                    slip.span,
                    f"No fixture has `{slip.name}` here, and there is `{slip.close[0]}`: whatever this reads is null.",
                    slip.hint,
                    fix=slip.fix,
                    severity=Severity.WARNING,
                ),
                expression,
            )

    def wrong_type(self, expression: Expression) -> None:
        """WM402 for one expression."""
        if id(expression) in self.faulty:
            return
        found: list[tuple[Scenario, ConversionError]] = []
        for scenario, outcome in zip(self.scenarios, self.outcomes(expression, self.scenarios), strict=True):
            if isinstance(outcome, Values):
                converted = convert(outcome.values, expression.slot.result)
                if isinstance(converted, ConversionError):
                    found.append((scenario, converted))
        if not found:
            return
        scenario, error = found[0]
        scenarios = [each for each, _ in found]
        others = f" (so it is in {named(scenarios[1:])})" if found[1:] else ""
        self.add(
            "WM402",
            Finding(
                expression.span(),
                f"On `{scenario.label}`, {error.message}{others}; consumers then extract nothing of the workload.",
                f"Point `{expression.slot.label}` at {expression.slot.result.value}.",
                related=where_shown(scenarios),
            ),
            expression,
        )

    def fails(self, expression: Expression) -> None:
        """WM405 for one expression about the workload."""
        if id(expression) in self.faulty:
            return
        outcomes = self.outcomes(expression, self.scenarios)
        found = [
            (scenario, outcome)
            for scenario, outcome in zip(self.scenarios, outcomes, strict=True)
            if isinstance(outcome, Failure) and _is_error(outcome)
        ]
        if not found:
            return
        scenarios = [scenario for scenario, _ in found]
        slip = likely_misspelling(expression, self.shelf)
        self.add(
            "WM405",
            Finding(
                expression.span() if slip is None else slip.span,
                f"jq fails on {named(scenarios)}: {one_line(found[0][1].message)}. Consumers then extract nothing "
                "of the whole workload.",
                "Allow for what is absent: `.list[]?`, `(.list // [])[]`, `.number // 0`."
                if slip is None
                else slip.hint,
                related=where_shown(scenarios),
                fix=None if slip is None else slip.fix,
            ),
            expression,
        )

    def misaligned(self, component: Component, parts: Sequence[Shape]) -> bool:
        """WM403 for a component."""
        rows: dict[str, list[tuple[Scenario, int, int]]] = {shape.name: [] for shape in parts}
        shifted: dict[int, tuple[Expression, list[tuple[Scenario, int, int]]]] = {}
        for scenario in self.scenarios:
            outcomes = self.evaluations.on(scenario)
            ids = read_ids(component, outcomes)
            if not isinstance(ids, tuple):
                continue
            for shape in parts:
                lengths = [(each, _count(outcomes(each))) for each in shape.expressions if each is not None]
                longest = max((length for _, length in lengths), default=0)
                if longest != len(ids):
                    rows[shape.name].append((scenario, len(ids), longest))
                    continue
                for expression, length in lengths:
                    if 0 < length < longest:
                        shifted.setdefault(id(expression), (expression, []))[1].append((scenario, longest, length))
        wrong = [shape for shape in parts if rows[shape.name]]
        id_path = component.instance_id_path
        if id_path is not None and len(wrong) > 1 and len({str(rows[shape.name]) for shape in wrong}) == 1:
            cases = rows[wrong[0].name]
            scenario, instances, results = cases[0]
            slip = likely_misspelling(id_path, self.shelf)
            self.add(
                "WM403",
                Finding(
                    id_path.span() if slip is None else slip.span,
                    f"This gives {counted(instances, 'id')} and every other path of `{component.name}` "
                    f"{counted(results, 'result')} on {named([each[0] for each in cases])}: consumers line them up one "
                    "to one and refuse the workload when they cannot.",
                    "Let it give one id for each item that the other paths visit." if slip is None else slip.hint,
                    related=where_shown([scenario]),
                    fix=None if slip is None else slip.fix,
                ),
                id_path,
            )
            return True
        for shape in wrong:
            self.add("WM403", self.misaligned_shape(component, shape, rows[shape.name]), *shape.expressions)
        for expression, cases in shifted.values():
            scenario, instances, results = cases[0]
            self.add(
                "WM403",
                Finding(
                    expression.span(),
                    f"This gives {counted(results, 'result')} for {counted(instances, 'instance')} on "
                    f"{named([each[0] for each in cases])}: consumers give them to the first ones, whosever they are.",
                    "Give null for an instance that has none: `.list[] | .field`, without `// empty` or `select`.",
                    related=where_shown([scenario]),
                    severity=Severity.WARNING,
                ),
                expression,
            )
        return bool(wrong or shifted)

    def misaligned_shape(self, component: Component, shape: Shape, rows: list[tuple[Scenario, int, int]]) -> Finding:
        scenario, ids, results = rows[0]
        present = [expression for expression in shape.expressions if expression is not None]
        outcomes = self.evaluations.on(scenario)
        culprit = max(present, key=lambda expression: _count(outcomes(expression)))
        slip = likely_misspelling(culprit, self.shelf)
        lines = (
            f"{counted(ids, 'instance id')} by `instanceIdPath`"
            if component.instance_id_path is not None
            else "the one instance there is without `instanceIdPath`"
        )
        hint = (
            "Write it so that it gives one result an item, null included: `.list[]? | .field // 1`."
            if component.instance_id_path is not None
            else "Let it give exactly one result, or add `instanceIdPath`."
        )
        related = list(where_shown([scenario]))
        if component.instance_id_path is not None:
            related.insert(0, Related(component.instance_id_path.span(), "The instance ids come from here."))
        return Finding(
            culprit.span() if slip is None else slip.span,
            f"`{culprit.slot.label}` gives {counted(results, 'result')} for {lines} on "
            f"{named([each[0] for each in rows])}: consumers line them up one to one, and refuse the workload when "
            "they cannot.",
            hint if slip is None else slip.hint,
            related=tuple(related),
            fix=None if slip is None else slip.fix,
        )

    def bad_ids(self, component: Component) -> bool:
        """WM408 for a component."""
        path = component.instance_id_path
        if path is None:
            return False
        empty: list[Scenario] = []
        repeated: list[tuple[Scenario, str]] = []
        for scenario in self.scenarios:
            ids = read_ids(component, self.evaluations.on(scenario))
            if isinstance(ids, tuple):
                twice = next((each for each in ids if ids.count(each) > 1), None)
                if twice is not None:
                    repeated.append((scenario, twice))
            elif ids.kind is ProblemKind.EMPTY_INSTANCE_ID:
                empty.append(scenario)
        if not empty and not repeated:
            return False
        scenarios = empty or [scenario for scenario, _ in repeated]
        slip = likely_misspelling(path, self.shelf)
        message = (
            f"An instance of `{component.name}` has no id (null reads as an empty one) on {named(scenarios)}, and "
            "consumers refuse the workload."
            if empty
            else f"Several instances of `{component.name}` have the id {repeated[0][1]!r} on {named(scenarios)}: "
            "consumers keep the last one and lose the others."
        )
        self.add(
            "WM408",
            Finding(
                path.span() if slip is None else slip.span,
                message,
                "Take the id from the field by which the operator itself tells them apart."
                if slip is None
                else slip.hint,
                related=where_shown(scenarios),
                fix=None if slip is None else slip.fix,
            ),
            path,
        )
        return True

    def other_instances(self, component: Component, extractions: list[tuple[Scenario, Extraction]]) -> bool:
        """WM404 for the ids of a component's instances."""
        if any(renamed is component for renamed in self.renamed.values()):
            return True
        cases: list[_Case] = []
        for scenario, extraction in extractions:
            expectation = scenario.expectation
            if expectation is None or not expectation.describes_components or extraction.problem is not None:
                continue
            expected = expectation.instances(component.name)
            missing = [each for each in expected if each not in extraction.instances]
            extra = [each for each in extraction.instances if each and each not in expected]
            if missing or (extra and component.is_pod_bearing):
                cases.append(_Case(scenario, f"expected {_ids(expected)}, found {_ids(extraction.instances)}"))
        if not cases:
            return False
        path = component.instance_id_path
        slip = None if path is None else likely_misspelling(path, self.shelf)
        scenarios = [case.scenario for case in cases]
        span = component.span("name") if path is None else path.span()
        self.add(
            "WM404",
            Finding(
                span if slip is None else slip.span,
                f"The instances of `{component.name}` are not as expected on {named(scenarios)}: {cases[0].text}.",
                "Correct the ids, or the expectation if the definition is right." if slip is None else slip.hint,
                related=_expected_here(scenarios, lambda scenario: self.expected_path(scenario, component, None)),
                fix=None if slip is None else slip.fix,
            ),
            path,
        )
        return True

    def other_replicas(self, component: Component, extractions: list[tuple[Scenario, Extraction]]) -> None:
        """WM404 for the replicas of a component."""
        cases: list[tuple[_Case, str]] = []
        above = {level.name for level in ancestry(self.context.definition, component)[1:]}
        if any(each.component in above and id(each) in self.faulty for each in self.context.definition.expressions):
            return  # their counts multiply these
        for scenario, extraction in extractions:
            if scenario.expectation is None:
                continue
            for instance, expected in scenario.expectation.instances(component.name).items():
                wanted = expected.get("replicas")
                found = extraction.instances.get(instance)
                key = instance_key(component.name, instance)
                if wanted is None or found is None or (count := self.replicas(scenario, key, found.scale)) == wanted:
                    continue
                cases.append((_Case(scenario, f"`{key}` has {count}, expected {wanted}"), instance))
        if not cases:
            return
        scale = component.scale_definition
        path = None if scale is None else scale.replicas_path or scale.min_replicas_path
        slip = None if path is None else likely_misspelling(path, self.shelf)
        scenarios = list({id(case.scenario): case.scenario for case, _ in cases}.values())
        first, instance = cases[0]
        span = path.span() if path else component.key_span("scaleDefinition") if scale else component.span("name")
        self.add(
            "WM404",
            Finding(
                span if slip is None else slip.span,
                f"The replicas of `{component.name}` are not as expected on {named(scenarios)}: {first.text}.",
                "Correct the path, or the expectation if the definition is right." if slip is None else slip.hint,
                related=_expected_here(scenarios, lambda scenario: self.expected_path(scenario, component, instance)),
                fix=None if slip is None else slip.fix,
            ),
            path,
        )

    def replicas(self, scenario: Scenario, key: str, scale: Scale | None) -> int:
        """How many pods, or groups, an instance asks for; pods with all levels above multiplied."""
        part = self.context.computed(scenario).components.get(key)
        return desired(scale) if part is None else int(part["replicas"])

    def expected_path(self, scenario: Scenario, component: Component, instance: str | None) -> tuple[str, ...]:
        """The place of a component, or of one of its instances, in the expectation of a scenario."""
        assert scenario.expectation is not None
        for key, expected in scenario.expectation.components.items():
            name, found = split_instance(key)
            if name == component.name and (instance is None or found == instance):
                return ("components", key, "replicas") if "replicas" in expected else ("components", key)
        return ("components",)

    def without_containers(
        self, component: Component, extractions: list[tuple[Scenario, Extraction]], relevant: list[Scenario]
    ) -> None:
        """WM407 for a component."""
        spec = component.spec_definition
        path = None if spec is None else spec.pod_template_spec_path or spec.pod_spec_path
        if path is None:
            return
        exists = {id(scenario) for scenario in relevant}
        found: list[Scenario] = []
        for scenario, extraction in extractions:
            if id(scenario) not in exists:
                continue
            for instance in extraction.instances.values():
                pod = (
                    instance.pod_spec if instance.pod_template_spec is None else instance.pod_template_spec.get("spec")
                )
                if not (pod or {}).get("containers"):
                    found.append(scenario)
                    break
        if not found:
            return
        slip = likely_misspelling(path, self.shelf)
        self.add(
            "WM407",
            Finding(
                path.span() if slip is None else slip.span,
                f"This leads to no containers on {named(found)}: consumers take what is there for a pod without any, "
                "which requests nothing.",
                f"Point `{path.slot.label}` at the object that holds "
                + ("`spec.containers`." if path.slot is Slot.POD_TEMPLATE_SPEC_PATH else "`containers`.")
                if slip is None
                else slip.hint,
                related=where_shown(found),
                fix=None if slip is None else slip.fix,
            ),
            path,
        )

    # -- the root's status -----------------------------------------------------------------------------------

    def status_sources(self) -> None:
        """WM401 for the paths and field names by which the status is read."""
        root = self.context.definition.root
        status = None if root is None else root.status_definition
        if status is None:
            return
        later = [scenario for scenario in self.scenarios if scenario.canonical != "created"]
        conditions = None if status.conditions is None else status.conditions.expression
        for expression in (status.phase, conditions):
            if expression is None or not expression.text or self.context.is_told(expression, Severity.ERROR):
                continue
            outcomes = self.outcomes(expression, self.scenarios)
            if any(_is_something(outcome) or not _is_value_or_error(outcome) for outcome in outcomes):
                continue
            dead_end = _first(dead_ends(expression, self.shelf))
            if (dead_end is not None and dead_end.close) or (
                later and not any(_is_error(outcome) for outcome in outcomes)
            ):
                finding = _nowhere(expression, dead_end, list(self.scenarios), len(self.scenarios))
                self.add("WM401", finding, expression)
        if status.conditions is not None and conditions is not None and id(conditions) not in self.faulty:
            self.condition_fields(conditions)

    def condition_fields(self, conditions: Expression) -> None:
        """The names of a condition's fields, which conditions of the fixtures have to have."""
        definition = self.context.definition
        assert definition.root is not None
        assert definition.root.status_definition is not None
        names = definition.root.status_definition.conditions
        assert names is not None
        fields: set[str] = set()
        for outcome in self.outcomes(conditions, self.scenarios):
            for listing in outcome.values if isinstance(outcome, Values) else ():
                for condition in listing if isinstance(listing, list) else ():
                    fields.update(condition if isinstance(condition, dict) else ())
        for field, name in (
            ("typeFieldName", names.type_field_name),
            ("statusFieldName", names.status_field_name),
            ("reasonFieldName", names.reason_field_name),
            ("messageFieldName", names.message_field_name),
        ):
            if not fields or not name or name in fields or self.context.is_doubtful((*names.path, field)):
                continue
            close = self.shelf.nearest(name, fields, 2)
            if not close and field in {"reasonFieldName", "messageFieldName"}:
                continue  # not every operator gives a reason
            what = field.removesuffix("FieldName")
            self.add(
                "WM401",
                Finding(
                    names.span(field),
                    f"No condition of any fixture has a field `{name}`, so consumers read no {what} of any.",
                    f"Did you mean `{close[0]}`?" if close else "Name the field that conditions have.",
                ),
            )

    # -- expectations ----------------------------------------------------------------------------------------

    def expected_components(self) -> None:
        """WM404 for components that the definition does not have."""
        children = ("spec", "structureDefinition", "childComponents")
        if not self.context.definition.children and self.context.is_doubtful(children):
            return  # they are there under a misspelt name
        for name, cases in self.unknown_components.items():
            renamed = self.renamed[name]
            related = [
                Related(scenario.expectation.span(("components", key)), f"`{name}` is expected here.")
                for scenario, key in cases[:_MOST_NAMED]
                if scenario.expectation is not None
            ]
            known = ", ".join(f"`{each.name}`" for each in self.context.definition.components)
            scenarios = list({id(scenario): scenario for scenario, _ in cases}.values())
            self.add(
                "WM404",
                Finding(
                    related[0].span if renamed is None else renamed.span("name"),
                    f"What is expected of {named(scenarios)} names the component `{name}`, which the definition does "
                    "not have.",
                    f"It has {known}." if renamed is None else f"Did you mean `{name}`?",
                    related=tuple(related[1:] if renamed is None else related),
                ),
            )

    @cached_property
    def unknown_components(self) -> dict[str, list[tuple[Scenario, str]]]:
        """The names in expectations that are no component's, with the keys that have them."""
        known = {component.name for component in self.context.definition.components}
        unknown: dict[str, list[tuple[Scenario, str]]] = {}
        for scenario in self.scenarios:
            if scenario.expectation is not None:
                for key in scenario.expectation.components:
                    name = split_instance(key)[0]
                    if name not in known:
                        unknown.setdefault(name, []).append((scenario, key))
        return unknown

    @cached_property
    def renamed(self) -> dict[str, Component | None]:
        """For each unknown name the component that is meant: one that no expectation names, of a like name."""
        free = {each.name: each for each in self.context.definition.components if not self.is_expected(each)}
        close = {name: self.shelf.nearest(name, free) for name in self.unknown_components}
        return {name: free[names[0]] if names else None for name, names in close.items()}

    def is_expected(self, component: Component) -> bool:
        """Whether any expectation names ``component``."""
        return any(
            scenario.expectation is not None and scenario.expectation.instances(component.name)
            for scenario in self.scenarios
        )


def desired(scale: Scale | None) -> int:
    """How many replicas consumers say are wanted: the count, else the minimum, else one."""
    if scale is None:
        return 1
    if scale.replicas is not None:
        return scale.replicas
    return 1 if scale.min_replicas is None else scale.min_replicas


def _ids(ids: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" if each else "one" for each in ids) or "none"


def _expected_here(scenarios: Sequence[Scenario], path: Callable[[Scenario], tuple[str, ...]]) -> tuple[Related, ...]:
    return tuple(
        Related(scenario.expectation.span(path(scenario)), "The expectation is here.")
        for scenario in scenarios[:_MOST_NAMED]
        if scenario.expectation is not None
    )


def _nowhere(expression: Expression, dead_end: Misspelling | None, relevant: list[Scenario], total: int) -> Finding:
    label = expression.slot.label
    several = f"none of {len(relevant)} fixtures" if len(relevant) > 1 else f"the fixture `{relevant[0].label}`"
    if len(relevant) < total:
        several += " with this component"
    only = "no" if len(relevant) == 1 else "in"
    if dead_end is None:
        return Finding(
            expression.span(),
            f"`{label}` leads nowhere in {several}."
            if only == "no"
            else f"`{label}` leads somewhere in {several}: consumers read nothing through it.",
            "Correct the path, or add a fixture that has what it reads.",
        )
    return Finding(
        dead_end.span,
        f"There is no `{dead_end.name}` in {several}, so `{label}` leads nowhere."
        if only == "no"
        else f"`{dead_end.name}` is in {several}, so `{label}` leads nowhere: consumers read nothing through it.",
        dead_end.hint or "Correct the path, or add a fixture that has what it reads.",
        fix=dead_end.fix,
    )


def _first(found: Iterator[Misspelling]) -> Misspelling | None:
    """The first one that has a likely cure, else the first."""
    everything = list(found)
    return next((each for each in everything if each.close), everything[0] if everything else None)


def _is_stop(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.kind in _STOPPED


def _is_error(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.kind is FailureKind.ERROR


def _is_value_or_error(outcome: Outcome) -> bool:
    return isinstance(outcome, Values) or _is_error(outcome)


def _is_something(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Values) and any(value is not None for value in outcome.values)


def _count(outcome: Outcome) -> int:
    return len(outcome.values) if isinstance(outcome, Values) else 0


# --- the rules ----------------------------------------------------------------------------------------------


@rule("WM401", "path-leads-nowhere", Severity.ERROR, "An expression finds nothing in any fixture.")
def path_leads_nowhere(context: Context) -> Iterable[Finding]:
    """Paths that are null or empty in every fixture whose component exists."""
    return _examined(context, "WM401")


@rule("WM402", "wrong-type-on-fixture", Severity.ERROR, "An expression gives a value of the wrong type on a fixture.")
def wrong_type_on_fixture(context: Context) -> Iterable[Finding]:
    """Results that consumers cannot decode."""
    return _examined(context, "WM402")


@rule("WM403", "results-not-aligned", Severity.ERROR, "Results and instance ids do not line up on a fixture.")
def results_not_aligned(context: Context) -> Iterable[Finding]:
    """Lists of results that are longer or shorter than the list of ids."""
    return _examined(context, "WM403")


@rule("WM404", "instances-differ", Severity.ERROR, "Instances, counts or requests are not those of the expectation.")
def instances_differ(context: Context) -> Iterator[Finding]:
    """Golden files that say otherwise."""
    from wmap_lint.rules.golden import other_amounts  # it builds on what is found here

    yield from _examined(context, "WM404")
    if context.evaluations is not None:
        yield from other_amounts(context)


@rule("WM405", "evaluation-error", Severity.ERROR, "An expression fails on a fixture.")
def evaluation_error(context: Context) -> Iterable[Finding]:
    """Errors that jq raises."""
    return _examined(context, "WM405")


@rule("WM406", "evaluation-stopped", Severity.ERROR, "An expression does not compile, or takes too much to evaluate.")
def evaluation_stopped(context: Context) -> Iterable[Finding]:
    """Time, memory, crashes, floods of results, and what jq does not compile."""
    return _examined(context, "WM406")


@rule("WM407", "no-containers", Severity.WARNING, "A pod spec found on a fixture has no containers.")
def no_containers(context: Context) -> Iterable[Finding]:
    """Paths to something that is no pod spec."""
    return _examined(context, "WM407")


@rule("WM408", "instance-ids-unusable", Severity.ERROR, "Instance ids are repeated or empty on a fixture.")
def instance_ids_unusable(context: Context) -> Iterable[Finding]:
    """Ids that tell no instances apart."""
    return _examined(context, "WM408")


def _of_corpus(context: Context, kind: FixtureProblemKind) -> Iterator[Finding]:
    for problem in context.corpus.problems:
        if problem.kind is kind:
            yield Finding(problem.span, problem.message, problem.hint, related=problem.related)


@rule("WM409", "fixture-unusable", Severity.ERROR, "A fixture or its expectation cannot be used.")
def fixture_unusable(context: Context) -> Iterable[Finding]:
    """Files that cannot be read, expectations that break their schema, workloads of another kind."""
    yield from _of_corpus(context, FixtureProblemKind.UNUSABLE)
    others = [each for each in context.corpus.problems if each.kind is FixtureProblemKind.OTHER_KIND]
    kind = context.definition.gvk
    if context.corpus.scenarios or len(others) < 2 or kind is None:
        yield from _of_corpus(context, FixtureProblemKind.OTHER_KIND)
    elif not context.is_doubtful(kind.path):
        # That all fixtures are of another kind is a fault of the definition.
        yield Finding(
            kind.span("kind"),
            f"None of the {len(others)} fixtures has a {kind} as its first document, so none of them is used.",
            "Write the kind the fixtures are of, or move them.",
            related=tuple(Related(each.span, "This is of another kind.") for each in others[:_MOST_NAMED]),
        )


@rule("WM410", "unknown-scenario-name", Severity.WARNING, "The name of a scenario is not canonical.")
def unknown_scenario_name(context: Context) -> Iterable[Finding]:
    """Names that begin with none of the states every framework shows."""
    return _of_corpus(context, FixtureProblemKind.UNKNOWN_NAME)


@rule("WM411", "unpaired-fixture", Severity.WARNING, "A scenario without expectation, or the reverse.")
def unpaired_fixture(context: Context) -> Iterable[Finding]:
    """Scenarios that prove nothing, expectations of nothing."""
    return _of_corpus(context, FixtureProblemKind.UNPAIRED)


__all__ = ["counted", "desired", "named", "where_shown"]
