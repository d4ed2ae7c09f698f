/** Owns the sandbox's database engine: what programs of a run share of it, and what a hostile one cannot do with it. How it compares is test/fidelity's. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const run = async (runtime: CaseRun["runtime"], source: string, more: Partial<CaseRun> = {}) =>
  (await harness.run({ runtime, source, ...more })).result;

/** Python that prints what each call gives or raises. */
const TRY =
  "import sqlite3\ndef t(call):\n    try:\n        print(call())\n    except BaseException as e:\n        print(type(e).__name__, e)\n";

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

describe("a run's databases", () => {
  test("sqlite_version is that of the engine", async () => {
    const source = `import sqlite3\nprint(sqlite3.sqlite_version == sqlite3.connect(":memory:").execute("SELECT sqlite_version()").fetchone()[0])`;
    expect((await run("python", source)).stdout).toBe("True\n");
  });

  test("are files: Python, its subprocess and the shell see each other's commits, locks hold between them, and the file comes back", async () => {
    const source = `import sqlite3, subprocess
db = sqlite3.connect("data/my.db")
db.execute("CREATE TABLE t (x)"); db.execute("INSERT INTO t VALUES (1)")
shell = lambda *words: subprocess.run(["sqlite3", "data/my.db", *words], capture_output=True, text=True)
print(shell("INSERT INTO t VALUES (2)").stderr, end="")
db.commit()
print(shell("INSERT INTO t VALUES (2)").returncode, db.execute("SELECT count(*) FROM t").fetchone())
child = "import sqlite3; db = sqlite3.connect('data/my.db'); db.execute('INSERT INTO t VALUES (3)'); db.commit(); db.execute('DELETE FROM t')"
print(subprocess.run(["python3", "-c", child]).returncode, shell("SELECT group_concat(x) FROM t").stdout, end="")
`;
    const result = await run("python", source, { files: [{ path: "data/keep.txt", text: "" }] });
    expect(result.stdout).toBe("Error: stepping, database is locked (5)\n0 (2,)\n0 1,2,3\n");
    expect(result.files.map(({ path }) => path)).toEqual(["data/my.db"]);
    const [file] = result.files;
    const read = await run("bash", "sqlite3 my.db 'SELECT sum(x) FROM t'", {
      files: [{ path: "my.db", base64: file?.content ?? "" }],
    });
    expect(read.stdout).toBe("6\n");
  });

  test("a file of the skill is read, and changed for this run only", async () => {
    const made = await run("bash", "sqlite3 made.db 'CREATE TABLE t (x); INSERT INTO t VALUES (7)'");
    const files = [{ path: "made.db", base64: made.files[0]?.content ?? "" }];
    const source = "sqlite3 made.db 'UPDATE t SET x = x + 1; SELECT x FROM t'";
    expect((await run("bash", source, { files })).stdout).toBe("8\n");
    expect((await run("bash", source, { files })).stdout).toBe("8\n");
  });

  test("what is not there says so", async () => {
    const source = `${TRY}db = sqlite3.connect(":memory:")\nt(lambda: db.create_function("f", 1, abs))\nt(lambda: db.blobopen("t", "b", 1))\nt(lambda: sqlite3.connect("file:x?mode=memory&cache=shared", uri=True))\nt(lambda: sqlite3.connect("file:x.db?mode=ro", uri=True))`;
    expect((await run("python", source)).stdout.split("\n")).toEqual([
      "NotSupportedError create_function is not available in this sandbox: the database engine cannot call Python",
      "NotSupportedError blobopen is not available in this sandbox: the database engine cannot call Python",
      "NotSupportedError databases in memory that connections share are not available in this sandbox: use a file in /tmp",
      "OperationalError unable to open database file",
      "",
    ]);
  });
});

describe("a hostile script", () => {
  test.each([
    ["python", `import sqlite3\nsqlite3.connect(":memory:").execute("${ENDLESS}")`],
    ["bash", `sqlite3 :memory: "${ENDLESS}"`],
  ] as const)("%s: a query without end is stopped by the run's limit", async (runtime, source) => {
    expect(await run(runtime, source, { limits: { timeout_ms: 1_000 } })).toMatchObject({
      exit_code: null,
      timed_out: true,
      limit: "wall",
    });
  });

  test("rows without end are stopped from inside: what was printed is there", async () => {
    const source = `import sqlite3\nprint("before")\nfor row in sqlite3.connect(":memory:").execute("${ENDLESS.replace("count(*)", "x")}"): pass`;
    const result = await run("python", source, { limits: { timeout_ms: 4_000 } });
    expect(result).toMatchObject({ exit_code: null, limit: "wall", stdout: "before\n" });
    const shell = await run(
      "bash",
      `sqlite3 :memory: "${ENDLESS.replace("count(*)", "x, hex(zeroblob(9999))")}" > /dev/null; echo $?`,
    );
    expect(shell).toMatchObject({ limit: "memory", stdout: "7\n" });
  });

  test("gets no more room than the run's quota, and no more memory than its share", async () => {
    const source = `${TRY}db = sqlite3.connect("x.db")
db.execute("CREATE TABLE t (a)")
t(lambda: db.execute("INSERT INTO t VALUES (zeroblob(30000000))"))
t(lambda: db.execute("INSERT INTO t VALUES (?)", (b"x" * 20_000_000,)))
mem = sqlite3.connect(":memory:")
t(lambda: mem.execute("CREATE TABLE b AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100) SELECT randomblob(1000000) FROM n"))
t(lambda: mem.execute("SELECT length(hex(zeroblob(100000000)))").fetchall())
print(mem.execute("SELECT 1").fetchone(), db.execute("SELECT count(*) FROM t").fetchone())
`;
    expect(await run("python", source)).toMatchObject({
      stdout: "OperationalError database or disk is full\nMemoryError \nMemoryError \nMemoryError \n(1,) (0,)\n",
      exit_code: 0,
      limit: "memory",
    });
  });

  test("opens so many databases, and closed ones make room", async () => {
    const source = `${TRY}all = []\nt(lambda: [all.append(sqlite3.connect(":memory:")) for _ in range(1000)])\nprint(len(all))\nall.clear()\nt(lambda: sqlite3.connect(":memory:").execute("SELECT 1").fetchone())`;
    expect((await run("python", source)).stdout).toBe("OperationalError unable to open database file\n128\n(1,)\n");
  });

  test("reaches no file beyond the run's, writes none of the sandbox's, and loads no code", async () => {
    const source = `${TRY}db = sqlite3.connect(":memory:")
for sql in ("ATTACH '/usr/bin/new.db' AS y", "ATTACH '/proc/self/environ' AS z", "SELECT load_extension('x')", "SELECT readfile('/etc/hostname')", "ATTACH '/usr/lib/python3.13/os.pyc' AS o"):
    t(lambda: db.execute(sql).fetchall())
`;
    const { stdout } = await run("python", source);
    expect(stdout.split("\n")).toEqual([
      "OperationalError unable to open database: /usr/bin/new.db",
      "OperationalError unable to open database: /proc/self/environ",
      "OperationalError no such function: load_extension",
      "OperationalError no such function: readfile",
      "DatabaseError file is not a database",
      "",
    ]);
  });

  test("a database made to do harm is refused or read, and ends nothing but the run", async () => {
    const made = await run(
      "bash",
      "sqlite3 m.db 'CREATE TABLE t (a, b); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1, 2), (3, zeroblob(9000))'",
    );
    const good = Buffer.from(made.files[0]?.content ?? "", "base64");
    const source = `${TRY}import os\nfor name in sorted(os.listdir("bad")):\n    db = sqlite3.connect("bad/" + name)\n    for sql in ("PRAGMA integrity_check", "SELECT * FROM sqlite_master", "SELECT count(*), sum(length(b)) FROM t WHERE a > 0", "INSERT INTO t VALUES (5, 6)", "VACUUM"):\n        try:\n            db.execute(sql).fetchall()\n            db.commit()\n        except (sqlite3.Error, MemoryError):\n            pass\n    db.close()\nprint("alive")`;
    const bad = Array.from({ length: 60 }, (_, i) => {
      const bytes = Buffer.from(good);
      // Each has other numbers where the file says how it is laid out.
      for (let k = 0; k < 12; k++) {
        bytes[(i * 131 + k * 977) % bytes.length] = (i * 37 + k * 101) & 0xff;
        bytes[100 + ((i * 17 + k * 7) % 60)] = (i * 53 + k * 29) & 0xff;
      }
      return { path: `bad/${i}.db`, base64: bytes.toString("base64") };
    });
    expect(await run("python", source, { files: bad })).toMatchObject({ exit_code: 0, stdout: "alive\n" });
  });

  test("asks the engine's door what it likes: wrong questions are answered with an error", async () => {
    const source = `import sqlite3, _sqlite3, os
db = sqlite3.connect(":memory:")
for question in (b'null', b'{', b'{"do":"__proto__"}', b'{"do":"more","s":"__proto__"}', b'{"do":"execute","c":1,"sql":5}', b'{"do":"execute","c":1,"sql":"select ?","with":[[1]],"begin":null}', b'{"do":"execute","c":1,"sql":"select 1","with":{"__proto__":1},"begin":"x"}', b'{"do":"open","path":5}', b'{"do":"close","c":"constructor"}'):
    os.write(_sqlite3._door, question)
    print(b'"error"' in os.read(_sqlite3._door, 65536) or b'"rows"' in question)
print(db.execute("SELECT 1").fetchone())
`;
    const result = await run("python", source);
    expect(result).toMatchObject({ exit_code: 0, stderr: "" });
    expect(result.stdout.endsWith("(1,)\n")).toBe(true);
  });

  test("runs of the same child know nothing of each other's databases", async () => {
    const source =
      "import sqlite3, time\ndb = sqlite3.connect('/tmp/a.db')\ndb.execute('CREATE TABLE t (x)')\ndb.execute('INSERT INTO t VALUES (1)')\ntime.sleep(0.5)\ndb.commit()\nprint(db.execute('SELECT count(*) FROM t').fetchone())";
    const results = await Promise.all([1, 2, 3, 4].map(() => run("python", source)));
    expect(results.map(({ stdout }) => stdout)).toEqual(["(1,)\n", "(1,)\n", "(1,)\n", "(1,)\n"]);
  });
});
