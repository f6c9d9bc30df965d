"""The tests that SQLAlchemy asks of every dialect."""

from sqlalchemy.testing.suite import *  # noqa: F401,F403
