"""A table's properties do not tell its readers where to send their requests."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import SCHEMA, SCHEME, URL, connect
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import BadRequestError
from pyiceberg.io import load_file_io
from pyiceberg.table import Table

pytestmark = [
    pytest.mark.firn,
    pytest.mark.skipif(SCHEME != "file:///", reason="plants its file on this machine"),
]

TOKEN = "the-token-of-the-reader"


class Listener:
    """Notes who asks, and has nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def _note(self) -> None:
                asked.append(f"{self.command} {self.headers.get('Authorization', '')}")
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_HEAD = do_PUT = do_POST = do_CONNECT = _note  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def stranger() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.stop()


@pytest.fixture
def store() -> Iterator[Listener]:
    """The reader's own."""
    listener = Listener()
    yield listener
    listener.stop()


FSSPEC = "pyiceberg.io.fsspec.FsspecFileIO"


def signing(url: str) -> dict[str, str]:
    return {"py-io-impl": FSSPEC, "s3.signer": "S3V4RestSigner", "s3.signer.uri": url}


PLANTED = {
    "signer": signing,
    # PyIceberg asks the catalog to sign where nobody else is named.
    "catalog": lambda url: {"py-io-impl": FSSPEC, "s3.signer": "S3V4RestSigner", "uri": url},
    "proxy": lambda url: {"s3.proxy-uri": url},
    "proxy, fsspec": lambda url: {"s3.proxy-uri": url, "py-io-impl": FSSPEC},
}


def plant(catalog: Catalog, namespace: str, properties: dict[str, str]) -> Table:
    """Registers a metadata file that holds the properties, as another catalog may have written."""
    made = catalog.create_table((namespace, "t"), schema=SCHEMA)
    path = Path(made.metadata_location.removeprefix("file://"))
    catalog.drop_table((namespace, "t"))
    metadata = json.loads(path.read_text())
    theirs = path.with_name("planted.metadata.json")
    theirs.write_text(json.dumps({**metadata, "properties": properties}))
    return catalog.register_table((namespace, "t"), f"file://{theirs}")


def reader_of(store: Listener) -> Catalog:
    return connect(
        **{"token": TOKEN, "s3.endpoint": store.url, "s3.region": "us-east-1"},
        **{"s3.access-key-id": "key", "s3.secret-access-key": "secret"},
        **{"s3.connect-timeout": "5", "s3.request-timeout": "5"},
    )


def look(io: object) -> None:
    """Looks for a file in S3. What comes of it is no matter: who was asked is."""
    try:
        io.new_input("s3://lake/t/data.parquet").exists()
    except Exception as error:  # noqa: BLE001
        print(type(error).__name__, error)


@pytest.mark.parametrize("kind", PLANTED)
def test_readers_do_not_follow_a_planted_property(
    catalog: Catalog,
    namespace: str,
    stranger: Listener,
    store: Listener,
    kind: str,
) -> None:
    planted = PLANTED[kind](stranger.url)
    registered = plant(catalog, namespace, planted)
    assert registered.properties == planted
    reader = reader_of(store)

    table = reader.load_table((namespace, "t"))
    assert table.properties == planted
    for io in (table.io, reader.load_table((namespace, "t")).refresh().io):
        look(io)
    assert stranger.asked == []
    assert store.asked != []

    # Without the answer's config it would: the stranger does listen.
    look(load_file_io({**reader.properties, **table.properties}, table.metadata_location))
    assert stranger.asked != []
    if kind == "signer":
        assert stranger.asked[0] == f"POST Bearer {TOKEN}"


def test_readers_do_not_go_to_a_planted_endpoint(
    catalog: Catalog, namespace: str, stranger: Listener, store: Listener
) -> None:
    plant(catalog, namespace, {"s3.endpoint": stranger.url})
    reader = reader_of(store)
    table = reader.load_table((namespace, "t"))
    # To Amazon's own, unless the server knows better: no test goes there.
    assert table.io.properties["s3.endpoint"] == ""
    look(load_file_io({**reader.properties, **table.properties}, table.metadata_location))
    assert stranger.asked != []


def test_a_client_cannot_set_one(catalog: Catalog, namespace: str, make) -> None:
    table = make("t")
    with pytest.raises(BadRequestError, match="s3.signer.uri"):
        with table.transaction() as change:
            change.set_properties({"s3.signer.uri": URL})
    with pytest.raises(BadRequestError, match="py-io-impl"):
        catalog.create_table((namespace, "u"), schema=SCHEMA, properties={"py-io-impl": "x.Y"})
    assert not catalog.table_exists((namespace, "u"))


def test_a_planted_property_goes_by_a_removal(catalog: Catalog, namespace: str) -> None:
    plant(catalog, namespace, {"s3.signer.uri": URL, "owner": "me"})
    table = catalog.load_table((namespace, "t"))
    with table.transaction() as change:
        change.remove_properties("s3.signer.uri")
    assert catalog.load_table((namespace, "t")).properties == {"owner": "me"}
