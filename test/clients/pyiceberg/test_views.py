"""Views: PyIceberg creates, loads, lists, registers and drops them; it does not replace them."""

import pytest
from conftest import SCHEMA, connect
from pyiceberg.exceptions import (
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from pyiceberg.view.metadata import SQLViewRepresentation, ViewVersion


def version_of(namespace, **queries):
    """A version with one query for each dialect."""
    return ViewVersion(
        version_id=1,
        schema_id=0,
        timestamp_ms=1_700_000_000_000,
        summary={"engine-name": "test"},
        default_catalog="lake",
        default_namespace=[namespace],
        representations=[
            SQLViewRepresentation(type="sql", sql=sql, dialect=dialect)
            for dialect, sql in queries.items()
        ],
    )


@pytest.fixture
def make_view(catalog, namespace):
    def make(name, **options):
        version = version_of(namespace, spark="select 1", trino="select 2")
        return catalog.create_view((namespace, name), SCHEMA, version, **options)

    return make


def test_create_and_load(catalog, namespace, make_view):
    made = make_view("v", properties={"comment": "first"})
    for view in (made, connect().load_view((namespace, "v"))):
        assert view.name() == (namespace, "v")
        assert view.properties == {"comment": "first"}
        assert view.uuid() == made.uuid()
        assert view.schema().as_struct() == SCHEMA.as_struct()
        assert view.sql_for("trino").sql == "select 2"
        version = view.current_version()
        assert (version.version_id, version.schema_id) == (1, 0)
        assert version.summary == {"engine-name": "test"}
        assert version.default_catalog == "lake"
        assert list(version.default_namespace) == [namespace]
        assert [entry.version_id for entry in view.history()] == [1]


def test_exists_list_drop(catalog, namespace, make_view):
    assert catalog.list_views(namespace) == []
    for name in ("b", "a"):
        make_view(name)
    assert catalog.list_views(namespace) == [(namespace, "a"), (namespace, "b")]
    assert catalog.list_tables(namespace) == []
    assert catalog.view_exists((namespace, "a"))
    assert not catalog.table_exists((namespace, "a"))
    catalog.drop_view((namespace, "a"))
    assert not catalog.view_exists((namespace, "a"))
    assert catalog.list_views(namespace) == [(namespace, "b")]


def test_what_is_missing(catalog, namespace):
    for identifier in ((namespace, "none"), ("no_such_namespace", "v")):
        with pytest.raises(NoSuchViewError):
            catalog.load_view(identifier)
        with pytest.raises(NoSuchViewError):
            catalog.drop_view(identifier)
        assert not catalog.view_exists(identifier)
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_views("no_such_namespace")


def test_names_are_shared_with_tables(catalog, namespace, make, make_view):
    make("t", 1)
    make_view("v")
    for name in ("t", "v"):
        with pytest.raises(ViewAlreadyExistsError):
            make_view(name)
        with pytest.raises(TableAlreadyExistsError):
            make(name)
    make("u")
    with pytest.raises(TableAlreadyExistsError):
        catalog.rename_table((namespace, "u"), (namespace, "v"))
    with pytest.raises(NoSuchTableError):
        catalog.load_table((namespace, "v"))
    with pytest.raises(NoSuchViewError):
        catalog.load_view((namespace, "t"))


def test_a_namespace_with_a_view_is_not_empty(catalog, namespace, make_view):
    make_view("v")
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace(namespace)


def test_a_dropped_view_is_registered_again(catalog, namespace, make_view):
    made = make_view("v", location=None)
    response = catalog._session.get(f"{catalog.uri.rstrip('/')}/v1/namespaces/{namespace}/views/v")
    location = response.json()["metadata-location"]
    with pytest.raises(ViewAlreadyExistsError):
        catalog.register_view((namespace, "v"), location)
    catalog.drop_view((namespace, "v"))
    again = catalog.register_view((namespace, "w"), location)
    assert again.uuid() == made.uuid()
    assert catalog.load_view((namespace, "w")).sql_for("spark").sql == "select 1"

