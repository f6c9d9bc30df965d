"""Fixtures of the PyIceberg suite: a real server (FIRN_TEST_URL) and a namespace for each test."""

import itertools
import os
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

URL = os.environ["FIRN_TEST_URL"]
# How the location of every table begins.
SCHEME = os.environ.get("FIRN_TEST_SCHEME", "file:///")
# Set when the suite runs against another implementation, to prove the suite itself.
FOREIGN = os.environ.get("FIRN_TEST_FOREIGN") == "1"


def connect(**properties: str) -> Catalog:
    """A client of its own: every call fetches the configuration anew."""
    return load_catalog("test", **{"type": "rest", "uri": URL, **properties})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOREIGN and item.get_closest_marker("firn"):
            item.add_marker(pytest.mark.skip(reason="Firn's own promise, foreign server"))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return connect()


_numbers = itertools.count(1)


@pytest.fixture
def namespace(catalog: Catalog, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace that no other test sees, emptied and dropped afterwards: the drop is a check too."""
    name = f"py_{os.getpid()}_{next(_numbers)}"
    catalog.create_namespace(name)
    yield name
    drop_all(catalog, (name,))
    assert not catalog.namespace_exists(name)


def drop_all(catalog: Catalog, namespace: tuple[str, ...]) -> None:
    for identifier in catalog.list_tables(namespace):
        catalog.drop_table(identifier)
    for identifier in catalog.list_views(namespace):
        catalog.drop_view(identifier)
    for child in catalog.list_namespaces(namespace):
        drop_all(catalog, child)
    catalog.drop_namespace(namespace)


SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "city", StringType()),
    NestedField(3, "amount", DoubleType()),
)
ARROW = schema_to_pyarrow(SCHEMA, include_field_ids=False)


def rows(*ids: int, city: str = "Oslo") -> pa.Table:
    """One row for each id."""
    return pa.Table.from_pylist(
        [{"id": i, "city": city, "amount": i / 2} for i in ids], schema=ARROW
    )


def ids(table: Table, **scan: object) -> list[int]:
    """The ids that a scan returns, sorted, so that lost and doubled rows both show."""
    return sorted(table.scan(**scan).to_arrow()["id"].to_pylist())


@pytest.fixture
def make(catalog: Catalog, namespace: str) -> Callable[..., Table]:
    """Makes a table of SCHEMA, filled with one row for each id."""

    def make_table(name: str, *fill: int, **options: object) -> Table:
        table = catalog.create_table((namespace, name), schema=SCHEMA, **options)
        if fill:
            table.append(rows(*fill))
        return table

    return make_table
