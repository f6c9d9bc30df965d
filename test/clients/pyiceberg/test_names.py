"""Names that a URL, a path or a key would trip over."""

import pytest
from conftest import SCHEMA, ids, rows
from pyiceberg.exceptions import BadRequestError, TableAlreadyExistsError

NAMES = [
    "with space",
    "with/slash",
    "../up",
    "with%percent",
    "%2F",
    "%zz",
    "plus+plus",
    "question?mark&and=equals",
    "hash#tag",
    "semi;colon:colon",
    "quote'and\"double",
    "back\\slash",
    "tilde~~",
    "star*dollar$",
    "brackets[]()",
    "Ünïcödé",
    "雪と氷",
    "🏔️",
    "UPPER and lower",
]
DOTTED = ["with.dot", ".hidden", "...", "a..b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_table(catalog, namespace, name):
    identifier = (namespace, name)
    table = catalog.create_table(identifier, schema=SCHEMA)
    table.append(rows(1, 2))
    assert catalog.list_tables(namespace) == [identifier]
    assert catalog.table_exists(identifier)
    loaded = catalog.load_table(identifier)
    assert loaded.metadata.table_uuid == table.metadata.table_uuid
    assert ids(loaded) == [1, 2]
    catalog.rename_table(identifier, (namespace, "plain"))
    back = catalog.rename_table((namespace, "plain"), identifier)
    assert ids(back) == [1, 2]
    catalog.drop_table(identifier)
    assert not catalog.table_exists(identifier)


@pytest.mark.parametrize("name", NAMES)
def test_a_namespace(catalog, namespace, name):
    child = (namespace, name)
    catalog.create_namespace(child, {"name": name})
    assert catalog.list_namespaces(namespace) == [child]
    assert catalog.load_namespace_properties(child)["name"] == name
    catalog.create_table((*child, "t"), schema=SCHEMA)
    assert catalog.list_tables(child) == [(*child, "t")]
    catalog.drop_table((*child, "t"))
    catalog.drop_namespace(child)
    assert not catalog.namespace_exists(child)


@pytest.mark.parametrize("name", DOTTED)
def test_dots(catalog, namespace, name):
    child = (namespace, name)
    catalog.create_namespace(child)
    assert catalog.list_namespaces(namespace) == [child]
    table = catalog.create_table((*child, name), schema=SCHEMA)
    table.append(rows(1))
    assert ids(catalog.load_table((*child, name))) == [1]
    catalog.drop_table((*child, name))
    catalog.drop_namespace(child)


def test_names_differ_by_case(catalog, namespace):
    upper, lower = (
        catalog.create_table((namespace, name), schema=SCHEMA).metadata.table_uuid for name in "Aa"
    )
    assert upper != lower
    assert catalog.load_table((namespace, "A")).metadata.table_uuid == upper
    assert catalog.load_table((namespace, "a")).metadata.table_uuid == lower
    assert sorted(catalog.list_tables(namespace)) == [(namespace, "A"), (namespace, "a")]


@pytest.mark.firn
def test_two_spellings_of_one_text_are_one_name(catalog, namespace):
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    table = catalog.create_table((namespace, decomposed), schema=SCHEMA)
    assert catalog.list_tables(namespace) == [(namespace, composed)]
    for name in (composed, decomposed):
        assert catalog.load_table((namespace, name)).metadata.table_uuid == table.metadata.table_uuid
        with pytest.raises(TableAlreadyExistsError):
            catalog.create_table((namespace, name), schema=SCHEMA)


def test_locations_never_escape_the_warehouse(catalog, namespace):
    plain = catalog.create_table((namespace, "plain"), schema=SCHEMA).location()
    root = plain[: plain.index(namespace)]
    for name in ("../../escape", "...", "/etc/x"):
        location = catalog.create_table((namespace, name), schema=SCHEMA).location()
        assert location.startswith(root)
        assert ".." not in location.split("/")


@pytest.mark.firn
def test_long_names(catalog, namespace):
    name = "n" * 255
    table = catalog.create_table((namespace, name), schema=SCHEMA)
    table.append(rows(1))
    assert ids(catalog.load_table((namespace, name))) == [1]
    long_path = (namespace, *[f"level{i}" for i in range(20)])
    for depth in range(2, len(long_path) + 1):
        catalog.create_namespace(long_path[:depth])
    assert catalog.namespace_exists(long_path)
    for depth in range(len(long_path), 1, -1):
        catalog.drop_namespace(long_path[:depth])


@pytest.mark.firn
@pytest.mark.parametrize(
    "name",
    ["n" * 256, "ü" * 128, "", ".", "..", " leading", "trailing ", "nul\0byte", "line\nbreak", "\x7f"],
)
def test_names_that_are_refused(catalog, namespace, name):
    with pytest.raises(BadRequestError):
        catalog.create_table((namespace, name), schema=SCHEMA)
    assert catalog.list_tables(namespace) == []
    with pytest.raises(BadRequestError):
        catalog.create_namespace((namespace, name))
    assert catalog.list_namespaces(namespace) == []
