"""Programs out of the constructs that definitions use, and small documents for them to run on."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ["a", "b", "items"]

scalars = st.sampled_from([True, False, 0, 1, 3, -2, "", "x", "12", "True"])
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from([*NAMES, "k"]), inner, max_size=4),
    ),
    max_leaves=8,
)
documents = st.one_of(
    st.dictionaries(st.sampled_from(NAMES), json_values, max_size=3),
    # Documents in which most programs find something.
    st.fixed_dictionaries(
        {
            "a": scalars,
            "b": st.dictionaries(st.sampled_from(NAMES), scalars, max_size=3),
            "items": st.lists(st.dictionaries(st.sampled_from(NAMES), scalars, max_size=3), max_size=4),
        }
    ),
)

_paths = st.sampled_from(
    [
        ".",
        ".a",
        ".b",
        ".b.a",
        ".items",
        ".items[]",
        ".items[]?",
        ".items[0]",
        ".items[]?.a",
        ".items[1:]",
        ".items[-1:]",
        ".b[]?",
        ".a?",
        '.["a"]',
        "(.items // [])[]",
        "(.b // {})",
        ".items[.a]",
        ".b[.a]?",
        ".a[]",
    ]
)
_literals = st.sampled_from(["1", "0", "3", "true", "false", "null", '"x"', '"12"', "[]", "{}", '""', "-1", "empty"])
_functions = st.sampled_from(
    "length keys to_entries first last add any all not tostring type sort min max unique reverse values "
    "tonumber strings objects arrays numbers booleans scalars iterables nulls floor tojson flatten ascii_downcase "
    "from_entries @text @json error".split()
)
leaves = st.one_of(_paths, _paths, _literals, _functions)


def _extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def build(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda values: template.format(*values))

    one = [
        "({})[]",
        "({})?",
        "({})[]?",
        "({}).a",
        "({})?.b",
        "[{}]",
        "{{a: ({})}}",
        "-({})",
        "map({})",
        "map_values({})",
        "with_entries({})",
        "first({})",
        "last({})",
        "limit(2; {})",
        "limit(1; {})",
        "skip(1; {})",
        "nth(1; {})",
        "select({})",
        "any({})",
        "all({})",
        "sort_by({})",
        "min_by({})",
        "max_by({})",
        "unique_by({})",
        "group_by({})",
        "isempty({})",
        "add({})",
        "has({})",
        "contains({})",
        "getpath([{}])",
        "({})[0]",
        "({})[1:]",
        "try ({})",
        '"<\\({})>"',
        '[({}) | tostring] | join("-")',
        "[.items[]? | ({})]",
        "map(select({}))",
        "[({})][0]",
        "({}) | error",
        "try error({}) catch .",
        "try ({}) catch .",
        "label $out | ({}), break $out",
    ]
    two = [
        "({}) | ({})",
        "({}) | ({})",
        "{} | {}",
        "({}), ({})",
        "({}) // ({})",
        "({}) // ({})",
        "({}) and ({})",
        "({}) or ({})",
        "({}) == ({})",
        "({}) != ({})",
        "({}) < ({})",
        "({}) >= ({})",
        "({}) + ({})",
        "({}) - ({})",
        "({}) * ({})",
        "({}) / ({})",
        "({}) % ({})",
        "({}) as $x | ({})",
        "({}) as $x | $x | ({})",
        "({}) as [$x, $y] | [$y, ({})]",
        "({}) as {{a: $x}} | [$x, ({})]",
        "if {} then {} end",
        "any({}; {})",
        "all({}; {})",
        "{{a: ({}), b: ({})}}",
        "{{(({}) | tostring): ({})}}",
        "def f: {}; f, ({})",
        "def f(g): {} | g; f({})",
        "def f($g): [$g, ({})]; f({})",
        "select({}) | ({})",
        "({})[{}]",
        "limit({}; {})",
        "try ({}) catch ({})",
        "index({}) | ({})",
    ]
    three = [
        "if {} then {} else {} end",
        "if {} then {} elif {} then 1 else null end",
        "reduce ({}) as $x ({}; {})",
        "reduce ({}) as $x ({}; . + ({}))",
        "reduce ({}) as $x ({}; [., $x, ({})])",
        "foreach ({}) as $x ({}; {})",
        "[foreach ({}) as $x ({}; {}; [$x, .])]",
        "reduce ({}) as $x ({}; . + $x | ({}))",
    ]
    return st.one_of(
        st.sampled_from(one).flatmap(lambda template: build(template, inner)),
        st.sampled_from(two).flatmap(lambda template: build(template, inner, inner)),
        st.sampled_from(two).flatmap(lambda template: build(template, inner, inner)),
        st.sampled_from(three).flatmap(lambda template: build(template, inner, inner, inner)),
    )


programs = st.recursive(leaves, _extend, max_leaves=5)

_fields = st.sampled_from([".a", ".b.a", ".items", ".items[]?", ".b", "(.a // 1)", ".items[0].a"])
_uses = st.sampled_from(
    """
    keys|length|to_entries|map(.a)|add|any|all|tostring|tonumber|sort|unique|reverse|floor|ascii_downcase|test("x")
    |split("-")|ltrimstr("x")|startswith("x")|join("-")|with_entries(.)|sort_by(.a)|min|max|flatten|has("a")
    |contains("x")|not|type|first|last|select(.a)|select(. != null)|values|strings|.a|.[]|.[]?|.[0]|. + 1|. - 1|. * 2
    |. / 2|-(.)|. == 1|. < 3|"<\\(.)>"|[.[]]|explode|fromjson|from_entries|group_by(.a)|map_values(.)|@csv|abs|trim
    """.replace("\n", "")
    .replace(" ", "")
    .replace("|", "\n")
    .split()
)
_steps = st.tuples(_fields, st.lists(_uses, min_size=1, max_size=2)).map(
    lambda parts: " | ".join([parts[0], *parts[1]])
)

#: Programs in which every null is an absent field.
path_programs = st.one_of(
    _steps,
    _steps,
    st.tuples(_fields, _steps).map(lambda parts: f"if {parts[0]} then {parts[1]} else 1 end"),
    st.tuples(_fields, _steps).map(lambda parts: f"({parts[0]} != null) and ({parts[1]} | true)"),
    st.tuples(_fields, _steps).map(lambda parts: f"{parts[0]} as $x | {parts[1]}"),
    st.tuples(_fields, _uses, _steps).map(lambda parts: f"{parts[0]} as $x | ({parts[2]}), ($x | {parts[1]})"),
    _steps.map(lambda step: f"[.items[]? | ({step})]"),
    _steps.map(lambda step: f"({step}) // 1"),
    _steps.map(lambda step: f"def f: {step}; f"),
)
