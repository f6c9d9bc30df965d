import pytest
from conftest import SCHEMA, connect
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    RESTError,
)


def test_create_list_drop(catalog):
    catalog.create_namespace("ns_life", {"owner": "ada"})
    assert ("ns_life",) in catalog.list_namespaces()
    assert catalog.namespace_exists("ns_life")
    catalog.drop_namespace("ns_life")
    assert ("ns_life",) not in catalog.list_namespaces()
    assert not catalog.namespace_exists("ns_life")
    catalog.create_namespace("ns_life")
    assert "owner" not in catalog.load_namespace_properties("ns_life")
    catalog.drop_namespace("ns_life")


def test_properties(catalog, namespace):
    first = catalog.update_namespace_properties(namespace, updates={"a": "1", "b": "ü"})
    assert sorted(first.updated) == ["a", "b"]
    second = catalog.update_namespace_properties(
        namespace, removals={"a", "never"}, updates={"c": ""}
    )
    assert (second.removed, second.missing, second.updated) == (["a"], ["never"], ["c"])
    properties = catalog.load_namespace_properties(namespace)
    assert properties["b"] == "ü" and properties["c"] == "" and "a" not in properties


def test_a_key_cannot_be_set_and_removed_at_once(catalog, namespace):
    with pytest.raises(RESTError):
        catalog.update_namespace_properties(namespace, removals={"a"}, updates={"a": "1"})
    assert "a" not in catalog.load_namespace_properties(namespace)


def test_nested(catalog, namespace):
    child, grandchild = (namespace, "child"), (namespace, "child", "grandchild")
    catalog.create_namespace(child)
    catalog.create_namespace(grandchild, {"depth": "3"})
    assert catalog.list_namespaces(namespace) == [child]
    assert catalog.list_namespaces(child) == [grandchild]
    assert catalog.list_namespaces(grandchild) == []
    assert child not in catalog.list_namespaces()
    assert catalog.load_namespace_properties(grandchild)["depth"] == "3"
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace(child)
    catalog.drop_namespace(grandchild)
    catalog.drop_namespace(child)
    assert catalog.list_namespaces(namespace) == []


@pytest.mark.firn
def test_a_child_needs_its_parent(catalog, namespace):
    with pytest.raises(RESTError, match="NoSuchNamespaceException"):
        catalog.create_namespace((namespace, "absent", "child"))
    assert catalog.list_namespaces(namespace) == []


def test_errors(catalog, namespace):
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace(namespace)
    for call in (
        lambda: catalog.load_namespace_properties("absent"),
        lambda: catalog.drop_namespace("absent"),
        lambda: catalog.list_tables("absent"),
        lambda: catalog.update_namespace_properties("absent", updates={"a": "1"}),
    ):
        with pytest.raises(NoSuchNamespaceError):
            call()


@pytest.mark.firn
def test_children_of_nothing(catalog):
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_namespaces("absent")


def test_a_namespace_with_a_table_stays(catalog, namespace):
    catalog.create_table((namespace, "t"), schema=SCHEMA)
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace(namespace)
    assert catalog.table_exists((namespace, "t"))


@pytest.mark.parametrize("page_size", ["1", "3", "100"])
def test_pages_hold_everything_once(catalog, namespace, page_size):
    children = [(namespace, f"c{i}") for i in range(7)]
    for child in children:
        catalog.create_namespace(child)
    paged = connect(**{"rest-page-size": page_size})
    assert sorted(paged.list_namespaces(namespace)) == children
    for child in children:
        catalog.drop_namespace(child)
