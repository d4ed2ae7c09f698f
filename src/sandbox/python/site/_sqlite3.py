"""Owns saying that the sandbox has no SQLite, where `import sqlite3` looks for it; never a database."""

raise ModuleNotFoundError(
    "sqlite3 is not available in this sandbox: keep data in JSON or CSV files, or in dbm.dumb and shelve", name="sqlite3"
)
