"""What has to hold for every state, and the smallest state for which it does not (floor 3).

One fault gives one violation: states that read wrongly are held against the mapping that is to blame, by the truths
of the model where it has some, else by precedence. What a mapping is blamed for is worded by the rules.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from wmap_lint.definition import Expression, Matcher, StatusDefinition, StatusMapping
from wmap_lint.jq.dependence import dependence
from wmap_lint.jq.engine import Failure, Outcome
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.record import Record
from wmap_lint.resolve.status import UNDEFINED, StatusReading
from wmap_lint.statespace.guards import Demand, guard, too_strict
from wmap_lint.statespace.model import StatusModel, Transition, Truth
from wmap_lint.statespace.proof import MatcherStates, Proof, Readings, read_object
from wmap_lint.statespace.shrink import smallest
from wmap_lint.statespace.space import Arrangement, Vector, arranged, without, written_at
from wmap_lint.statespace.table import Evaluate, States

PRECEDENCE = (
    "Completed",
    "Failed",
    "Suspended",
    "Suspending",
    "Resuming",
    "Degraded",
    "Running",
    "Initializing",
)
"""Which of two statuses is right where nothing else tells: the one that comes first."""

FINAL = frozenset({"Completed", "Failed"})
SETTLED = frozenset({"Running", "Completed", "Failed"})
"""What nothing reads as before the operator has written anything."""

LIVE = frozenset(PRECEDENCE) - FINAL - {"Suspended", "Suspending", "Resuming"}

UNRELATED = "UnrelatedToThis"
"""A condition, and a field, that no operator writes."""

_ORDERS = (Arrangement("reversed"), Arrangement("rotated"))
_ADDITIONS = (
    Arrangement(last=((UNRELATED, "True"),)),
    Arrangement(last=((UNRELATED, "False"),)),
    Arrangement(first=((UNRELATED, "True"),)),
    Arrangement(first=((UNRELATED, "False"),)),
    Arrangement(fields=(("unrelatedToThis", "x"),)),
)
_MOST_FRESH = 64
_MOST_TRIED = 40


class Property(enum.Enum):
    """What is violated."""

    NO_ERROR = "no-error"
    ONE_STATUS = "one-status"
    SOME_STATUS = "some-status"
    TRUTH = "truth"
    NOTHING_SETTLED_UNWRITTEN = "nothing-settled-unwritten"
    ANY_ORDER = "any-order"
    NOTHING_UNRELATED = "nothing-unrelated"
    MATCHER_FIRES = "matcher-fires"
    MATCHER_NEEDED = "matcher-needed"
    SUSPEND_UNDONE = "suspend-undone"
    STEP_ALLOWED = "step-allowed"


class Violation(Record):
    """One fault.

    ``states`` counts those that show it, ``example`` is the smallest object that does (None for a matcher that never
    fires), ``vector`` the state it was made of. ``mapping`` is to blame, by ``matcher`` if that can be told; ``others``
    are further matchers that take part. ``statuses`` are what the example reads as, ``expected`` is what it should.
    ``guard`` is what ``matcher`` should demand as well, ``strict`` what it demands too much.
    """

    kind: Property
    states: int
    example: Any = None
    vector: Vector | None = None
    mapping: StatusMapping | None = None
    matcher: Matcher | None = None
    others: tuple[Matcher, ...] = ()
    statuses: tuple[str, ...] = ()
    expected: str | None = None
    truth: Truth | None = None
    guard: str | None = None
    strict: Demand | None = None
    expression: Expression | None = None
    cause: str = ""
    swapped: StatusMapping | None = None
    step: Transition | None = None
    after: str = ""


class Oracle:
    """The status of any object, and what a model says of it."""

    def __init__(self, status: StatusDefinition, evaluate: Evaluate, model: StatusModel | None) -> None:
        self.status = status
        self.evaluate = evaluate
        self.model = model
        self._known: dict[tuple[str, int], Outcome] = {}
        self._kept: list[Any] = []

    def prepare(self, workloads: Sequence[Any], with_model: bool = True, with_status: bool = True) -> None:
        """Run everything on objects that will be asked about, with one call for each program instead of many."""
        texts = [each.text for each in self.model.programs] if self.model is not None and with_model else []
        for matcher in (each for mapping in self.status.mappings for each in mapping.matchers if with_status):
            if matcher.by_expression is not None and matcher.by_expression.expression is not None:
                texts.append(matcher.by_expression.expression.text)
        workloads = list({id(each): each for each in workloads}.values())
        self._kept.extend(workloads)  # an object that is gone could leave its identity to another one
        for text in dict.fromkeys(texts):
            for workload, outcome in zip(workloads, self.evaluate(text, workloads), strict=True):
                self._known[text, id(workload)] = outcome

    def answers(self, text: str, objects: Sequence[Any]) -> list[Outcome]:
        """The outcomes of a program."""
        known = [self._known.get((text, id(each))) for each in objects]
        found = [each for each in known if each is not None]
        return found if len(found) == len(objects) else list(self.evaluate(text, objects))

    def read(self, workload: Any) -> StatusReading:
        """What consumers read."""
        return read_object(self.status, workload, self.answers)

    def holds(self, text: str, workload: Any) -> bool | None:
        """Whether a program of the model is true; None when it fails."""
        outcome = self.answers(text, [workload])[0]
        if isinstance(outcome, Failure):
            return None
        return bool(outcome.values) and outcome.values[0] is True

    def is_possible(self, workload: Any) -> bool:
        """Whether nothing in the model rules it out."""
        if self.model is None:
            return True
        return all(self.holds(each.when.text, workload) is False for each in self.model.impossible)

    def truth(self, workload: Any) -> Truth | None:
        """What the model says the object is; None where it says nothing, or cannot tell."""
        for each in self.model.truths if self.model is not None else ():
            found = self.holds(each.when.text, workload)
            if found is None:
                return None
            if found:
                return each
        return None


class Examination:
    """The properties of one definition over the states of ``proof``.

    ``complete`` says whether these are all there are: only then does never mean never.
    """

    def __init__(
        self,
        proof: Proof,
        oracle: Oracle,
        complete: bool,
        switch: Callable[[Any, bool], Any] | None = None,
        objects: Sequence[Any] = (),
    ) -> None:
        self.proof = proof
        self.oracle = oracle
        self.model = oracle.model
        self.complete = complete
        self.objects = tuple(objects)
        """Objects that somebody has written."""
        self.switch = switch
        """Suspends (True) or resumes an object as consumers would; None where the definition has no switch."""

    # -- what is true -------------------------------------------------------------------------------------

    @cached_property
    def truths(self) -> list[tuple[Truth, States]]:
        """Each truth with the states that it decides: the first that holds counts."""
        left = self.proof.possible
        found = []
        for truth in self.model.truths if self.model is not None else ():
            verdict = self.proof.table.verdict(truth.when.text, "true")
            found.append((truth, left & verdict.true))
            left &= ~verdict.true & ~verdict.error
        return found

    @cached_property
    def failing_programs(self) -> list[tuple[Any, States]]:
        """The programs of the model that fail in states that they are asked about."""
        found: list[tuple[Any, States]] = []
        left = self.proof.table.everything
        for rule in self.model.impossible if self.model is not None else ():
            verdict = self.proof.table.verdict(rule.when.text, "true")
            found.append((rule.when, left & verdict.error))
        left = self.proof.possible
        for truth in self.model.truths if self.model is not None else ():
            verdict = self.proof.table.verdict(truth.when.text, "true")
            found.append((truth.when, left & verdict.error))
            left &= ~verdict.true
        for step in self.model.transitions if self.model is not None else ():
            verdict = self.proof.table.verdict(step.when.text, "true")
            found.append((step.when, self.proof.possible & verdict.error))
        return [(program, states) for program, states in found if states]

    @cached_property
    def true_status(self) -> Mapping[str, States]:
        """The states of each status, by the truths."""
        found = dict.fromkeys(PRECEDENCE, 0)
        for truth, states in self.truths:
            found[truth.status] |= states
        return found

    @cached_property
    def decided(self) -> States:
        """The states that the truths speak of."""
        found = 0
        for states in self.true_status.values():
            found |= states
        return found

    # -- all of it ----------------------------------------------------------------------------------------

    def violations(self) -> list[Violation]:
        """All violations, one for each fault."""
        found = list(self.errors())
        found += self.unwritten()
        blamed = {id(each.mapping) for each in found if each.mapping is not None}
        if self.model is not None:
            found += self.misread(blamed)
            blamed |= {id(each) for violation in found for each in (violation.mapping, violation.swapped)}
        positional = list(self.orders())
        found += positional
        found += self.additions({id(each.expression) for each in positional})
        if self.model is not None:
            if self.complete:
                found += self.idle(blamed)
            if not any(each.kind in _OF_THE_READING for each in found):
                found += self.suspensions()
                found += self.steps()
        return found

    # -- errors, and what is there before anything is written ---------------------------------------------

    def errors(self) -> Iterator[Violation]:
        """Expressions that fail: in a state of the model, or on an object of which one thing was left out."""
        failing = self.failing_states() if self.model is not None else self.failing_objects()
        for expression, states, vector, workload in failing:

            def fails(smaller: Any, expression: Expression = expression) -> bool:
                reading = self.oracle.read(smaller)
                return (
                    reading.error is not None
                    and reading.error.expression is expression
                    and self.oracle.is_possible(smaller)
                )

            example = smallest(workload, fails, self.proof.names) if fails(workload) else workload
            error = self.oracle.read(example).error
            yield Violation(
                Property.NO_ERROR,
                states,
                example,
                vector,
                expression=expression,
                cause="" if error is None else error.cause.message,
            )

    def failing_states(self) -> Iterator[tuple[Expression, int, Vector, Any]]:
        """Each expression that fails, with the number of states and the simplest of them."""
        for expression, states in self.proof.readings.failing:
            vector = self.simplest(states)
            yield expression, states.bit_count(), vector, self.proof.table.space.build(vector)

    def failing_objects(self) -> Iterator[tuple[Expression, int, None, Any]]:
        """Each expression that fails on an object as it was written but for one thing that is not there yet."""
        space = self.proof.table.space
        places = {
            place: None
            for dimension in space.dimensions
            if any(choice.is_absent for choice in dimension.choices)
            for place in dimension.places
            if place[0] == "status"
        }
        if space.names.place is not None:
            places[space.names.place] = None
        seen: set[int] = set()
        for workload in self.objects or (space.base,):
            if self.oracle.read(workload).error is not None:
                continue  # it is told of the object as it is
            for place in places:
                smaller = without(workload, place)
                error = self.oracle.read(smaller).error if smaller is not workload else None
                expression = None if error is None else error.expression
                if expression is not None and id(expression) not in seen and self.is_known(expression):
                    seen.add(id(expression))
                    yield expression, 1, None, smaller

    def is_known(self, expression: Expression | None) -> bool:
        """Whether what ``expression`` depends on is known: without a single object nobody knows a specification."""
        if self.model is not None or self.objects or expression is None:
            return True
        on = dependence(expression.text)
        return all(path[:1] == ("status",) for path in (*on.looked_at, *on.tested, *on.iterated))

    def fresh(self) -> Iterator[tuple[Vector, Any]]:
        """Objects as they are before the operator has written anything: no status, or one that is empty."""
        space = self.proof.table.space
        seen: list[Any] = []
        if not space.is_model:
            # Of a guess only the switch is known to be the user's to set.
            start = tuple([0] * len(space.dimensions))
            bare = without(space.base, ("status",))
            switched = [self.switch(bare, on) for on in (True, False)] if self.switch is not None else []
            for workload in (bare, *switched):
                for each in (workload, {**workload, "status": {}}) if workload is not None else ():
                    yield start, each
            return
        outside = [
            number
            for number, dimension in enumerate(space.dimensions)
            if any(place[0] != "status" for place in dimension.places)
        ]
        vectors: list[list[int]] = [[0] * len(space.dimensions)]
        for number in outside:
            vectors = [
                [*vector[:number], choice, *vector[number + 1 :]]
                for vector in vectors
                for choice in range(len(space.dimensions[number].choices))
            ][:_MOST_FRESH]
        for vector in vectors:
            bare = without(space.build(tuple(vector)), ("status",))
            for workload in (bare, {**bare, "status": {}}):
                if workload not in seen:
                    seen.append(workload)
                    yield tuple(vector), workload

    def unwritten(self) -> Iterator[Violation]:
        """Settled statuses of objects that nobody has looked at."""
        found: dict[str, list[tuple[Vector, Any, StatusReading]]] = {}
        fresh = list(self.fresh())
        self.oracle.prepare([workload for _, workload in fresh])
        for vector, workload in fresh:
            if not self.oracle.is_possible(workload):
                continue
            reading = self.oracle.read(workload)
            settled = SETTLED if self.proof.table.space.is_model else FINAL
            for status in settled.intersection(reading.matched):
                truth = self.oracle.truth(workload)
                if truth is None or truth.status != status:
                    found.setdefault(status, []).append((vector, workload, reading))
        for status, cases in found.items():
            vector, workload, reading = cases[0]
            matcher = next(each for each in reading.matchers if self.status_of(each) == status)
            if not self.is_known(matcher.by_expression.expression if matcher.by_expression is not None else None):
                continue

            def shows(smaller: Any, status: str = status) -> bool:
                return (
                    lookup(smaller, ("status",)) in (ABSENT, {})
                    and status in self.oracle.read(smaller).matched
                    and self.oracle.is_possible(smaller)
                )

            yield Violation(
                Property.NOTHING_SETTLED_UNWRITTEN,
                len(cases),
                smallest(workload, shows, self.proof.names),
                vector,
                mapping=self.mapping(status),
                matcher=matcher,
                statuses=reading.matched,
            )

    # -- exactly one, and the right one -------------------------------------------------------------------

    def misread(self, blamed: set[int]) -> Iterator[Violation]:
        """States that read as two statuses, as none, or as another one than is true."""
        matched = self.proof.readings.matched
        read = 0
        for states in matched.values():
            read |= states
        looked_at = self.proof.possible & ~self.proof.readings.failed
        higher = 0
        extra: dict[str, States] = {}
        missing: dict[str, States] = {}
        for status in PRECEDENCE:
            by_truth = matched[status] & self.decided & ~self.true_status[status]
            extra[status] = by_truth | (matched[status] & ~self.decided & higher)
            missing[status] = self.true_status[status] & ~matched[status] & looked_at
            higher |= matched[status]
        for status, other in self.swaps(extra, missing):
            # A swap is one fault of both.
            yield self.swap(status, other, extra, missing)
            for each in (status, other):
                extra[each] = missing[each] = 0
        for status in PRECEDENCE:
            mapping = self.mapping(status)
            if mapping is not None and id(mapping) in blamed:
                extra[status] = missing[status] = 0
        # One read instead of the true one is the fault of one of the two: of the true one when it is missed elsewhere
        # as well, else of the one that is read.
        for status in PRECEDENCE:
            nowhere = missing[status] & ~read
            for other in PRECEDENCE:
                instead = missing[status] & extra[other]
                if instead and nowhere:
                    extra[other] &= ~instead
                elif instead:
                    missing[status] &= ~instead
        for status in PRECEDENCE:
            if extra[status]:
                yield self.surplus(status, extra[status])
            elif missing[status]:
                yield self.missed(status, missing[status], read)
        hole = self.proof.undefined & ~self.decided
        if hole and not any(missing.values()):
            yield self.nothing(hole)

    def swaps(self, extra: Mapping[str, States], missing: Mapping[str, States]) -> Iterator[tuple[str, str]]:
        """Pairs of statuses of which each is read where the other one is true."""
        for position, status in enumerate(PRECEDENCE):
            for other in PRECEDENCE[position + 1 :]:
                one, two = missing[status] & extra[other], missing[other] & extra[status]
                if one and two and one == missing[status] and two == missing[other]:
                    yield status, other

    def swap(self, status: str, other: str, extra: Mapping[str, States], missing: Mapping[str, States]) -> Violation:
        """Two statuses in each other's place."""
        states = missing[status] & extra[other]
        vector, example, reading = self.shown(states, (other,), status)
        return Violation(
            Property.TRUTH,
            (states | (missing[other] & extra[status])).bit_count(),
            example,
            vector,
            mapping=self.mapping(other),
            matcher=next(iter(reading.matchers), None),
            statuses=reading.matched,
            expected=status,
            truth=self.oracle.truth(example),
            swapped=self.mapping(status),
        )

    def surplus(self, status: str, states: States) -> Violation:
        """``status`` is read where it is not true."""
        matched = self.proof.readings.matched
        beside = 0
        for other, theirs in matched.items():
            if other != status:
                beside |= states & theirs
        chosen = beside or states
        own = [each for each in self.own(status) if each.fires & chosen]
        worst = max(own, key=lambda each: (each.fires & chosen).bit_count())
        chosen &= worst.fires
        names = self.names_in(self.first(chosen))
        truth = self.truth_of(chosen)
        vector, example, reading = self.shown(self.same(chosen, names), names, None if truth is None else truth.status)
        wrong = worst.fires & states
        right = worst.fires & ~states & (self.true_status[status] if self.decided else self.proof.possible)
        others = tuple(each for each in reading.matchers if each is not worst.matcher)
        return Violation(
            Property.ONE_STATUS if beside else Property.TRUTH,
            states.bit_count(),
            example,
            vector,
            mapping=worst.mapping,
            matcher=worst.matcher,
            others=others,
            statuses=reading.matched,
            expected=None if truth is None else truth.status,
            truth=truth,
            guard=guard(self.proof, wrong, right),
        )

    def missed(self, status: str, states: States, read: States) -> Violation:
        """``status`` is true and not read."""
        nowhere = states & ~read
        chosen = nowhere or states
        names = self.names_in(self.first(chosen))
        vector, example, reading = self.shown(self.same(chosen, names), names, status)
        strict = None
        blamed = None
        for each in self.own(status):
            strict = too_strict(self.proof, each.matcher, states)
            if strict is not None:
                blamed = each.matcher
                break
        return Violation(
            Property.SOME_STATUS if nowhere else Property.TRUTH,
            states.bit_count(),
            example,
            vector,
            mapping=self.mapping(status),
            matcher=blamed,
            others=reading.matchers,
            statuses=reading.matched,
            expected=status,
            truth=self.oracle.truth(example),
            strict=strict,
        )

    def nothing(self, states: States) -> Violation:
        """Nothing is read, and no truth says what it should be."""
        vector, example, reading = self.shown(states, (), None)
        strict = None
        mapping = None
        matcher = None
        # What holds where nothing else does is the likeliest to be meant.
        for each in (each for status in reversed(PRECEDENCE) for each in self.own(status)):
            strict = too_strict(self.proof, each.matcher, states)
            if strict is not None:
                mapping, matcher = each.mapping, each.matcher
                break
        return Violation(
            Property.SOME_STATUS,
            states.bit_count(),
            example,
            vector,
            mapping=mapping,
            matcher=matcher,
            statuses=reading.matched,
            strict=strict,
        )

    # -- the same in other words --------------------------------------------------------------------------

    def orders(self) -> Iterator[Violation]:
        """Expressions for which the order of conditions matters."""
        yield from self.compared(Property.ANY_ORDER, _ORDERS, frozenset())

    def additions(self, told: set[int]) -> Iterator[Violation]:
        """Expressions for which something matters that has nothing to do with the workload."""
        yield from self.compared(Property.NOTHING_UNRELATED, _ADDITIONS, told)

    def compared(
        self, kind: Property, arrangements: Sequence[Arrangement], told: set[int] | frozenset[int]
    ) -> Iterator[Violation]:
        """What reads differently when it is written in one of ``arrangements``; ``told`` are blamed already."""
        as_given = self.proof.readings
        seen: set[int] = set(told)
        for arrangement in arrangements:
            other = self.proof.arranged(arrangement)
            states = as_given.differences(other)
            if not states:
                continue
            blamed = list(self.differing(as_given, other, arrangement))
            if not blamed or any(id(each[0]) in seen for each in blamed):
                continue
            expression, mapping, matcher, own = max(blamed, key=lambda each: (each[3] & states).bit_count())
            seen.add(id(expression))
            states &= own or states
            vector = self.simplest(states)
            shows = self.shows_difference(arrangement)
            workload = self.proof.table.space.build(vector)
            example = smallest(workload, shows, self.proof.names) if shows(workload) else workload
            after = self.oracle.read(arranged(example, arrangement, self.proof.names))
            yield Violation(
                kind,
                states.bit_count(),
                example,
                vector,
                mapping=mapping,
                matcher=matcher,
                statuses=self.oracle.read(example).matched,
                expression=expression,
                after=_said(after),
                cause=_arrangement_words(arrangement),
            )

    def differing(
        self, one: Readings, other: Readings, arrangement: Arrangement
    ) -> Iterator[tuple[Expression, StatusMapping, Matcher, States]]:
        """The expressions whose answer differs, and where."""
        for before, after in zip(one.matchers, other.matchers, strict=True):
            expected = before.matcher.by_expression
            if expected is None or expected.expression is None:
                continue
            text, result = expected.expression.text, expected.expected_result
            first = self.proof.table.verdict(text, result)
            second = self.proof.table.verdict(text, result, arrangement)
            states = (first.true ^ second.true) | (first.error ^ second.error)
            if states & self.proof.possible:
                yield expected.expression, before.mapping, after.matcher, states & self.proof.possible

    def shows_difference(self, arrangement: Arrangement) -> Callable[[Any], bool]:
        """Whether an object reads differently when it is written in another way."""

        def shows(workload: Any) -> bool:
            if not self.oracle.is_possible(workload):
                return False
            other = arranged(workload, arrangement, self.proof.names)
            return _said(self.oracle.read(workload)) != _said(self.oracle.read(other))

        return shows

    # -- matchers that do nothing -------------------------------------------------------------------------

    def idle(self, blamed: set[int]) -> Iterator[Violation]:
        """Matchers that never fire, and those that fire only where another one of the same status does."""
        told: set[int] = set()
        found: list[Violation] = []
        # Of two that hold in the same states the later one is too much.
        for each in reversed(self.proof.readings.matchers):
            if id(each.mapping) in blamed:
                continue
            siblings = [other for other in self.own(each.mapping.normalized) if other is not each]
            others = 0
            for other in siblings:
                others |= 0 if id(other.matcher) in told else other.holds
            if not each.holds & ~others:
                told.add(id(each.matcher))
                found.append(
                    Violation(
                        Property.MATCHER_NEEDED if each.holds else Property.MATCHER_FIRES,
                        each.holds.bit_count(),
                        mapping=each.mapping,
                        matcher=each.matcher,
                        others=tuple(other.matcher for other in siblings if other.holds & each.holds),
                    )
                )
        yield from reversed(found)

    # -- what follows what --------------------------------------------------------------------------------

    def suspensions(self) -> Iterator[Violation]:
        """Live states that do not read as suspended with the switch on, or as before once it is off again."""
        if self.switch is None:
            return
        space = self.proof.table.space
        seen: set[str] = set()
        for status in PRECEDENCE:
            if status not in LIVE:
                continue
            vectors = [self.proof.table.vector(state) for state in self.suspicious(status)]
            tried = [self.switched(space.build(vector)) for vector in vectors]
            self.oracle.prepare([each for objects in tried for each in objects], with_model=False)
            for vector, objects in zip(vectors, tried, strict=True):
                for after in self.after_switching(objects, status):
                    if after in seen:
                        continue
                    seen.add(after)
                    workload = objects[0]

                    def shows(smaller: Any, status: str = status, after: str = after) -> bool:
                        return (
                            self.oracle.is_possible(smaller)
                            and self.oracle.read(smaller).matched == (status,)
                            and after in self.after_switching(self.switched(smaller), status)
                        )

                    yield Violation(
                        Property.SUSPEND_UNDONE,
                        1,
                        smallest(workload, shows, self.proof.names),
                        vector,
                        mapping=self.mapping(status),
                        statuses=(status,),
                        after=after,
                    )

    def suspicious(self, status: str) -> Iterator[int]:
        """States of a live status to try the switch on: where the table has the answers, those that it says differ."""
        table = self.proof.table
        live = self.same(self.proof.readings.matched[status] & self.proof.possible, (status,))
        switches = self.switch_choices
        if switches is None:
            yield from self.sample(live, _MOST_TRIED)
            return
        dimension, on, off = switches
        suspended = table.moved(live, dimension, on)
        resumed = table.moved(live, dimension, off)
        assert suspended is not None
        assert resumed is not None
        matched = self.proof.readings.matched
        wrong = suspended & self.proof.possible & ~(matched["Suspended"] | matched["Suspending"])
        changed = resumed & self.proof.possible & ~self.same(matched[status], (status,))
        for states in (wrong, changed):
            if states:
                # Back to where it came from: any choice of the switch that is live.
                for choice in range(len(table.chosen[dimension])):
                    back = table.moved(states, dimension, choice)
                    if back is not None and back & live:
                        yield self.first(back & live)
                        break

    @cached_property
    def switch_choices(self) -> tuple[int, int, int] | None:
        """The dimension that is the switch, and its choices when it is on and when it is off."""
        table = self.proof.table
        space = table.space
        assert self.switch is not None
        for number, dimension in enumerate(space.dimensions):
            if dimension.condition is not None or table.moved(0, number, 0) is None:
                continue
            (place, *others) = dimension.places
            on, off = self.switch(space.base, True), self.switch(space.base, False)
            found = []
            for switched in (on, off):
                value = lookup(switched, place)
                rest = written_at(space.base, place, value)
                same = [each for each, choice in enumerate(dimension.choices) if _same(choice.value, value)]
                if not others and same and rest == switched:
                    found.append(same[0])
            if len(found) == 2:
                return number, found[0], found[1]
        return None

    def switched(self, workload: Any) -> tuple[Any, ...]:
        """An object as it is, suspended, and then resumed; by itself where it has no switch."""
        assert self.switch is not None
        suspended = self.switch(workload, True)
        resumed = None if suspended is None else self.switch(suspended, False)
        return (workload,) if resumed is None else (workload, suspended, resumed)

    def after_switching(self, objects: Sequence[Any], status: str) -> list[str]:
        """What is wrong after suspending, or after suspending and resuming, as what it reads then."""
        if len(objects) == 1:
            return []
        workload, suspended, resumed = objects
        if self.oracle.read(workload).matched != (status,):
            return []
        found = []
        during = self.oracle.read(suspended)
        if during.error is None and not set(during.matched) <= {"Suspended", "Suspending"}:
            found.append(f"suspended:{_said(during)}")
        after = self.oracle.read(resumed)
        if after.error is None and after.matched != (status,):
            found.append(f"resumed:{_said(after)}")
        return found

    def steps(self) -> Iterator[Violation]:
        """Steps of the model after which a final state is none any more."""
        table = self.proof.table
        space = table.space
        finished = self.proof.readings.matched["Completed"] | self.proof.readings.matched["Failed"]
        for step in self.model.transitions if self.model is not None else ():
            final = finished & table.verdict(step.when.text, "true").true & self.proof.possible
            if step.changes_spec or not final:
                continue
            following = self.following(final, step)
            if following is not None and not following & self.proof.possible & ~finished:
                continue
            for state in self.sample(final, _MOST_TRIED) if following is None else table.members(final):
                after = self.following(1 << state, step)
                if after is not None and not after & self.proof.possible & ~finished:
                    continue
                workload = space.build(table.vector(state))
                if not self.is_revived(workload, step):
                    continue

                def shows(smaller: Any, step: Transition = step) -> bool:
                    return self.oracle.holds(step.when.text, smaller) is True and self.is_revived(smaller, step)

                example = smallest(workload, shows, self.proof.names) if shows(workload) else workload
                reading = self.oracle.read(example)
                yield Violation(
                    Property.STEP_ALLOWED,
                    final.bit_count(),
                    example,
                    table.vector(state),
                    mapping=self.mapping(reading.matched[0]),
                    statuses=reading.matched,
                    after=_said(self.oracle.read(self.after_step(example, step))),
                    step=step,
                )
                break

    def after_step(self, workload: Any, step: Transition) -> Any:
        """An object after a step: what already has one of the values that are written keeps it."""
        space = self.proof.table.space
        for dimension, choices in step.changes:
            if all(space.changed(workload, dimension, choice) != workload for choice in choices):
                workload = space.changed(workload, dimension, choices[0])
        return workload

    def is_revived(self, workload: Any, step: Transition) -> bool:
        """Whether an object is final, and after a step no longer."""
        after = self.after_step(workload, step)
        if not self.oracle.is_possible(workload) or not self.oracle.is_possible(after):
            return False
        matched, reading = self.oracle.read(workload).matched, self.oracle.read(after)
        return bool(FINAL.intersection(matched)) and not FINAL.intersection(reading.matched)

    def following(self, states: States, step: Transition) -> States | None:
        """The states after a step from ``states``; None where the table does not know."""
        table = self.proof.table
        for dimension, choices in step.changes:
            stay = states & ~table.open[dimension]
            for choice in choices:
                stay |= states & table.chosen[dimension][choice]
            moved = table.moved(states & ~stay, dimension, choices[0])
            if moved is None:
                return None
            states = stay | moved
        return states

    # -- helpers ------------------------------------------------------------------------------------------

    def sample(self, states: States, most: int) -> Iterator[int]:
        """Some of ``states``, spread evenly."""
        step = max(1, states.bit_count() // most)
        for position, state in enumerate(self.proof.table.members(states)):
            if position % step == 0:
                yield state

    def own(self, status: str) -> list[MatcherStates]:
        """The matchers of a status."""
        return [each for each in self.proof.readings.matchers if each.mapping.normalized == status]

    def mapping(self, status: str) -> StatusMapping | None:
        """The mapping of a status, if there is one."""
        return next((each for each in self.proof.status.mappings if each.normalized == status), None)

    def status_of(self, matcher: Matcher) -> str:
        """The status a matcher is of."""
        return next(
            each.normalized for each in self.proof.status.mappings if any(matcher is one for one in each.matchers)
        )

    def names_in(self, state: int) -> tuple[str, ...]:
        """What a state reads as."""
        return tuple(name for name, states in self.proof.readings.matched.items() if states >> state & 1)

    def same(self, states: States, names: tuple[str, ...]) -> States:
        """Those of ``states`` that read as ``names``."""
        for name, own in self.proof.readings.matched.items():
            states &= own if name in names else ~own
        return states

    def first(self, states: States) -> int:
        """The simplest of ``states``."""
        return next(self.proof.table.members(self.narrowed(states)))

    def simplest(self, states: States) -> Vector:
        """The vector of the simplest of ``states``."""
        return self.proof.table.vector(self.first(states))

    def narrowed(self, states: States) -> States:
        """Those of ``states`` in which as much as can be is absent, or the first thing it can be."""
        table = self.proof.table
        for dimension, chosen in zip(table.space.dimensions, table.chosen, strict=True):
            absent = [own for choice, own in zip(dimension.choices, chosen, strict=True) if choice.is_absent]
            for own in (*absent, *chosen):
                if states & own:
                    states &= own
                    break
        return states

    def truth_of(self, states: States) -> Truth | None:
        """The truth of the simplest of ``states``."""
        first = self.first(states)
        return next((truth for truth, own in self.truths if own >> first & 1), None)

    def shown(self, states: States, names: tuple[str, ...], true: str | None) -> tuple[Vector, Any, StatusReading]:
        """The simplest of ``states``, the smallest object that reads and is the same, and its reading."""
        vector = self.simplest(states)
        workload = self.proof.table.space.build(vector)
        wanted = tuple(sorted(names)) or (UNDEFINED,)
        firing = [each.path for each in self.oracle.read(workload).matchers]

        def shows(smaller: Any) -> bool:
            reading = self.oracle.read(smaller)
            if tuple(sorted(reading.matched)) != wanted or [each.path for each in reading.matchers] != firing:
                return False
            if not self.oracle.is_possible(smaller):
                return False
            truth = self.oracle.truth(smaller)
            return true is None or (truth is not None and truth.status == true)

        example = smallest(workload, shows, self.proof.names) if shows(workload) else workload
        return vector, example, self.oracle.read(example)


_OF_THE_READING = frozenset(
    {Property.NO_ERROR, Property.ONE_STATUS, Property.SOME_STATUS, Property.TRUTH, Property.NOTHING_SETTLED_UNWRITTEN}
)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _said(reading: StatusReading) -> str:
    return "an error" if reading.error is not None else " and ".join(reading.matched)


def _arrangement_words(arrangement: Arrangement) -> str:
    if arrangement.fields:
        return f"a field `status.{arrangement.fields[0][0]}`"
    for where, entries in (("before the others", arrangement.first), ("behind the others", arrangement.last)):
        for name, status in entries:
            return f"a condition {name}={status} {where}"
    return arrangement.order


__all__ = [
    "FINAL",
    "LIVE",
    "PRECEDENCE",
    "SETTLED",
    "Examination",
    "Oracle",
    "Property",
    "Violation",
]
