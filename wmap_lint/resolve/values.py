"""Results of jq as the values that consumers decode them into (SEMANTICS 2.6).

Consumers decode each result by itself, and the first that does not fit fails the whole extraction. Unknown
fields pass, fields are matched without regard to case, and null fits everything: it reads as an empty text,
an empty map, an empty struct, no count, or a pointer to nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from wmap_lint.definition import ResultType
from wmap_lint.paths import DocumentPath, written
from wmap_lint.record import Record


class ConversionError(Record):
    """A result that does not fit.

    ``index`` is its position among the results, ``path`` leads from it to the part that is wrong. ``wanted``
    and ``found`` are noun phrases: "a PodSpec", "a string"; short values are shown.
    """

    index: int
    wanted: str
    found: str
    path: DocumentPath = ()

    @property
    def message(self) -> str:
        """``result 2 is a string, not an integer``, with the place inside the result where there is one."""
        where = f"`{written(self.path)}` of result {self.index + 1}" if self.path else f"result {self.index + 1}"
        return f"{where} is {self.found}, not {self.wanted}"


class _Mismatch(Exception):  # noqa: N818 - it says what is the case
    def __init__(self, wanted: str, value: object, path: DocumentPath = ()) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.value = value
        self.path = path


_SHOWN = 40


def described(value: object) -> str:
    """A noun phrase for a JSON value: "null", "the number 3", "an object"; long texts are cut."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {'true' if value else 'false'}"
    if isinstance(value, int | float):
        return f"the number {text_of(value)}"
    if isinstance(value, str):
        shown = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
        return f"the string {json.dumps(shown, ensure_ascii=False)}"
    return "a list" if isinstance(value, list) else "an object"


# ----------------------------------------------------------------------------------------------------------
# The text of a value
# ----------------------------------------------------------------------------------------------------------


def text_of(value: object) -> str:
    """``tostring`` as consumers' engine computes it: a string as it is, anything else as JSON, keys sorted."""
    if value is True or value is False:
        return "true" if value else "false"
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(key)}:{_json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_json(item) for item in value) + "]"
    if isinstance(value, float):
        return _float_text(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _float_text(value: float) -> str:
    """Plain decimals from 1e-6 to below 1e21, else the exponent form of Go without leading zeros."""
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    shortest = Decimal(repr(value)).normalize()
    if 1e-6 <= abs(value) < 1e21:
        return f"{shortest:f}"
    sign, digits, _ = shortest.as_tuple()
    mantissa = str(digits[0]) + ("." + "".join(map(str, digits[1:])) if len(digits) > 1 else "")
    exponent = shortest.adjusted()
    return f"{'-' if sign else ''}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent)}"


# ----------------------------------------------------------------------------------------------------------
# Shapes
# ----------------------------------------------------------------------------------------------------------

_Shape = Callable[[object, DocumentPath], None]
"""Raises _Mismatch when a value that is not null does not have the shape."""

INT32 = range(-(2**31), 2**31)
_DIGITS = re.compile(r"[+-]?[0-9]+", re.ASCII)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})")
_QUANTITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?", re.ASCII)


def _string(value: object, path: DocumentPath) -> None:
    if value is not None and not isinstance(value, str):
        raise _Mismatch("a string", value, path)


def _boolean(value: object, path: DocumentPath) -> None:
    if value is not None and not isinstance(value, bool):
        raise _Mismatch("a boolean", value, path)


def _integer(value: object, path: DocumentPath) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise _Mismatch("an integer", value, path)


def _time(value: object, path: DocumentPath) -> None:
    if value is not None and not (isinstance(value, str) and _TIME.fullmatch(value)):
        raise _Mismatch("a time", value, path)


def _quantity(value: object, path: DocumentPath) -> None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise _Mismatch("a quantity", value, path)


def _any_object(value: object, path: DocumentPath) -> None:
    if value is not None and not isinstance(value, dict):
        raise _Mismatch("an object", value, path)


def _map_of(item: _Shape, name: str) -> _Shape:
    def check(value: object, path: DocumentPath) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            raise _Mismatch(name, value, path)
        for key, each in value.items():
            item(each, (*path, key))

    return check


def _list_of(item: _Shape, name: str) -> _Shape:
    def check(value: object, path: DocumentPath) -> None:
        if value is None:
            return
        if not isinstance(value, list):
            raise _Mismatch(name, value, path)
        for position, each in enumerate(value):
            item(each, (*path, position))

    return check


def _struct(name: str, fields: Mapping[str, _Shape]) -> _Shape:
    by_lower_case = {field.lower(): shape for field, shape in fields.items()}

    def check(value: object, path: DocumentPath) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            raise _Mismatch(name, value, path)
        for key, each in value.items():
            shape = fields[key] if key in fields else by_lower_case.get(key.lower())
            if shape is not None:
                shape(each, (*path, key))

    return check


def _fields(names: str, shape: _Shape) -> dict[str, _Shape]:
    return dict.fromkeys(names.split(), shape)


_strings = _list_of(_string, "a list of strings")
_string_map = _map_of(_string, "a map of strings")
_quantities = _map_of(_quantity, "a map of quantities")
_objects = _list_of(_any_object, "a list of objects")

_resource_requirements = _struct(
    "a ResourceRequirements", {"limits": _quantities, "requests": _quantities, "claims": _objects}
)
_container = _struct(
    "a Container",
    {
        **_fields(
            "name image workingDir restartPolicy imagePullPolicy terminationMessagePath terminationMessagePolicy",
            _string,
        ),
        **_fields("command args", _strings),
        **_fields("stdin stdinOnce tty", _boolean),
        **_fields("ports envFrom env resizePolicy volumeMounts volumeDevices", _objects),
        **_fields("livenessProbe readinessProbe startupProbe lifecycle securityContext", _any_object),
        "resources": _resource_requirements,
    },
)
_containers = _list_of(_container, "a list of Container")
_resource_claims = _list_of(
    _struct("a PodResourceClaim", _fields("name resourceClaimName resourceClaimTemplateName", _string)),
    "a list of PodResourceClaim",
)
_pod_affinity = _struct(
    "a PodAffinity",
    _fields("requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution", _objects),
)
_node_affinity = _struct(
    "a NodeAffinity",
    {
        "requiredDuringSchedulingIgnoredDuringExecution": _any_object,
        "preferredDuringSchedulingIgnoredDuringExecution": _objects,
    },
)
_object_meta = _struct(
    "an ObjectMeta",
    {
        **_fields("name namespace generateName uid resourceVersion selfLink", _string),
        **_fields("generation deletionGracePeriodSeconds", _integer),
        **_fields("creationTimestamp deletionTimestamp", _time),
        **_fields("labels annotations", _string_map),
        **_fields("ownerReferences managedFields", _objects),
        "finalizers": _strings,
    },
)
_POD_SPEC_FIELDS: Mapping[str, _Shape] = {
    **_fields("containers initContainers ephemeralContainers", _containers),
    **_fields(
        "volumes imagePullSecrets tolerations hostAliases readinessGates topologySpreadConstraints schedulingGates",
        _objects,
    ),
    **_fields(
        "restartPolicy dnsPolicy serviceAccountName serviceAccount nodeName hostname subdomain schedulerName "
        "priorityClassName runtimeClassName preemptionPolicy hostnameOverride",
        _string,
    ),
    **_fields("terminationGracePeriodSeconds activeDeadlineSeconds priority", _integer),
    **_fields(
        "automountServiceAccountToken hostNetwork hostPID hostIPC shareProcessNamespace enableServiceLinks "
        "setHostnameAsFQDN hostUsers",
        _boolean,
    ),
    **_fields("securityContext dnsConfig os", _any_object),
    "nodeSelector": _string_map,
    "overhead": _quantities,
    "affinity": _struct(
        "an Affinity",
        {"nodeAffinity": _node_affinity, "podAffinity": _pod_affinity, "podAntiAffinity": _pod_affinity},
    ),
    "resourceClaims": _resource_claims,
    "resources": _resource_requirements,
}
_pod_spec = _struct("a PodSpec", _POD_SPEC_FIELDS)
_PARTS_OF_TEMPLATE = frozenset({"metadata", "spec"})
# Beside those whose values are checked.
_OTHER_PARTS_OF_SPEC = frozenset({"workloadref"})


def _unknown_to_specs(value: object) -> list[str]:
    known = {field.lower() for field in _POD_SPEC_FIELDS} | _OTHER_PARTS_OF_SPEC
    return [key for key in value if key.lower() not in known] if isinstance(value, dict) else []


def _unknown_to_templates(value: object) -> list[str]:
    if not isinstance(value, dict):
        return []
    unknown = [key for key in value if key.lower() not in _PARTS_OF_TEMPLATE]
    return [*unknown, *(f"spec.{key}" for key in _unknown_to_specs(value.get("spec")))]


UNKNOWN_TO_PODS: Mapping[ResultType, Callable[[object], list[str]]] = {
    ResultType.POD_TEMPLATE_SPEC: _unknown_to_templates,
    ResultType.POD_SPEC: _unknown_to_specs,
}
"""The fields of a value that Kubernetes' own types do not have, so that consumers lose them when they write."""

_pod_template_spec = _struct("a PodTemplateSpec", {"metadata": _object_meta, "spec": _pod_spec})


# ----------------------------------------------------------------------------------------------------------
# Conversions
# ----------------------------------------------------------------------------------------------------------


def _to_string(value: object) -> object:
    _string(value, ())
    return "" if value is None else value


def _to_count(value: object) -> object:
    if value is None:
        return None
    count = int(value) if isinstance(value, str) and len(value) < _SHOWN and _DIGITS.fullmatch(value) else value
    if isinstance(count, bool) or not isinstance(count, int):
        raise _Mismatch("an integer", value)
    if count not in INT32:
        raise _Mismatch("an integer of 32 bits", value)
    return count


def _shaped(shape: _Shape, null: Callable[[], object]) -> Callable[[object], object]:
    def convert(value: object) -> object:
        shape(value, ())
        return null() if value is None else value

    return convert


def _nothing() -> None:
    return None


def _unchanged(value: object) -> object:
    return value


_CONVERSIONS: Mapping[ResultType, Callable[[object], object]] = {
    ResultType.STRING: _to_string,
    ResultType.INTEGER: _to_count,
    ResultType.STRING_MAP: _shaped(_string_map, dict),
    ResultType.POD_TEMPLATE_SPEC: _shaped(_pod_template_spec, dict),
    ResultType.POD_SPEC: _shaped(_pod_spec, dict),
    ResultType.OBJECT_META: _shaped(_object_meta, dict),
    ResultType.RESOURCE_REQUIREMENTS: _shaped(_resource_requirements, _nothing),
    ResultType.RESOURCE_CLAIMS: _shaped(_resource_claims, list),
    ResultType.POD_AFFINITY: _shaped(_pod_affinity, _nothing),
    ResultType.NODE_AFFINITY: _shaped(_node_affinity, _nothing),
    ResultType.CONTAINERS: _shaped(_containers, list),
    ResultType.CONTAINER: _shaped(_container, _nothing),
    ResultType.CONDITIONS: _shaped(_list_of(_any_object, "a list of conditions"), list),
}


def convert(values: Iterable[object], wanted: ResultType) -> tuple[Any, ...] | ConversionError:
    """Every result as ``wanted``, or the first that is not.

    Counts become int or None, texts str, everything else stays the JSON it is. Types that consumers take as
    they come (texts to compare, keys, places to write to) are not converted at all.
    """
    conversion = _CONVERSIONS.get(wanted, _unchanged)
    found = []
    for index, value in enumerate(values):
        try:
            found.append(conversion(value))
        except _Mismatch as mismatch:
            return ConversionError(index, mismatch.wanted, described(mismatch.value), mismatch.path)
    return tuple(found)
