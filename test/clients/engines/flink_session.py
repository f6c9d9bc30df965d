"""A session of Flink in a JVM of its own, see flink/FlinkSession.java."""

import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "flink" / "FlinkSession.java"
STOP_LIMIT_S = 60
# What Flink and Arrow ask of every JVM that they run on.
OPENED = ["java.base/java.lang", "java.base/java.util", "java.base/java.nio"]
FLAGS = ["-Xmx1500m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"]


class FlinkSession:
    def __init__(self, class_path: str, url: str, directory: Path) -> None:
        opened = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
        command = ["java", *FLAGS, *opened, "-cp", class_path, str(SOURCE), url, str(directory)]
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
        )

    def run(self, statement: str) -> list[str]:
        """The rows of a statement, each as its values between commas."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(" ".join(statement.split()) + "\n")
        self._process.stdin.flush()
        rows = []
        for line in self._process.stdout:
            mark, _, text = line.rstrip("\n").partition(" ")
            if mark == ".":
                return rows
            if mark == "!":
                raise RuntimeError(text)
            rows.append(text.removeprefix("+I[").removesuffix("]"))
        self._errors.seek(0)
        raise RuntimeError(f"Flink has ended:\n{self._errors.read()[-5_000:]}")

    def stop(self) -> None:
        assert self._process.stdin is not None
        # It ends when nothing more can come.
        self._process.stdin.close()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
