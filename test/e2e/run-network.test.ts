/** Owns `edge-skills run` with a network: servers on this machine that `--allow` names, servers inside the run, and what is refused. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { runCli } from "../../scripts/local-edge.ts";
import { skillMd, writeFiles } from "../helpers/cli.ts";
import { serveSite } from "../helpers/http-site.ts";

/** Asks a server on this machine in each way that the standard library has, then one of its own. */
const ASKS = `
import asyncio, http.client, http.server, socket, sys, threading, urllib.request
host, port = sys.argv[1].split(":")
print("urllib", urllib.request.urlopen(f"http://{host}:{port}/urllib").read().decode())
connection = http.client.HTTPConnection(host, int(port))
for path in ("/first", "/second"):
    connection.request("POST", path, b"sent")
    print("http.client", connection.getresponse().read().decode())

async def streams():
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /streams HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    await writer.drain()
    print("asyncio", (await reader.read()).decode().splitlines()[-1], writer.get_extra_info("peername"))
asyncio.run(streams())

async def own():
    async def answer(reader, writer):
        writer.write(b"inner " + await reader.readline())
        writer.close()
    async with await asyncio.start_server(answer, "127.0.0.1", int(port)):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"line\\n")
        print("own server", (await reader.read()).decode().strip())
asyncio.run(own())
for free in (9, int(port) + 1):
    print(free == 9, socket.socket().connect_ex(("127.0.0.1", free)) != 0)
`;

const REFUSED = `
import urllib.request
try:
    urllib.request.urlopen("https://example.com/x")
except OSError as error:
    print(error)
`;

const directory = mkdtempSync(join(tmpdir(), "run-network-"));

beforeAll(async () => {
  await buildSandbox();
  writeFiles(directory, {
    "net/SKILL.md": skillMd("net"),
    "net/scripts/asks.py": ASKS,
    "net/scripts/asks.sh": 'python3 "$(dirname "$0")/asks.py" "$@"\n',
    "net/scripts/refused.py": REFUSED,
  });
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function run(...words: readonly string[]) {
  return runCli(["run", "--from", directory, "net", ...words]);
}

test.each([
  ["asks.py", "127.0.0.1"],
  ["asks.sh", "localhost"],
])(
  "%s reaches the port of %s that --allow names, unless it listens there itself; other ports are refused",
  async (script, host) => {
    const site = await serveSite(
      async (request) => new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`),
    );
    const { port } = new URL(site);
    const { status, stdout, stderr } = await run(script, "--allow", `http://${host}:${port}`, "--", `${host}:${port}`);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "urllib GET /urllib ",
      "http.client POST /first sent",
      "http.client POST /second sent",
      `asyncio GET /streams  ('127.0.0.1', ${port})`,
      "own server inner line",
      "True True",
      "False True",
      "",
    ]);
  },
);

test("what is refused is told in one line, with the flag that lets it", async () => {
  expect(await run("refused.py")).toEqual({
    status: 0,
    stdout: "<urlopen error [Errno 111] Connection refused>\n",
    stderr:
      'warning skill "net" may not reach https://example.com with GET: no rule allows it (--allow https://example.com lets it)\nit hit the limit network\n',
  });
});
