"""Random documents: shaped like a definition in names, like nothing in particular in values."""

from __future__ import annotations

from hypothesis import strategies as st

from wmap_lint.schema import field_locations

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", ".a", "widget", "a b"])
)
# Real names often enough to get deep, others often enough to get astray.
KEYS = st.sampled_from(sorted(field_locations())) | st.sampled_from(
    ["", "a", "ownerName", "a/b", "0", "specdefinition"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


def _near(schema_like: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return schema_like | VALUES


EXPRESSIONS = _near(st.sampled_from([".a", ".b[]?", ""]))
NAMES = _near(st.sampled_from(["widget", "worker", "driver"]))
COMPONENTS = _near(
    st.fixed_dictionaries(
        {"name": NAMES, "ownerRef": NAMES},
        optional={
            "kind": VALUES,
            "instanceIdPath": EXPRESSIONS,
            "specDefinition": _near(
                st.fixed_dictionaries({}, optional={"podSpecPath": EXPRESSIONS, "fragmentedPodSpecDefinition": VALUES})
            ),
            "scaleDefinition": _near(st.fixed_dictionaries({"replicasPath": EXPRESSIONS})),
            "podSelector": _near(
                st.fixed_dictionaries(
                    {}, optional={"componentTypeSelector": VALUES, "componentInstanceSelector": VALUES}
                )
            ),
            "statusDefinition": _near(
                st.fixed_dictionaries(
                    {"statusMappings": _near(st.dictionaries(st.sampled_from(["running", "failed"]), VALUES))},
                    optional={"conditionsDefinition": VALUES, "phaseDefinition": VALUES},
                )
            ),
            "suspendDefinition": VALUES,
        },
    )
)
GANGS = _near(
    st.fixed_dictionaries(
        {},
        optional={
            "podGroup": _near(
                st.fixed_dictionaries(
                    {"name": NAMES},
                    optional={
                        "subGroups": st.lists(_near(st.fixed_dictionaries({"componentName": NAMES})), max_size=3),
                        "topology": VALUES,
                    },
                )
            ),
            "podGroups": st.lists(
                _near(
                    st.fixed_dictionaries(
                        {"members": st.lists(_near(st.fixed_dictionaries({"componentName": NAMES})), max_size=2)}
                    )
                ),
                max_size=2,
            ),
        },
    )
)
DEFINITIONS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("run.ai/v1alpha1"),
        "kind": st.just("WorkloadMap"),
        "spec": _near(
            st.fixed_dictionaries(
                {
                    "structureDefinition": st.fixed_dictionaries(
                        {"rootComponent": COMPONENTS, "childComponents": st.lists(COMPONENTS, max_size=3)}
                    )
                },
                optional={"optimizationInstructions": st.fixed_dictionaries({"gangScheduling": GANGS})},
            )
        ),
    }
)
"""Definitions with something wrong in them, more often than not."""
