"""Writers that race: every row that was acknowledged is there, once."""

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from conftest import SCHEMA, connect, ids, rows
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)

WRITERS = 8
APPENDS = 4
RETRIES = {
    "commit.retry.num-retries": "100",
    "commit.retry.min-wait-ms": "10",
    "commit.retry.max-wait-ms": "200",
}


def append_from_a_process(name: tuple[str, ...], writer: int) -> int:
    """Appends one row at a time with a client of its own; answers how many were acknowledged."""
    table = connect().load_table(name)
    for i in range(APPENDS):
        table.append(rows(writer * APPENDS + i))
    return APPENDS


def test_eight_appenders_lose_nothing_and_double_nothing(catalog, make):
    table = make("t", properties=RETRIES)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WRITERS, mp_context=spawn) as pool:
        acknowledged = sum(
            pool.map(append_from_a_process, [table.name()] * WRITERS, range(WRITERS))
        )
    assert acknowledged == WRITERS * APPENDS
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == list(range(WRITERS * APPENDS))
    assert len(loaded.snapshots()) == WRITERS * APPENDS
    sequence = [s.sequence_number for s in loaded.snapshots()]
    assert sequence == list(range(1, WRITERS * APPENDS + 1))
    # One line of history: each snapshot follows the one before it.
    parents = [s.parent_snapshot_id for s in loaded.snapshots()]
    assert parents[1:] == [s.snapshot_id for s in loaded.snapshots()][:-1]


def race(*calls) -> list[object]:
    """Runs the calls at the same time; answers each one's result or its exception."""
    gate = threading.Barrier(len(calls))

    def run(call):
        gate.wait()
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - the race judges every kind
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def winners(results: list[object], lost: type[Exception] | tuple[type[Exception], ...]) -> int:
    """How many calls came through; every other must have lost in the way that is allowed."""
    failed = [result for result in results if isinstance(result, Exception)]
    assert all(isinstance(error, lost) for error in failed), failed
    return len(results) - len(failed)


def test_one_of_many_creators_wins(catalog, namespace):
    clients = [connect() for _ in range(WRITERS)]
    for n in range(3):
        name = (namespace, f"t{n}")
        results = race(
            *[lambda c=c: c.create_table(name, schema=SCHEMA) for c in clients]
        )
        assert winners(results, TableAlreadyExistsError) == 1
        [made] = [r for r in results if not isinstance(r, Exception)]
        loaded = catalog.load_table(name)
        assert loaded.metadata.table_uuid == made.metadata.table_uuid


def test_one_of_many_namespace_creators_wins(catalog, namespace):
    clients = [connect() for _ in range(WRITERS)]
    child = (namespace, "child")
    results = race(*[lambda c=c: c.create_namespace(child) for c in clients])
    assert winners(results, NamespaceAlreadyExistsError) == 1
    catalog.drop_namespace(child)


def test_one_of_many_droppers_wins(catalog, namespace, make):
    clients = [connect() for _ in range(WRITERS)]
    name = make("t", 1).name()
    results = race(*[lambda c=c: c.drop_table(name) for c in clients])
    assert winners(results, NoSuchTableError) == 1
    assert catalog.list_tables(namespace) == []


def test_one_of_two_renames_onto_a_name_wins(catalog, namespace, make):
    clients = [connect(), connect()]
    uuids = {make(name).metadata.table_uuid for name in ("a", "b")}
    results = race(
        lambda: clients[0].rename_table((namespace, "a"), (namespace, "c")),
        lambda: clients[1].rename_table((namespace, "b"), (namespace, "c")),
    )
    assert winners(results, TableAlreadyExistsError) == 1
    left = catalog.list_tables(namespace)
    assert len(left) == 2 and (namespace, "c") in left
    assert {catalog.load_table(name).metadata.table_uuid for name in left} == uuids


@pytest.mark.parametrize("attempt", range(4))
def test_a_drop_of_the_parent_against_a_create_of_a_table(catalog, namespace, attempt):
    parent = (namespace, f"parent{attempt}")
    catalog.create_namespace(parent)
    clients = [connect(), connect()]
    dropped, made = race(
        lambda: clients[0].drop_namespace(parent),
        lambda: clients[1].create_table((*parent, "t"), schema=SCHEMA),
    )
    if isinstance(dropped, Exception):
        assert isinstance(dropped, NamespaceNotEmptyError) and not isinstance(made, Exception)
        assert catalog.list_tables(parent) == [(*parent, "t")]
        catalog.drop_table((*parent, "t"))
        catalog.drop_namespace(parent)
    else:
        assert isinstance(made, NoSuchNamespaceError), made
        assert not catalog.namespace_exists(parent)


def test_schema_changes_from_one_base_admit_one(catalog, make):
    from pyiceberg.types import StringType

    name = make("t").name()
    stale = [connect().load_table(name) for _ in range(4)]

    def add_column(table, column):
        with table.update_schema() as update:
            update.add_column(column, StringType())

    results = race(*[lambda t=t, i=i: add_column(t, f"c{i}") for i, t in enumerate(stale)])
    assert winners(results, CommitFailedException) == 1
    assert len(catalog.load_table(name).schema().fields) == 4
