"""The functions that jq programs may call, and what is known of each (floor 0). Data, no logic.

Established by running jq 1.8.2 (the ``jq`` package), gojq 0.12.19 and jaq 3.1.2 on every function; the gojq
*library*, which consumers embed, lacks a few that its command has (gojq's own source). A signature is
``name/arity``.
"""

from __future__ import annotations

from typing import Final

JQ: Final = frozenset(
    """
    IN/1 IN/2 INDEX/1 INDEX/2 JOIN/2 JOIN/3 JOIN/4 abs/0 acos/0 acosh/0 add/0 add/1 all/0 all/1 all/2 any/0 any/1
    any/2 arrays/0 ascii_downcase/0 ascii_upcase/0 asin/0 asinh/0 atan/0 atan2/2 atanh/0 booleans/0 bsearch/1
    builtins/0 capture/1 capture/2 cbrt/0 ceil/0 combinations/0 combinations/1 contains/1 copysign/2 cos/0 cosh/0
    debug/0 debug/1 del/1 delpaths/1 drem/2 empty/0 endswith/1 env/0 erf/0 erfc/0 error/0 error/1 exp/0 exp10/0
    exp2/0 explode/0 expm1/0 fabs/0 fdim/2 finites/0 first/0 first/1 flatten/0 flatten/1 floor/0 fma/3 fmax/2 fmin/2
    fmod/2 format/1 frexp/0 from_entries/0 fromdate/0 fromdateiso8601/0 fromjson/0 fromstream/1 gamma/0
    get_jq_origin/0 get_prog_origin/0 get_search_list/0 getpath/1 gmtime/0 group_by/1 gsub/2 gsub/3 halt/0
    halt_error/0 halt_error/1 has/1 have_decnum/0 have_literal_numbers/0 hypot/2 implode/0 in/1 index/1 indices/1
    infinite/0 input/0 input_filename/0 input_line_number/0 inputs/0 inside/1 isempty/1 isfinite/0 isinfinite/0
    isnan/0 isnormal/0 iterables/0 j0/0 j1/0 jn/2 join/1 keys/0 keys_unsorted/0 last/0 last/1 ldexp/2 length/0
    lgamma/0 lgamma_r/0 limit/2 localtime/0 log/0 log10/0 log1p/0 log2/0 logb/0 ltrim/0 ltrimstr/1 map/1 map_values/1
    match/1 match/2 max/0 max_by/1 min/0 min_by/1 mktime/0 modf/0 modulemeta/0 nan/0 nearbyint/0 nextafter/2
    nexttoward/2 normals/0 not/0 now/0 nth/1 nth/2 nulls/0 numbers/0 objects/0 path/1 paths/0 paths/1 pick/1 pow/2
    range/1 range/2 range/3 recurse/0 recurse/1 recurse/2 remainder/2 repeat/1 reverse/0 rindex/1 rint/0 round/0
    rtrim/0 rtrimstr/1 scalars/0 scalb/2 scalbln/2 scan/1 scan/2 select/1 setpath/2 significand/0 sin/0 sinh/0 skip/2
    sort/0 sort_by/1 split/1 split/2 splits/1 splits/2 sqrt/0 startswith/1 stderr/0 strflocaltime/1 strftime/1
    strings/0 strptime/1 sub/2 sub/3 tan/0 tanh/0 test/1 test/2 tgamma/0 to_entries/0 toboolean/0 todate/0
    todateiso8601/0 tojson/0 tonumber/0 tostream/0 tostring/0 transpose/0 trim/0 trimstr/1 trunc/0 truncate_stream/1
    type/0 unique/0 unique_by/1 until/2 utf8bytelength/0 values/0 walk/1 while/2 with_entries/1 y0/0 y1/0 yn/2
    """.split()
)

#: Not in the gojq library: a consumer fails to compile the expression.
NOT_IN_GOJQ: Final = frozenset(
    """
    debug/0 debug/1 stderr/0 input_filename/0 input_line_number/0 keys_unsorted/0 get_search_list/0 have_decnum/0
    have_literal_numbers/0 lgamma_r/0 get_jq_origin/0 get_prog_origin/0
    """.split()
)

#: Not in jaq.
NOT_IN_JAQ: Final = frozenset(
    """
    IN/1 IN/2 INDEX/1 INDEX/2 JOIN/2 JOIN/3 JOIN/4 builtins/0 format/1 fromstream/1 get_jq_origin/0 get_prog_origin/0
    get_search_list/0 have_decnum/0 have_literal_numbers/0 input_line_number/0 lgamma_r/0 modulemeta/0 tostream/0
    trimstr/1 truncate_stream/1
    """.split()
)

FORMATS: Final = frozenset("text json csv tsv html uri sh base64 base64d base32 base32d urid".split())
FORMATS_NOT_IN_GOJQ: Final = frozenset({"base32", "base32d"})
FORMATS_NOT_IN_JAQ: Final = frozenset({"base32", "base32d"})

#: Change a value in place of reading it; consumers' validators refuse `del`, the others do the same.
WRITES: Final = frozenset({"del/1", "delpaths/1", "setpath/2"})

_VISITS = "visits the whole object, however large"
_LEAVES = "gives every leaf of its input, however large"

#: May yield or build far more than the document holds, or not end; with what they do.
UNBOUNDED: Final[dict[str, str]] = {
    **dict.fromkeys("range/1 range/2 range/3".split(), "gives as many results as it is told to"),
    **dict.fromkeys("recurse/0 recurse/1 recurse/2 walk/1 paths/0 paths/1".split(), _VISITS),
    **dict.fromkeys("repeat/1 while/2 until/2".split(), "may go on without end"),
    **dict.fromkeys("combinations/0 combinations/1".split(), "gives the product of all its lists"),
    **dict.fromkeys("tostream/0 fromstream/1 truncate_stream/1".split(), _LEAVES),
}

#: Of these, the ones that the static check of consumers refuses by name.
REFUSED: Final = frozenset("range paths recurse walk repeat".split())

#: Read something other than the object they are given, or act on the process; with what they do.
OUTSIDE: Final[dict[str, str]] = {
    "env/0": "reads the environment of the process, which consumers leave empty",
    "input/0": "reads the next document of the input, and consumers have none: they fail to compile it",
    "inputs/0": "reads the other documents of the input, and consumers have none: they fail to compile it",
    "input_filename/0": "reads the name of the input file, and consumers have none: they fail to compile it",
    "input_line_number/0": "reads the position in the input, and consumers have none: they fail to compile it",
    "debug/0": "writes to standard error, and consumers have no such function",
    "debug/1": "writes to standard error, and consumers have no such function",
    "stderr/0": "writes to standard error, and consumers have no such function",
    "halt/0": "ends the evaluation, which is an error for consumers",
    "halt_error/0": "ends the evaluation, which is an error for consumers",
    "halt_error/1": "ends the evaluation, which is an error for consumers",
    "now/0": "reads the clock, so the same object gives another answer later",
    "localtime/0": "reads the time zone of the process, so the same object gives another answer elsewhere",
    "strflocaltime/1": "reads the time zone of the process, so the same object gives another answer elsewhere",
    "get_search_list/0": "reads the module search path, and consumers have no such function",
    "get_jq_origin/0": "reads the path of the jq program, and consumers have no such function",
    "get_prog_origin/0": "reads the path of the program, and consumers have no such function",
    "modulemeta/0": "reads a module file, and consumers load none",
    "builtins/0": "lists the functions of the engine, which differ between engines",
}

#: Variables that exist without being bound, with what they do.
OUTSIDE_VARIABLES: Final[dict[str, str]] = {"ENV": "reads the environment of the process, which consumers leave empty"}

#: Functions of older engines that today's no longer have, with what to write.
RETIRED: Final[dict[str, str]] = {
    "ascii/0": "[.] | implode",
    "leaf_paths/0": "paths(scalars), which is refused too: name the path you mean",
    "recurse_down/0": "the path you mean",
    "date/0": "todate",
    "toarray/0": 'if type == "array" then . else [.] end',
}

#: What the functions of other languages and of CEL are in jq.
CONFUSIONS: Final[dict[str, str]] = {
    "size": "length",
    "len": "length",
    "count": "length",
    "lower": "ascii_downcase",
    "lowercase": "ascii_downcase",
    "downcase": "ascii_downcase",
    "upper": "ascii_upcase",
    "uppercase": "ascii_upcase",
    "filter": "map(select(…)) or select(…)",
    "where": "select",
    "find": "first(.[] | select(…))",
    "exists": "any",
    "some": "any",
    "every": "all",
    "has_key": "has",
    "containskey": "has",
    "includes": "contains, or index for an exact element",
    "replace": "sub or gsub",
    "matches": "test",
    "match_regex": "test",
    "substring": "a slice: .[from:to]",
    "parse_json": "fromjson",
    "to_string": "tostring",
    "string": "tostring",
    "str": "tostring",
    "int": "tonumber | floor",
    "number": "tonumber",
    "to_number": "tonumber",
    "concat": "add, or +",
    "sum": "add",
    "avg": "add / length",
    "head": "first",
    "tail": ".[1:]",
    "default": "the operator //",
    "coalesce": "the operator //",
    "isnull": ". == null",
    "is_null": ". == null",
    "defined": ". != null",
    "distinct": "unique",
    "uniq": "unique",
    "orderby": "sort_by",
    "order_by": "sort_by",
    "trimprefix": "ltrimstr",
    "trimsuffix": "rtrimstr",
    "starts_with": "startswith",
    "ends_with": "endswith",
    "hasprefix": "startswith",
    "hassuffix": "endswith",
}

#: Fail on null (an absent field), in jq and gojq alike.
FAIL_ON_NULL: Final = frozenset(
    """
    keys/0 keys_unsorted/0 to_entries/0 from_entries/0 with_entries/1 map/1 map_values/1 add/0 any/0 any/1 all/0 all/1
    min/0 max/0 min_by/1 max_by/1 sort/0 sort_by/1 unique/0 unique_by/1 group_by/1 reverse/0 flatten/0 flatten/1
    tonumber/0 toboolean/0 floor/0 ceil/0 round/0 sqrt/0 abs/0 fabs/0 trunc/0 startswith/1 endswith/1 ltrimstr/1
    rtrimstr/1 trimstr/1 trim/0 ltrim/0 rtrim/0 split/1 split/2 splits/1 splits/2 join/1 ascii_downcase/0
    ascii_upcase/0 explode/0 implode/0 utf8bytelength/0 test/1 test/2 match/1 match/2 capture/1 capture/2 scan/1
    scan/2 sub/2 sub/3 gsub/2 gsub/3 transpose/0 fromjson/0 fromdate/0 fromdateiso8601/0 todate/0 todateiso8601/0
    mktime/0 gmtime/0 strftime/1 strptime/1 bsearch/1 in/1 contains/1 inside/1 log/0 log2/0 log10/0 exp/0 exp2/0
    exp10/0 cbrt/0 significand/0 logb/0 gamma/0 lgamma/0 tgamma/0 frexp/0 modf/0 sin/0 cos/0 tan/0
    """.split()
)
FORMATS_FAIL_ON_NULL: Final = frozenset({"csv", "tsv"})

_TEXT: Final = frozenset({"string"})
_NUMBER: Final = frozenset({"number"})
_LIST: Final = frozenset({"array"})

#: The types of input, null aside, that functions work on; they fail on others. Not those that iterate.
ACCEPTS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(
        """
        startswith/1 endswith/1 trim/0 ltrim/0 rtrim/0 split/1 split/2 splits/1 splits/2 ascii_downcase/0 ascii_upcase/0
        explode/0 utf8bytelength/0 test/1 test/2 match/1 match/2 capture/1 capture/2 scan/1 scan/2 sub/2 sub/3 gsub/2
        gsub/3 fromjson/0 fromdate/0 fromdateiso8601/0 strptime/1
        """.split(),
        _TEXT,
    ),
    **dict.fromkeys(
        """
        floor/0 ceil/0 round/0 sqrt/0 fabs/0 trunc/0 log/0 log2/0 log10/0 exp/0 exp2/0 exp10/0 cbrt/0 todate/0
        todateiso8601/0
        """.split(),
        _NUMBER,
    ),
    **dict.fromkeys(
        """
        sort/0 sort_by/1 group_by/1 unique/0 unique_by/1 min/0 max/0 min_by/1 max_by/1 flatten/0 flatten/1 join/1
        transpose/0 first/0 last/0 nth/1 implode/0 bsearch/1
        """.split(),
        _LIST,
    ),
    "reverse/0": _LIST | _TEXT,
    "tonumber/0": _NUMBER | _TEXT,
    "length/0": frozenset({"number", "string", "array", "object"}),
    "to_entries/0": frozenset({"object"}),
    "with_entries/1": frozenset({"object"}),
    "keys/0": frozenset({"array", "object"}),
    "has/1": frozenset({"array", "object"}),
}
#: Functions whose arguments have to be texts.
TEXT_ARGUMENT: Final = frozenset(
    "startswith/1 endswith/1 split/1 split/2 splits/1 test/1 test/2 match/1 match/2 join/1 scan/1".split()
)

#: The JSON type of the one result of functions whose result has always the same type.
RESULT_TYPE: Final[dict[str, str]] = {
    **dict.fromkeys(
        """
        not/0 any/0 any/1 any/2 all/0 all/1 all/2 has/1 in/1 contains/1 inside/1 startswith/1 endswith/1 test/1 test/2
        isempty/1 IN/1 IN/2 isnan/0 isinfinite/0 isnormal/0 isfinite/0 toboolean/0
        """.split(),
        "boolean",
    ),
    **dict.fromkeys(
        """
        length/0 tonumber/0 floor/0 ceil/0 round/0 sqrt/0 abs/0 fabs/0 trunc/0 utf8bytelength/0 fromdate/0
        fromdateiso8601/0 mktime/0 now/0 pow/2 log/0 log2/0 log10/0 exp/0 bsearch/1 infinite/0 nan/0 fmin/2 fmax/2
        fmod/2
        """.split(),
        "number",
    ),
    **dict.fromkeys(
        """
        tostring/0 tojson/0 type/0 ascii_downcase/0 ascii_upcase/0 ltrimstr/1 rtrimstr/1 trimstr/1 trim/0 ltrim/0
        rtrim/0 join/1 implode/0 sub/2 sub/3 gsub/2 gsub/3 todate/0 todateiso8601/0 strftime/1 strflocaltime/1 format/1
        """.split(),
        "string",
    ),
    **dict.fromkeys(
        """
        keys/0 keys_unsorted/0 to_entries/0 sort/0 sort_by/1 unique/0 unique_by/1 group_by/1 reverse/0 flatten/0
        flatten/1 split/1 split/2 explode/0 transpose/0 gmtime/0 localtime/0 strptime/1 path/1
        """.split(),
        "array",
    ),
    **dict.fromkeys(
        "from_entries/0 with_entries/1 capture/1 capture/2 match/1 match/2 INDEX/1 INDEX/2".split(), "object"
    ),
}

#: Arguments that are regular expressions, by position; and where the flags stand.
REGEX_ARGUMENTS: Final[dict[str, tuple[int, int | None]]] = {
    "test/1": (0, None),
    "test/2": (0, 1),
    "match/1": (0, None),
    "match/2": (0, 1),
    "capture/1": (0, None),
    "capture/2": (0, 1),
    "scan/1": (0, None),
    "scan/2": (0, 1),
    "split/2": (0, 1),
    "splits/1": (0, None),
    "splits/2": (0, 1),
    "sub/2": (0, None),
    "sub/3": (0, 2),
    "gsub/2": (0, None),
    "gsub/3": (0, 2),
}
