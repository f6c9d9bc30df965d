"""The lines that the console shows to connect clients: what is copied there is run here."""

import json
import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parent / "connect-snippets.ts"


def connect_snippets(url: str, catalog: str, *names: str, principal: str = "") -> dict[str, str]:
    """By client, for the table of these names; `url` is where the Iceberg catalog is mounted."""
    server = url.removesuffix("/iceberg")
    command = [os.environ["FIRN_TEST_NODE"], SCRIPT, server, principal, catalog, *names]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
