"""Owns connections, cursors and rows of the module sqlite3 over the sandbox's database engine; never the engine (sandbox/sqlite/)."""

import os as _os
from base64 import b64decode as _b64decode, b64encode as _b64encode
from json import dumps as _dumps, loads as _loads

from _sqlite3_codes import CODES as _CODES

globals().update(_CODES)
PARSE_DECLTYPES, PARSE_COLNAMES = 1, 2
LEGACY_TRANSACTION_CONTROL = -1
# A test holds it against the engine.
sqlite_version = "3.54.1"
_deprecated_version = "2.6.0"
threadsafety = 3
converters = {}
adapters = {}
_LEVELS = ("", "DEFERRED", "IMMEDIATE", "EXCLUSIVE")
_BATCH = 500


def _public(cls):
    cls.__module__ = "sqlite3"
    return cls


@_public
class Warning(Exception):
    pass


@_public
class Error(Exception):
    pass


@_public
class InterfaceError(Error):
    pass


@_public
class DatabaseError(Error):
    pass


def _kind(name):
    return _public(type(name, (DatabaseError,), {}))


InternalError, OperationalError, ProgrammingError = _kind("InternalError"), _kind("OperationalError"), _kind("ProgrammingError")
IntegrityError, DataError, NotSupportedError = _kind("IntegrityError"), _kind("DataError"), _kind("NotSupportedError")

_BY_CODE = {2: InternalError, 12: InternalError, 7: MemoryError, 11: DatabaseError, 18: DataError, 19: IntegrityError, 20: IntegrityError, 21: InterfaceError, 25: InterfaceError}
_BY_CODE.update({code: OperationalError for code in (1, 3, 4, 5, 6, 8, 9, 10, 13, 14, 15, 16, 17)})
_BY_KIND = {"ProgrammingError": ProgrammingError, "InternalError": InternalError, "OverflowError": OverflowError}


def _error(answer):
    if "kind" in answer:
        return _BY_KIND[answer["kind"]](answer["error"])
    code = answer["code"]
    cls = _BY_CODE.get(code & 0xFF, DatabaseError)
    if cls is MemoryError:
        return MemoryError()
    error = cls(answer["error"])
    error.sqlite_errorcode = code
    names = [name for name, number in _CODES.items() if number == code and not name.startswith(("SQLITE_LIMIT", "SQLITE_DBCONFIG"))]
    error.sqlite_errorname = next((name for name in names if _is_result(name)), "SQLITE_UNKNOWN")
    return error


_PRIMARY = frozenset(
    "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA "
    "TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING".split()
)


def _is_result(name):
    """Numbers below 256 are also actions of the authorizer."""
    return name[7:] in _PRIMARY or _CODES[name] > 255


class _Raw(bytes):
    """Text that is no UTF-8."""


def _received(one):
    if len(one) == 1:
        if "b" in one:
            return _b64decode(one["b"])
        if "t" in one:
            return _Raw(_b64decode(one["t"]))
        if "i" in one:
            return int(one["i"])
    return one


_door = None


def _ask(**question):
    """Sends a question to the engine and gives its answer; each is one write and what is then read (python/databases.ts)."""
    global _door
    if _door is None:
        _door = _os._sandbox_system('\x01box:{"do":"databases"}')
    _os.write(_door, _dumps(question, ensure_ascii=False).encode())
    piece = _os.read(_door, 65536)
    length = int.from_bytes(piece[:4], "little")
    parts, got = [piece[4:]], len(piece) - 4
    while got < length:
        piece = _os.read(_door, min(length - got, 1 << 20))
        parts.append(piece)
        got += len(piece)
    answer = _loads(b"".join(parts), object_hook=_received)
    if "error" in answer:
        raise _error(answer)
    return answer


@_public
class PrepareProtocol:
    pass


def register_adapter(type, adapter, /):
    adapters[(type, PrepareProtocol)] = adapter


def register_converter(typename, converter, /):
    converters[typename.upper()] = converter


def adapt(obj, proto=PrepareProtocol, *alt):
    adapter = adapters.get((type(obj), proto))
    if adapter is not None:
        return adapter(obj)
    conform = getattr(obj, "__conform__", None)
    if conform is not None:
        adapted = conform(proto)
        if adapted is not None:
            return adapted
    if alt:
        return alt[0]
    raise ProgrammingError("can't adapt")


def enable_callback_tracebacks(enable, /):
    pass


def complete_statement(statement):
    import re

    left = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/", lambda found: " x " if found[0][0] in "'\"`[" else " ", statement, flags=re.S)
    if any(sign in left for sign in ("'", '"', "`", "/*")):
        return False
    words = left.upper().split()
    if words[:1] == ["CREATE"] and "TRIGGER" in words[:4]:
        return bool(re.search(r";\s*END\s*;\s*$", left, re.I))
    return left.rstrip().endswith(";")


def _sent(value):
    """A parameter as the engine's side takes it (sandbox/sqlite/answers.ts); what cannot be bound says so when its turn comes."""
    cls = type(value)
    if cls is str:
        value.isascii() or value.encode()
        return value
    if value is None:
        return value
    if cls not in (int, float, bytearray):
        value = adapt(value, PrepareProtocol, value)
    if value is None or isinstance(value, str):
        return value if value is None else str(value)
    if isinstance(value, int):
        return {"i": str(int(value))} if -(1 << 63) <= value < 1 << 63 else {"o": 1}
    if isinstance(value, float):
        value = float(value)
        if value != value:
            return None
        return value if abs(value) != float("inf") else {"f": "Infinity" if value > 0 else "-Infinity"}
    try:
        return {"b": _b64encode(memoryview(value)).decode()}
    except TypeError:
        return {"x": cls.__name__}


def _sent_all(parameters):
    if isinstance(parameters, (tuple, list)):
        return [_sent(value) for value in parameters]
    if isinstance(parameters, dict) or hasattr(parameters, "keys") and not isinstance(parameters, Row):
        return {key: _sent(parameters[key]) for key in parameters.keys() if isinstance(key, str)}
    if hasattr(parameters, "__getitem__") and hasattr(parameters, "__len__"):
        return [_sent(parameters[i]) for i in range(len(parameters))]
    raise ProgrammingError("parameters are of unsupported type")


@_public
class Row:
    __slots__ = ("_names", "_values")

    def __new__(cls, cursor, data, /):
        if not isinstance(data, tuple):
            raise TypeError(f"Row() argument 2 must be tuple, not {type(data).__name__}")
        self = super().__new__(cls)
        self._names = tuple(column[0] for column in cursor.description or ())
        self._values = data
        return self

    def keys(self):
        """Returns the keys of the row."""
        return list(self._names)

    def __getitem__(self, key):
        if isinstance(key, str):
            wanted = key.lower()
            for name, value in zip(self._names, self._values):
                if name == key or name.lower() == wanted:
                    return value
            raise IndexError("No item with that key")
        if isinstance(key, (int, slice)):
            return self._values[key]
        raise IndexError("Index must be int or string")

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(self._values)

    def __hash__(self):
        return hash(self._names) ^ hash(self._values)

    def __eq__(self, other):
        if not isinstance(other, Row):
            return NotImplemented
        return self._names == other._names and self._values == other._values


@_public
class Cursor:
    arraysize = 1
    description = None
    lastrowid = None
    rowcount = -1
    row_factory = None
    _closed = False
    _statement = 0
    _late = None
    _changed = -1
    _connection = None

    def __init__(self, connection, /):
        if not isinstance(connection, Connection):
            raise TypeError(f"Cursor() argument 1 must be sqlite3.Connection, not {type(connection).__name__}")
        self._connection = connection
        self._rows, self._at = [], 0
        self._convert = None
        self.row_factory = connection.row_factory

    @property
    def connection(self):
        return self._connection

    def _check(self):
        if self._connection is None:
            raise ProgrammingError("Base Cursor.__init__ not called.")
        if self._closed:
            raise ProgrammingError("Cannot operate on a closed cursor.")
        self._connection._check()

    def _begin(self, name, sql):
        if not isinstance(sql, str):
            raise TypeError(f"{name}() argument 1 must be str, not {type(sql).__name__}")
        self._check()
        if "\0" in sql:
            raise ProgrammingError("the query contains a null character")
        self._forget()
        self.description = None
        self.rowcount = -1

    def _forget(self):
        statement, self._statement = self._statement, 0
        self._rows, self._at, self._late = [], 0, None
        if statement:
            _ask(do="finish", s=statement)

    def execute(self, sql, parameters=(), /):
        self._begin("execute", sql)
        connection = self._connection
        answer = _ask(
            do="execute", c=connection._id, sql=sql, begin=connection._begin_words(), types=connection._detect & PARSE_DECLTYPES != 0,
            **{"with": _sent_all(parameters)},
        )
        if "empty" in answer:
            return self
        self._take(answer)
        self.lastrowid = answer["rowid"]
        columns = answer["columns"]
        # Rows of RETURNING count once they were read.
        self.rowcount = min(answer["changed"], 0) if columns else answer["changed"]
        if columns is not None:
            self._describe(columns, answer["types"])
        return self

    def executemany(self, sql, parameters, /):
        self._begin("executemany", sql)
        connection = self._connection
        changed, ended, given = 0, False, iter(parameters)
        while not ended:
            batch, failure = [], None
            try:
                while len(batch) < _BATCH:
                    batch.append(_sent_all(next(given)))
            except StopIteration:
                ended = True
            except BaseException as error:
                failure = error
            question = {"with": [], "many": batch}
            changed += _ask(do="execute", c=connection._id, sql=sql, begin=connection._begin_words(), types=False, **question).get("changed", 0)
            if failure is not None:
                raise failure
        self.rowcount = changed
        return self

    def executescript(self, sql_script, /):
        if not isinstance(sql_script, str):
            raise TypeError(f"executescript() argument must be str, not {type(sql_script).__name__}")
        self._check()
        if "\0" in sql_script:
            raise ValueError("embedded null character")
        connection = self._connection
        if connection._autocommit == LEGACY_TRANSACTION_CONTROL and connection.in_transaction:
            connection._run("COMMIT")
        connection._run(sql_script)
        return self

    def _describe(self, columns, types):
        detect = self._connection._detect
        names, convert = [], []
        for i, column in enumerate(columns):
            found = None
            if detect & PARSE_COLNAMES and "[" in column:
                name, _, rest = column.partition("[")
                found = converters.get(rest.partition("]")[0].upper())
            if detect & PARSE_COLNAMES:
                column = column.partition(" [")[0] if " [" in column else column
            if found is None and types is not None and types[i]:
                found = converters.get(types[i].replace("(", " ").split(" ")[0].upper())
            names.append((column, None, None, None, None, None, None))
            convert.append(found)
        self.description = tuple(names)
        self._convert = convert if any(convert) else None

    def _take(self, answer):
        self._rows, self._at = answer["rows"], 0
        self._statement = answer["s"]
        self._late = answer["late"]
        self._changed = answer["changed"]

    def __iter__(self):
        self._check()
        return self

    def __next__(self):
        self._check()
        if self._at >= len(self._rows):
            if self._late is not None:
                late, self._late = self._late, None
                raise _error(late)
            if not self._statement:
                self._ended()
                raise StopIteration
            statement, self._statement = self._statement, 0
            self._take(_ask(do="more", s=statement))
            if not self._rows:
                self._ended()
                raise StopIteration
        row = self._rows[self._at]
        self._at += 1
        return self._made(row)

    def _ended(self):
        if self.rowcount == 0 and self._changed > 0:
            self.rowcount = self._changed

    def _made(self, row):
        factory = self._connection.text_factory
        if factory is not str or self._convert is not None or any(type(value) is _Raw for value in row):
            row = [self._value(i, value, factory) for i, value in enumerate(row)]
        row = tuple(row)
        return row if self.row_factory is None else self.row_factory(self, row)

    def _value(self, i, value, factory):
        convert = self._convert and self._convert[i]
        if convert and value is not None:
            return convert(bytes(value) if isinstance(value, bytes) else str(value).encode())
        if type(value) is _Raw:
            if factory is str:
                shown = value.decode(errors="replace")
                raise OperationalError(f"Could not decode to UTF-8 column '{self.description[i][0]}' with text '{shown}'")
            return factory(bytes(value))
        return factory(value.encode()) if factory is not str and isinstance(value, str) else value

    def fetchone(self):
        return next(self, None)

    def fetchmany(self, size=None):
        size = self.arraysize if size is None else size
        rows = []
        while size < 0 or len(rows) < size:
            row = next(self, self)
            if row is self:
                break
            rows.append(row)
        self._check()
        return rows

    def fetchall(self):
        self._check()
        return list(self)

    def close(self):
        if self._connection is None:
            raise ProgrammingError("Base Cursor.__init__ not called.")
        if not self._connection._closed:
            self._forget()
        self._closed = True

    def setinputsizes(self, sizes, /):
        pass

    def setoutputsize(self, size, column=None, /):
        pass

    def __del__(self):
        try:
            if self._statement and not self._connection._closed:
                self._forget()
        except Exception:
            pass


def _missing(name):
    def method(self, *args, **named):
        if args and args[0] is None:
            return None
        raise NotSupportedError(f"{name} is not available in this sandbox: the database engine cannot call Python")

    method.__name__ = name
    return method


@_public
class Connection:
    row_factory = None
    text_factory = str
    _closed = True
    _id = None

    def __init__(
        self, database, timeout=5.0, detect_types=0, isolation_level="", check_same_thread=True, cached_statements=128, uri=False,
        *, autocommit=LEGACY_TRANSACTION_CONTROL,
    ):
        path = _os.fsdecode(database)
        if "\0" in path:
            raise ValueError("embedded null character")
        self._level = None
        self.isolation_level = isolation_level
        self._detect = detect_types
        self._autocommit = autocommit
        read_only = False
        if uri and path.startswith("file:"):
            path, read_only = _of_uri(path)
        self._id = _ask(do="open", path=path)["c"]
        self._closed = False
        if read_only:
            self._run("PRAGMA query_only=1")
        if autocommit is False:
            self._run("BEGIN")

    def _check(self):
        if self._id is None:
            raise ProgrammingError("Base Connection.__init__ not called.")
        if self._closed:
            raise ProgrammingError("Cannot operate on a closed database.")

    def _run(self, sql):
        _ask(do="script", c=self._id, sql=sql)

    def _begin_words(self):
        return None if self._autocommit != LEGACY_TRANSACTION_CONTROL or self._level is None else f"BEGIN {self._level}"

    @property
    def isolation_level(self):
        if self._id is not None:
            self._check()
        return self._level

    @isolation_level.setter
    def isolation_level(self, level):
        if level is not None:
            if not isinstance(level, str):
                raise TypeError("isolation_level must be str or None")
            if level.upper() not in _LEVELS:
                raise ValueError("isolation_level string must be '', 'DEFERRED', 'IMMEDIATE', or 'EXCLUSIVE'")
        elif self._id is not None and self.in_transaction:
            self._run("COMMIT")
        self._level = level

    @property
    def autocommit(self):
        self._check()
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value):
        self._check()
        if value is True and self.in_transaction:
            self._run("COMMIT")
        elif value is False and not self.in_transaction:
            self._run("BEGIN")
        self._autocommit = value

    @property
    def in_transaction(self):
        self._check()
        return _ask(do="state", c=self._id)["open"]

    @property
    def total_changes(self):
        self._check()
        return _ask(do="state", c=self._id)["total"]

    def cursor(self, factory=Cursor):
        self._check()
        cursor = factory(self)
        if not isinstance(cursor, Cursor):
            raise TypeError(f"factory must return a cursor, not {type(cursor).__name__}")
        return cursor

    def execute(self, sql, parameters=(), /):
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql, parameters, /):
        return self.cursor().executemany(sql, parameters)

    def executescript(self, sql_script, /):
        return self.cursor().executescript(sql_script)

    def _end(self, word):
        self._check()
        if self._autocommit is True:
            return
        if self._autocommit is False:
            self._run(f"{word}; BEGIN")
        elif self.in_transaction:
            self._run(word)

    def commit(self):
        self._end("COMMIT")

    def rollback(self):
        self._end("ROLLBACK")

    def close(self):
        if self._id is None:
            raise ProgrammingError("Base Connection.__init__ not called.")
        if not self._closed:
            self._closed = True
            _ask(do="close", c=self._id)

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, error, trace, /):
        if kind is not None:
            self.rollback()
            return False
        try:
            self.commit()
        except BaseException:
            self.rollback()
            raise
        return False

    def __del__(self):
        try:
            if not self._closed:
                self.close()
        except Exception:
            pass

    def iterdump(self, *, filter=None):
        self._check()
        from sqlite3.dump import _iterdump

        return _iterdump(self, filter=filter)

    def backup(self, target, *, pages=-1, progress=None, name="main", sleep=0.25):
        """Copies the whole database at once; progress is told of its end."""
        if not isinstance(target, Connection):
            raise TypeError(f"backup() argument 1 must be sqlite3.Connection, not {type(target).__name__}")
        self._check()
        target._check()
        if target is self:
            raise ValueError("target cannot be the same connection instance")
        _ask(do="backup", c=self._id, to=target._id, name=name)
        if progress is not None:
            progress(101, 0, self.execute("PRAGMA page_count").fetchone()[0])

    def serialize(self, *, name="main"):
        import tempfile

        with tempfile.NamedTemporaryFile(suffix=".db") as file:
            target = Connection(file.name)
            self.backup(target, name=name)
            target.close()
            with open(file.name, "rb") as written:
                return written.read()

    def deserialize(self, data, /, *, name="main"):
        import tempfile

        with tempfile.NamedTemporaryFile(suffix=".db") as file:
            file.write(data)
            file.flush()
            source = Connection(file.name)
            source.backup(self)
            source.close()

    def interrupt(self):
        self._check()

    create_function, create_aggregate = _missing("create_function"), _missing("create_aggregate")
    create_window_function, create_collation = _missing("create_window_function"), _missing("create_collation")
    set_authorizer, set_progress_handler = _missing("set_authorizer"), _missing("set_progress_handler")
    set_trace_callback, blobopen = _missing("set_trace_callback"), _missing("blobopen")
    getlimit, setlimit = _missing("getlimit"), _missing("setlimit")
    getconfig, setconfig = _missing("getconfig"), _missing("setconfig")


for _one in (Warning, Error, InterfaceError, DatabaseError, InternalError, OperationalError, ProgrammingError, IntegrityError, DataError, NotSupportedError):
    setattr(Connection, _one.__name__, _one)


@_public
class Blob:
    pass


def _of_uri(uri):
    """The path of a `file:` URI, and whether it is only read."""
    from urllib.parse import parse_qsl, unquote

    rest, _, query = uri[5:].partition("#")[0].partition("?")
    if rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2]
    options = dict(parse_qsl(query))
    path, mode = unquote(rest), options.get("mode", "rwc")
    if mode == "memory" or path == ":memory:":
        if options.get("cache") == "shared":
            raise NotSupportedError("databases in memory that connections share are not available in this sandbox: use a file in /tmp")
        return ":memory:", False
    if mode not in ("ro", "rw", "rwc"):
        raise OperationalError(f"no such access mode: {mode}")
    if mode != "rwc" and not _os.path.exists(path):
        raise _error({"error": "unable to open database file", "code": 14})
    return path, mode == "ro" or options.get("immutable") == "1"


def connect(
    database, timeout=5.0, detect_types=0, isolation_level="", check_same_thread=True, factory=Connection, cached_statements=128,
    uri=False, *, autocommit=LEGACY_TRANSACTION_CONTROL,
):
    return factory(database, timeout, detect_types, isolation_level, check_same_thread, cached_statements, uri, autocommit=autocommit)
