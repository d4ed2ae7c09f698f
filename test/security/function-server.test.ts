/** Owns attacks on the reference function by those who may reach it. Scripts are this project's own and harmless. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { FunctionRequest } from "../../src/model/function-protocol.ts";
import { DEFAULT_RUN_LIMITS } from "../../src/model/run.ts";
import { signatureOf } from "../../src/model/signature.ts";
import { leftFiles } from "../../src/node/function-files.ts";
import { type FunctionServerOptions, startFunctionServer } from "../../src/node/function-server.ts";
import { functionRequestOf } from "../../src/runners/function-request.ts";
import { type JobFacts, jobOf } from "../helpers/script-job.ts";

const SECRET = "of-this-test-only";

/** Where the runs of this file have their directories, and no others. */
const PLACE = mkdtempSync(join(tmpdir(), "function-server-"));
process.env.TMPDIR = PLACE;
afterAll(() => rmSync(PLACE, { recursive: true }));

const NOW = Date.UTC(2026, 10, 30, 12);

interface Function {
  readonly url: URL;
  send(body: string, how?: { at?: number; secret?: string; signature?: string }): Promise<[number, Answer]>;
  run(facts: JobFacts): Promise<[number, Answer]>;
}

interface Answer {
  readonly error?: { readonly code: string; readonly message: string };
  readonly [key: string]: unknown;
}

async function start(options: Partial<FunctionServerOptions> = {}): Promise<Function> {
  const server = await startFunctionServer({ secret: SECRET, clock: () => NOW, ...options });
  onTestFinished(() => server.stop());
  const send: Function["send"] = async (body, { at = NOW, secret = SECRET, signature } = {}) => {
    const headers = { "X-Skills-Signature": signature ?? (await signatureOf(secret, body, at)) };
    const response = await fetch(server.url, { method: "POST", body, headers });
    return [response.status, (await response.json()) as Answer];
  };
  const run: Function["run"] = async (facts) => send(await bodyOf(facts));
  return { url: server.url, send, run };
}

async function bodyOf(facts: JobFacts = {}, more: Partial<FunctionRequest> = {}): Promise<string> {
  return JSON.stringify({ ...(await functionRequestOf(await jobOf(facts), "skill")), ...more });
}

const codeIn = async (answer: Promise<[number, Answer]>) => {
  const [status, { error }] = await answer;
  return `${status} ${error?.code}`;
};

describe("who may ask", () => {
  test("whoever signs with the secret, within five minutes", async () => {
    const server = await start();
    const [status, run] = await server.run({ source: "echo hello\n" });
    expect([status, run]).toEqual([
      200,
      {
        exit_code: 0,
        stdout: "hello\n",
        stderr: "",
        timed_out: false,
        truncated: false,
        limit: null,
        duration_ms: expect.any(Number),
        files: [],
      },
    ]);
    for (const at of [NOW - 299_000, NOW + 299_000]) {
      expect((await server.send(await bodyOf(), { at }))[0]).toBe(200);
    }
  });

  test.each([
    ["another secret", { secret: "another" }],
    ["a time long ago", { at: NOW - 301_000 }],
    ["a time to come", { at: NOW + 301_000 }],
    ["no signature", { signature: "" }],
    ["a signature without its end", { signature: `t=${NOW / 1_000},v1=abcd` }],
    ["a signature of nothing", { signature: `t=${NOW / 1_000},v1=` }],
    ["two signatures", { signature: `t=${NOW / 1_000},v1=${"0".repeat(64)},v1=${"0".repeat(64)}` }],
  ])("nobody with %s, and all are told the same", async (_what, how) => {
    const server = await start();
    expect(await server.send(await bodyOf(), how)).toEqual([
      401,
      { error: { code: "signature-invalid", message: "The signature is missing, wrong or of another time" } },
    ]);
  });

  test("a signature does not fit another body", async () => {
    const server = await start();
    const body = await bodyOf();
    const signature = await signatureOf(SECRET, body, NOW);
    expect(await codeIn(server.send(body.replace("echo fine", "echo evil"), { signature }))).toBe(
      "401 signature-invalid",
    );
  });

  test("a message runs once, however long its signature counts", async () => {
    let now = NOW;
    const server = await start({ clock: () => now });
    const body = await bodyOf();
    const ahead = { at: NOW + 290_000 };
    expect((await server.send(body, ahead))[0]).toBe(200);
    const answers = [];
    for (const later of [0, 1_000, 299_000, 310_000, 589_000]) {
      now = NOW + later;
      answers.push(await codeIn(server.send(body, ahead)));
    }
    expect(answers).toEqual(Array(5).fill("409 id-seen"));
    now = NOW + 591_000;
    expect(await codeIn(server.send(body, ahead))).toBe("401 signature-invalid");
  });

  test.each([
    ["not JSON", "no", "400 request-invalid"],
    ["no object", "[]", "400 request-invalid"],
    ["an empty object", "{}", "400 request-invalid"],
  ])("a body that is %s is refused", async (_what, body, code) => {
    expect(await codeIn((await start()).send(body))).toBe(code);
  });

  test.each<[string, object, string]>([
    ["another protocol", { protocol: 2 }, "400 request-invalid"],
    ["a file outside the skill", { files: [{ path: "../x", encoding: "utf-8", content: "" }] }, "400 request-invalid"],
    ["an absolute file", { files: [{ path: "/etc/x", encoding: "utf-8", content: "" }] }, "400 request-invalid"],
    ["a word with a NUL", { argv: ["a\0b"] }, "400 request-invalid"],
    ["a script outside", { script: { name: "../x.sh", digest: `sha256:${"0".repeat(64)}` } }, "400 request-invalid"],
    [
      "a script that is not there",
      { script: { name: "x.sh", digest: `sha256:${"0".repeat(64)}` } },
      "404 script-not-found",
    ],
  ])("%s is refused", async (_what, more, code) => {
    expect(await codeIn((await start()).send(await bodyOf({}, more)))).toBe(code);
  });

  test("reads no body that no signature of now comes with, and only so many at a time", async () => {
    const { url } = await start({ concurrency: 1 });
    const signature = `t=${NOW / 1_000},v1=${"0".repeat(64)}`;
    const stop = new AbortController();
    const ask = (headers: Record<string, string>) => {
      // A body that never ends.
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1_000)) });
      return fetch(url, { method: "POST", headers, body, duplex: "half", signal: stop.signal } as RequestInit);
    };
    expect((await ask({})).status).toBe(401);
    const three = [1, 2, 3].map(() => ask({ "X-Skills-Signature": signature }));
    expect((await Promise.race(three)).status).toBe(503);
    stop.abort();
    expect((await Promise.allSettled(three)).filter(({ status }) => status === "rejected")).toHaveLength(2);
  });

  test("only POST, and no more bytes than it takes", async () => {
    const { url } = await start();
    expect((await fetch(url)).status).toBe(405);
    expect(await (await fetch(new URL("healthz", url))).json()).toEqual({ status: "ok" });
    const headers = { "X-Skills-Signature": `t=${NOW / 1_000},v1=${"0".repeat(64)}` };
    const large = await fetch(url, { method: "POST", headers, body: Buffer.alloc(65 * 1024 * 1024) }).then(
      (response) => response.status,
      () => "cut off",
    );
    expect([413, "cut off"]).toContain(large);
  });

  test("without a secret there is no function", async () => {
    await expect(startFunctionServer({ secret: "" })).rejects.toThrow("a function needs a secret");
  });
});

describe("what runs", () => {
  test("has an environment of its own, and a directory that is gone afterwards", async () => {
    const before = runDirectories();
    const server = await start();
    const source = 'env | cut -d= -f1 | sort | tr "\\n" " "; echo "$PWD" "$HOME" "$TMPDIR"\n';
    const [, run] = await server.run({ source });
    expect(run.stdout).toMatch(/^(?:(?:HOME|LANG|PATH|PWD|PYTHONDONTWRITEBYTECODE|SHLVL|TMPDIR|_) ?)+ \//);
    const [, place = ""] = / (\/\S+)\/skill /.exec(String(run.stdout)) ?? [];
    expect([place.startsWith(PLACE), existsSync(place), runDirectories()]).toEqual([true, false, before]);
  });

  test("is gone with all that it started, when its time is up and when it ends", async () => {
    const server = await start();
    const source = 'sleep 300 & echo "$!" "$$"; [ "$1" = end ] || wait\n';
    const [, stopped] = await server.run({ source, limits: { timeout_ms: 500 } });
    const [, ended] = await server.run({ source, argv: ["end"] });
    expect(stopped).toMatchObject({ exit_code: null, timed_out: true, limit: "wall" });
    expect(ended).toMatchObject({ exit_code: 0, timed_out: false, limit: null });
    const pids = `${stopped.stdout} ${ended.stdout}`.trim().split(/\s+/);
    expect([pids.length, pids.filter(isRunning)]).toEqual([4, []]);
  });

  test("may print no end and is cut; nothing waits for it", async () => {
    const server = await start();
    const [, run] = await server.run({
      source: "head -c 10000000 /dev/zero | tr '\\0' x; echo end >&2\n",
      limits: { output_bytes: 1_000 },
    });
    expect(run).toMatchObject({ exit_code: 0, stdout: "x".repeat(1_000), stderr: "end\n", truncated: true });
  });

  test("may leave what no path is long enough for, and what is closed: neither fails the run nor stays", async () => {
    const before = runDirectories();
    const server = await start();
    const source =
      "echo x > kept; mkdir closed; echo x > closed/x; chmod 0 closed\nname=$(printf d%.0s $(seq 200)); for i in $(seq 25); do mkdir $name; cd $name; done\n";
    const [status, run] = await server.run({ source });
    expect([
      status,
      run.exit_code,
      (run.files as { path: string }[]).map(({ path }) => path).filter((path) => path !== "closed/x"),
    ]).toEqual([200, 0, ["kept"]]);
    expect(runDirectories()).toEqual(before);
  });

  test("gets no file that a link on the way leads to", () => {
    const real = mkdtempSync(join(PLACE, "real-"));
    mkdirSync(join(real, "skill"));
    writeFileSync(join(real, "skill", "a.txt"), "outside");
    symlinkSync(real, join(real, "link"));
    const found = (place: string) => leftFiles(join(place, "skill"), new Map(), DEFAULT_RUN_LIMITS).files.length;
    expect([found(real), found(join(real, "link"))]).toEqual([1, 0]);
    rmSync(real, { recursive: true });
  });

  test("gives back new and changed files, no links, no more than it may", async () => {
    const server = await start({ limits: { files: 3 } });
    const own = { "data/same.txt": "same", "data/old.txt": "old" };
    const source = [
      "ln -s /etc/passwd link; mkfifo pipe; ln -s /etc outside",
      "echo new > data/old.txt; printf same > data/same.txt",
      "printf '\\0\\377' > out.bin; mkdir __pycache__; touch __pycache__/x",
    ].join("\n");
    const [, run] = await server.run({ own, source });
    expect([run.files, run.truncated]).toEqual([
      [
        { path: "data/old.txt", size: 4, media_type: "text/plain", encoding: "utf-8", content: "new\n" },
        { path: "out.bin", size: 2, media_type: "application/octet-stream", encoding: "base64", content: "AP8=" },
      ],
      false,
    ]);
    const [, many] = await server.run({ source: "touch a b c d\n" });
    expect([many.files, many.truncated, many.limit]).toMatchObject([
      [{ path: "a" }, { path: "b" }, { path: "c" }],
      true,
      "files",
    ]);
  });

  test("gives back nothing of what it made its directory a link to", async () => {
    const server = await start();
    const [, run] = await server.run({ source: 'cd /; rm -rf "$OLDPWD"; ln -s /etc "$OLDPWD"\n' });
    expect([run.exit_code, run.files]).toEqual([0, []]);
  });

  test("leaves nothing behind, also where it closed its directories", async () => {
    const before = runDirectories();
    const server = await start();
    await server.run({ source: "mkdir -p a/b; touch a/b/c; chmod 000 a/b a\n" });
    expect(runDirectories()).toEqual(before);
  });

  test("is what its first line says, also a language that the sandbox lacks", async () => {
    const server = await start();
    const facts = {
      path: "scripts/sum.awk",
      runtime: null,
      source: "#!/usr/bin/awk -f\nBEGIN { print 6 * 7 }\n",
    } as const;
    expect((await server.run(facts))[1]).toMatchObject({ exit_code: 0, stdout: "42\n" });
    expect(await codeIn(server.run({ ...facts, source: "BEGIN { print 1 }\n" }))).toBe("422 interpreter-unknown");
    expect(await codeIn(server.run({ ...facts, source: "#!/no/such/program\n" }))).toBe("422 interpreter-missing");
  });

  test("runs as another user where that is asked for, and does not see the function's own environment", async () => {
    if (process.getuid?.() !== 0) {
      await expect(startFunctionServer({ secret: SECRET, uid: 65_534 })).rejects.toThrow("only root");
      return;
    }
    chmodSync(PLACE, 0o711);
    const server = await start({ uid: 65_534 });
    const source = 'id -u; touch mine; cat "/proc/$PPID/environ" > /dev/null 2>&1 || echo shut\n';
    const [, run] = await server.run({ source });
    expect([run.stdout, run.files]).toMatchObject(["65534\nshut\n", [{ path: "mine" }]]);
  });

  test("is only what the function has, where it has skills", async () => {
    const job = await jobOf({ source: "cat data/a.txt\n" });
    const files = new Map([
      ["scripts/main.sh", Buffer.from("cat data/a.txt\n")],
      ["data/a.txt", Buffer.from("from here")],
    ]);
    const server = await start({ skill: async (digest) => (digest === job.skill.digest ? files : null) });
    const known = JSON.stringify(await functionRequestOf(job, "call"));
    expect((await server.send(known))[1]).toMatchObject({ exit_code: 0, stdout: "from here" });
    expect(await codeIn(server.run({ skill: "another", source: "echo evil\n" }))).toBe("404 skill-not-found");
  });

  test("no more at a time than it may", async () => {
    const server = await start({ concurrency: 1 });
    const first = server.run({ source: "sleep 1; echo first\n" });
    await expect.poll(() => codeIn(server.run({ source: "echo second\n" }))).toBe("503 busy");
    expect((await first)[1]).toMatchObject({ stdout: "first\n" });
    expect((await server.run({ source: "echo third\n" }))[1]).toMatchObject({ stdout: "third\n" });
  });

  test("ends when nobody waits for it any more", async () => {
    const server = await start();
    const gone = new AbortController();
    const body = await bodyOf({ source: 'echo "$$" > "$1"; sleep 300\n', argv: [join(PLACE, "function-pid")] });
    const headers = { "X-Skills-Signature": await signatureOf(SECRET, body, NOW) };
    const asked = fetch(server.url, { method: "POST", body, headers, signal: gone.signal }).catch(() => null);
    await expect.poll(() => readPid(), { timeout: 10_000 }).toMatch(/^\d+\n$/);
    gone.abort();
    await asked;
    await expect.poll(() => isRunning(readPid().trim()), { timeout: 10_000 }).toBe(false);
  });
});

function readPid(): string {
  const file = join(PLACE, "function-pid");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function runDirectories(): string[] {
  return readdirSync(PLACE).filter((name) => name.startsWith("edge-skills-run-"));
}

function isRunning(pid: string): boolean {
  try {
    // One that has ended and was not waited for yet is no process any more.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
