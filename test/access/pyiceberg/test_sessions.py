"""PyIceberg with credentials: sessions that outlive their token, a revoked key, two roles."""

import os
import uuid
from collections.abc import Iterator

import pyarrow as pa
import pytest
import requests
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)
from pyiceberg.types import StringType

URL = os.environ["FIRN_TEST_URL"]
CLOCK = os.environ["FIRN_TEST_CLOCK"]
KEY = os.environ["FIRN_TEST_KEY"]
ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64())})
LIFETIME_MS = 300_000


def advance(ms: int) -> None:
    requests.post(CLOCK, params={"ms": ms}, timeout=10).raise_for_status()


def connect(**properties: object) -> Catalog:
    return load_catalog("test", **{"type": "rest", "uri": f"{URL}/iceberg", **properties})


def api(method: str, path: str, **body: object) -> dict:
    headers = {"Authorization": f"Bearer {KEY}"}
    json = body if method == "POST" else None
    url = f"{URL}/api/v1{path}"
    answer = requests.request(method, url, json=json, headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json() if answer.content else {}


def token() -> str:
    form = {"grant_type": "client_credentials", "client_secret": KEY}
    answer = requests.post(f"{URL}/iceberg/v1/oauth/tokens", data=form, timeout=10)
    return answer.json()["access_token"]


@pytest.fixture
def namespace() -> Iterator[str]:
    catalog = connect(token=KEY)
    name = f"ns_{uuid.uuid4().hex[:8]}"
    catalog.create_namespace(name)
    yield name
    for table in catalog.list_tables(name):
        catalog.drop_table(table)
    catalog.drop_namespace(name)


def work(catalog: Catalog, table: str) -> None:
    """A session: reads, writes and lists before and after the end of its token."""
    made = catalog.create_table(table, schema=ROWS.schema)
    made.append(ROWS)
    advance(LIFETIME_MS + 1)
    assert catalog.table_exists(table)
    advance(LIFETIME_MS + 1)
    made.append(ROWS)
    advance(LIFETIME_MS + 1)
    loaded = catalog.load_table(table)
    advance(LIFETIME_MS + 1)
    with loaded.update_schema() as update:
        update.add_column("more", StringType())
    advance(LIFETIME_MS + 1)
    loaded.refresh()
    assert loaded.scan().to_arrow().num_rows == 6
    assert [name for _, name in catalog.list_tables(table.split(".")[0])] == ["t"]


def test_credential_outlives_tokens(namespace: str) -> None:
    work(connect(credential=f"admin:{KEY}"), f"{namespace}.t")


def test_credential_without_name(namespace: str) -> None:
    work(connect(credential=KEY, scope="catalog"), f"{namespace}.t")


def test_key_as_token(namespace: str) -> None:
    work(connect(token=KEY), f"{namespace}.t")


def test_basic(namespace: str) -> None:
    basic = {"type": "basic", "basic": {"username": "admin", "password": KEY}}
    work(connect(auth=basic), f"{namespace}.t")


def test_oauth2_manager(namespace: str) -> None:
    oauth2 = {
        "type": "oauth2",
        "oauth2": {
            "client_id": "admin",
            "client_secret": KEY,
            "token_url": f"{URL}/iceberg/v1/oauth/tokens",
            "scope": "catalog",
            # It refreshes by its own clock, which stands still here: each request anew.
            "refresh_margin": 301,
        },
    }
    work(connect(auth=oauth2), f"{namespace}.t")


def test_bare_token_ends() -> None:
    catalog = connect(token=token())
    catalog.list_namespaces()
    advance(LIFETIME_MS + 1)
    with pytest.raises(UnauthorizedError):
        catalog.list_namespaces()


def test_wrong_credential() -> None:
    # PyIceberg 0.12 reads the body of a refusal as an `OAuthErrorResponse` and fails in its own words.
    with pytest.raises((OAuthError, RESTError)):
        connect(credential=f"admin:{KEY[:-1]}x")


def test_roles_of_a_team(namespace: str) -> None:
    """As docs/access.md makes them: engineers write, analysts read, others see nothing."""
    admin = connect(token=KEY)
    admin.create_table(f"{namespace}.t", schema=ROWS.schema).append(ROWS)
    keys = {}
    for role, privileges in {
        "engineer": ["create", "alter", "drop", "read-data", "write-data", "read-metadata"],
        "analyst": ["read-metadata", "read-data"],
        "stranger": [],
    }.items():
        name = f"{role}-{namespace}"
        api("POST", "/principals", name=name)
        keys[role] = api("POST", f"/principals/{name}/keys")["key"]
        if privileges:
            place = {"catalog": "default", "namespace": [namespace]}
            api("POST", "/grants", principal=name, privileges=privileges, **place)
    engineer, analyst = (connect(credential=keys[role]) for role in ("engineer", "analyst"))
    engineer.load_table(f"{namespace}.t").append(ROWS)
    table = analyst.load_table(f"{namespace}.t")
    assert table.scan().to_arrow().num_rows == 6
    with pytest.raises(ForbiddenError, match="write-data"):
        table.append(ROWS)
    with pytest.raises(ForbiddenError, match="drop"):
        analyst.drop_table(f"{namespace}.t")
    # Whoever holds nothing does not even see the catalog.
    with pytest.raises((NoSuchTableError, RESTError)):
        connect(credential=keys["stranger"]).load_table(f"{namespace}.t")


def test_revocation_ends_a_session(namespace: str) -> None:
    name = f"leaver-{namespace}"
    api("POST", "/principals", name=name)
    made = api("POST", f"/principals/{name}/keys")
    place = {"catalog": "default", "namespace": [namespace]}
    api("POST", "/grants", principal=name, privileges=["read-metadata"], **place)
    catalog = connect(credential=made["key"])
    catalog.list_tables(namespace)
    api("DELETE", f"/principals/{name}/keys/{made['id']}")
    advance(1_000)
    with pytest.raises((UnauthorizedError, OAuthError)):
        catalog.list_tables(namespace)
