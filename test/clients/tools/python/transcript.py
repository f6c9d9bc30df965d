"""What a session of a tool reports: a line of JSON for each step, compared by the runner."""

import datetime
import decimal
import json
import re
import traceback
import uuid


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=repr)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return f"{type(value).__name__} {value.isoformat()}"
    if isinstance(value, (float, decimal.Decimal, uuid.UUID, datetime.timedelta)):
        return f"{type(value).__name__} {value}"
    if isinstance(value, (bytes, memoryview)):
        return f"bytes {bytes(value).hex()}"
    return repr(value)


def say(step, **told):
    print("STEP " + json.dumps({"step": step, **told}), flush=True)


def spaced(text):
    """The text of an expression without the casts and parentheses that PostgreSQL adds, and blanks."""
    if not isinstance(text, str):
        return text
    return re.sub(r"[()\s]|::[a-z]+(\[\])?( varying| precision)?", "", text)


class Transcript:
    """Runs steps in the order of their definition. What one returns is what it tells."""

    def __init__(self):
        self._steps = []

    def step(self, work):
        self._steps.append(work)
        return work

    def run(self):
        for work in self._steps:
            name = work.__name__.replace("_", " ")
            try:
                say(name, told=plain(work()))
            except Exception as error:  # The next steps tell what still works.
                where = traceback.extract_tb(error.__traceback__)
                own = [each.lineno for each in where if each.filename == work.__code__.co_filename]
                say(name, error=f"{type(error).__name__}: {error}", line=own[-1])
