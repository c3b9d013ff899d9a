"""Finding the definition for an object, and resolving many."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import wmap_lint
from tests.cli.running import ROOT
from wmap_lint.catalog import Catalog, DefinitionError, Request, Resolver, load_definition

JOBSET = ROOT / "catalog" / "jobset-x-k8s-io-jobset-v1alpha2.yaml"


def text(version: str = "v1", group: str = "example.com", kind: str = "Widget", name: str = "w") -> str:
    return f"""\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {{name: {name}}}
spec:
  structureDefinition:
    rootComponent: {{name: root, kind: {{group: "{group}", version: {version}, kind: {kind}}}}}
"""


def widget(version: str = "v1", group: str = "example.com", kind: str = "Widget") -> dict[str, Any]:
    return {"apiVersion": f"{group}/{version}" if group else version, "kind": kind}


def test_a_definition_from_a_file_or_a_text() -> None:
    assert load_definition(JOBSET).name == load_definition(str(JOBSET)).name == JOBSET.stem
    assert load_definition(text()).name == "w"
    assert load_definition("kind: ConfigMap\n---\n" + text(name="second")).name == "second"
    inline = '{"apiVersion": "run.ai/v1alpha1", "kind": "WorkloadMap", "metadata": {"name": "j"}}'
    assert load_definition(inline).name == "j"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("kind: ConfigMap\n", "there is no WorkloadMap or Karta in the text"),
        ("a: [\n", "<text>:1:"),
        ("nowhere.yaml", "nowhere.yaml"),
        (ROOT / "catalog", "catalog"),
    ],
)
def test_what_is_no_definition(source: str | Path, message: str) -> None:
    with pytest.raises(DefinitionError, match=r".+") as caught:
        load_definition(source)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_builtin_catalog_is_that_of_the_checkout() -> None:
    names = {definition.name for definition in Catalog.builtin()}
    assert names == {path.stem for path in (ROOT / "catalog").glob("*.yaml")}
    assert len(Catalog.builtin()) == len(names)


def test_a_catalog_from_a_file_and_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text() + "---\n" + text(kind="Gadget"), encoding="utf-8")
    (tmp_path / "b.yml").write_text(text(kind="Thing"), encoding="utf-8")
    (tmp_path / "c.txt").write_text("no YAML: [", encoding="utf-8")
    (tmp_path / "below").mkdir()
    assert len(Catalog.load(tmp_path)) == 3
    assert len(Catalog.load(str(tmp_path / "a.yaml"))) == 2
    with pytest.raises(DefinitionError, match="no file or folder"):
        Catalog.load(tmp_path / "none")


def test_of_two_for_one_kind_the_later_one_counts() -> None:
    catalog = Catalog([load_definition(text(name="old")), load_definition(text(name="new"))])
    match = catalog.find(widget())
    assert match is not None
    assert (match.definition.name, match.note) == ("new", None)
    assert len(catalog) == 1


@pytest.mark.parametrize(
    ("versions", "asked", "answer"),
    [
        (["v1", "v2"], "v2", "v2"),
        (["v1alpha1", "v1beta2", "v1"], "v3", "v1"),
        (["v1alpha1", "v1beta2"], "v1", "v1beta2"),
        (["v1beta2", "v1beta10"], "v1", "v1beta10"),
        (["v2alpha1", "v1alpha9"], "v1", "v2alpha1"),
    ],
)
def test_another_version_is_read_by_the_most_stable_one(versions: list[str], asked: str, answer: str) -> None:
    catalog = Catalog(load_definition(text(version=version, name=version)) for version in versions)
    match = catalog.find(widget(asked))
    assert match is not None
    assert match.definition.name == answer
    note = f"Widget example.com/{asked} is read by the definition of version {answer}"
    assert match.note == (None if asked == answer else note)


@pytest.mark.parametrize(
    "asked",
    [widget(group="example.org"), widget(kind="widget"), widget(group=""), {}, {"kind": []}, None, "Widget", []],
)
def test_what_no_definition_covers(asked: Any) -> None:
    assert Catalog([load_definition(text())]).find(asked) is None


def test_core_kinds_have_no_group() -> None:
    catalog = Catalog([load_definition(text(group="", kind="Pod"))])
    assert catalog.find({"apiVersion": "v1", "kind": "Pod"}) is not None
    match = catalog.find({"apiVersion": "v2", "kind": "Pod"})
    assert match is not None
    assert match.note == "Pod v2 is read by the definition of version v1"


def test_a_definition_without_a_kind_covers_nothing() -> None:
    catalog = Catalog([load_definition("apiVersion: run.ai/v1alpha1\nkind: Karta\n")])
    assert len(catalog) == 0


def test_views_come_in_the_order_of_requests_and_only_when_asked_for() -> None:
    one, other = load_definition(text(name="one")), load_definition(text(name="other"))
    taken: list[int] = []

    def requests() -> Any:
        for index in range(1000):
            taken.append(index)
            yield Request(one if index % 2 else other, {**widget(), "metadata": {"name": str(index)}})

    with Resolver() as resolver:
        views = resolver.resolve_many(requests())
        first = next(views)
        assert (first.name, first.definition) == ("0", "other")
        assert len(taken) <= 2 * Resolver.BATCH
        assert [view.name for view in views] == [str(index) for index in range(1, 1000)]


def test_resolve_can_be_called_however_it_is_imported() -> None:
    importlib.import_module("wmap_lint.resolve.view")
    from wmap_lint import resolve

    view = resolve(load_definition(text()), widget())
    assert isinstance(view, wmap_lint.WorkloadView)
    assert wmap_lint.resolve(load_definition(text()), widget()) == view
    assert set(wmap_lint.__all__) >= {"Catalog", "Resolver", "WorkloadView", "load_definition", "resolve"}
    assert all(getattr(wmap_lint, name) is not None for name in wmap_lint.__all__)
