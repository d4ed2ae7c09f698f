/** Owns attacks on the boundaries of src/sandbox/THREATS.md, against the real runner; the network's rules are test/security/'s. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type CaseRun, type Harness, startCanary, startHarness } from "./sandbox.harness.ts";

let harness: Harness;
let canary: Awaited<ReturnType<typeof startCanary>>;

beforeAll(async () => {
  canary = await startCanary();
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
  canary?.server.close();
});

const run = async (
  runtime: CaseRun["runtime"],
  source: string,
  more: Partial<CaseRun> = {},
): Promise<Answer["result"]> => (await harness.run({ runtime, source, ...more })).result;

describe("from Python to the isolate", () => {
  test.each(["js", "pyodide", "pyodide_js", "_pyodide", "emscripten", "wasmtime"])(
    "there is no module %s",
    async (name) => {
      const result = await run("python", `import ${name}`);
      expect([result.exit_code, result.stderr.trimEnd().split("\n").at(-1)]).toEqual([
        1,
        `ModuleNotFoundError: No module named '${name}'`,
      ]);
    },
  );

  test("there is no ctypes, and why is said", async () => {
    const result = await run("python", "import ctypes");
    expect([result.exit_code, result.stderr.trimEnd().split("\n").at(-1)]).toEqual([
      1,
      "ModuleNotFoundError: No module named '_ctypes': the sandbox runs no compiled code but Python's own, and has no terminal",
    ]);
  });

  test("the door to the machine takes only its own questions, and a wrong one ends nothing but the run", async () => {
    const questions = [
      '{"do":"eval","code":"1"}',
      '{"do":"__proto__"}',
      '{"do":"kill","pid":1,"signal":9}',
      '{"do":"wait","pid":"constructor","hang":0}',
      "null",
      "[]",
      "{",
      '{"do":"spawn"}',
    ];
    const results = await Promise.all(
      questions.map((question) =>
        run("python", `import os\nprint(os._sandbox_system('\\x01box:' + ${JSON.stringify(question)}))`),
      ),
    );
    expect(results.filter((result) => result.refused !== undefined && result.refused !== "runner-failed")).toEqual([]);
    expect((await run("python", "print('alive')")).stdout).toBe("alive\n");
  });

  test("a type is made changeable once, by the sandbox: nobody can ask it again", async () => {
    const result = await run(
      "python",
      "import os\ntry:\n    os.fchmod(id(int), 0x4F58)\nexcept OSError as e:\n    print(e)\ntry:\n    int.x = 1\nexcept TypeError as e:\n    print('kept')",
    );
    expect(result.stdout).toBe("[Errno 9] Bad file descriptor\nkept\n");
  });

  test("what one run changes in its interpreter is not there for the next", async () => {
    await run(
      "python",
      "import builtins, json, os\nbuiltins.print = None\njson.dumps = lambda *a: 'bad'\nos.environ['X'] = '1'\nopen('/tmp/left', 'w').write('x')\nopen('scripts/json.py', 'w').write('bad')",
    );
    const result = await run(
      "python",
      "import json, os\nprint(json.dumps([1]), os.environ.get('X'), os.path.exists('/tmp/left'), os.listdir('scripts'))",
    );
    expect(result.stdout).toBe("[1] None False ['main.py']\n");
  });
});

describe("from the shell to the isolate", () => {
  const WORDS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];

  test("names of JavaScript's own are names like any other", async () => {
    const lines = WORDS.flatMap((word) => [
      `${word}=1; echo "\${${word}}"`,
      `declare -A m=(); m[${word}]=2; echo "\${m[${word}]} \${#m[@]}"`,
      `${word}() { echo called; }; ${word}; unset -f ${word}`,
      `echo '{}' | jq '.["${word}"]'`,
    ]);
    const result = await run("bash", lines.join("\n"));
    const each = "1\n2 1\ncalled\nnull\n";
    expect([result.stdout, result.stderr]).toEqual([each.repeat(WORDS.length), ""]);
  });

  test("words are no code, wherever they end up", async () => {
    const code = "globalThis.process=1";
    const result = await run(
      "bash",
      `x='\${${code}}'; echo "$x"; echo '\${constructor.constructor("return 1")()}'; printf '%s\\n' '$(js)'; echo '{"a":"\${1+1}"}' | jq -r .a`,
    );
    // biome-ignore lint/suspicious/noTemplateCurlyInString: words of a shell
    expect(result.stdout).toBe('${globalThis.process=1}\n${constructor.constructor("return 1")()}\n$(js)\n${1+1}\n');
  });

  test("what one run leaves is not there for the next", async () => {
    await run(
      "bash",
      "export LEFT=1; f() { :; }; alias ls=bad; echo x > /tmp/left; cd /; declare -A __proto__=([polluted]=yes)",
    );
    const result = await run(
      "bash",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: words of a shell
      'echo "${LEFT:-none} $(pwd) $(ls /tmp | wc -l | tr -d " ")"; type f > /dev/null 2>&1 || echo "no f"; jq -n "{} | .polluted"',
    );
    expect(result.stdout).toBe("none /skill 0\nno f\nnull\n");
  });
});

describe("from JavaScript to the service", () => {
  test.each([
    ["eval", "eval('1')"],
    ["a function from text", "new Function('return 1')()"],
    ["the constructor of a constructor", "[].constructor.constructor('return 1')()"],
    ["WebAssembly from bytes", "new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0]))"],
    ["modules of the platform", "await import('cloudflare:workers')"],
    ["a worker", "new (await import('node:worker_threads')).Worker('x', { eval: true })"],
    ["another process's way", "process.binding('fs')"],
    ["a socket", "(await import('node:net')).connect(1, '127.0.0.1').write('x')"],
  ])("%s is refused", async (_what, expression) => {
    const source = `try { ${expression}; console.log("done"); } catch (error) { console.log("refused"); }\nprocess.on("uncaughtException", () => console.log("refused"));`;
    const result = await run("javascript", source, { path: "scripts/main.mjs" });
    expect(result.stdout.trim().split("\n")[0] ?? "").not.toBe("done");
  });

  test("there is nothing of the service to be seen", async () => {
    const source = `
      const names = ["caches", "WebSocket", "WebSocketPair", "EventSource", "HTMLRewriter", "self", "WorkerGlobalScope", "LOADER", "WATCH"];
      console.log(names.filter((name) => globalThis[name] !== undefined).join());
      console.log(Object.keys(process.env).sort().join(), process.argv.length);`;
    const result = await run("javascript", source);
    expect(result.stdout).toBe("\nHOME,LANG,PATH,PWD,TMPDIR 2\n");
  });

  test("no script finds the loader's ids, or whose isolate it is in", async () => {
    const isolation = "canary-tenant";
    const seen = `
      const all = [], known = new Set();
      const text = (value) => { try { return String(value); } catch { return typeof value; } };
      const look = (value, depth) => {
        if (depth > 3 || known.has(value) || (typeof value !== "object" && typeof value !== "function") || value === null) return all.push(text(value));
        known.add(value);
        for (const name of Reflect.ownKeys(value)) { all.push(String(name)); try { look(value[name], depth + 1); } catch (error) { all.push(text(error)); } }
      };`;
    const runs: CaseRun[] = [
      {
        runtime: "javascript",
        source: `${seen}\nlook(globalThis, 0); look(process, 0); all.push(new Error("here").stack);\nconsole.log(all.join("\\n"));`,
      },
      {
        runtime: "javascript",
        source: `${seen}\nlook(globalThis, 0); look(process, 0); all.push(new Error("here").stack);\nconsole.log(all.join("\\n"));`,
        share: "tenant",
      },
      {
        runtime: "javascript",
        source: "1",
        path: "scripts/a.js",
        compiled: {
          "scripts/a.js": `module.exports = async (es) => { const platform = await import("cloudflare:workers"); ${seen} look(platform.env, 0); look(process, 0); all.push(Object.keys(platform.exports)); es.builtin("console").log(all.join("\\n")); };`,
        },
      },
      {
        runtime: "python",
        source:
          "import gc, os, sys, platform, traceback\nprint(os.environ, sys.argv, vars(sys), platform.uname(), os.listdir('/proc'), os.listdir('/dev'))\nfor one in gc.get_objects():\n    if isinstance(one, (dict, list, tuple)): print(str(one)[:500])\n1/0",
      },
      {
        runtime: "bash",
        source: "set; env; hostname; uname -a; cat /etc/* /proc/*/* 2> /dev/null; ls -R / | head -500",
      },
    ];
    for (const one of runs) {
      const result = await run(one.runtime, one.source, { ...one, isolation });
      const text = result.stdout + result.stderr;
      expect([text.length > 100, /edge-skills-(?:box|javascript)/.test(text), text.includes(isolation)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  test("code that no packer made, as a tenant may send it, finds no more", async () => {
    const body = `
      const tried = async (what) => { try { return String(await what()); } catch { return "refused"; } };
      const platform = await import("cloudflare:workers");
      const { connect } = await import("cloudflare:sockets");
      es.builtin("console").log(JSON.stringify([
        Object.keys(platform.env),
        Object.keys(platform.exports),
        typeof caches,
        await tried(() => connect("127.0.0.1:${canary.port}").opened),
        await tried(() => fetch("http://127.0.0.1:${canary.port}/")),
        await tried(() => (0, eval)("1")),
      ]));`;
    const compiled = { "scripts/a.js": `module.exports = async (es) => {${body}};` };
    const result = await run("javascript", "1", { path: "scripts/a.js", compiled });
    expect([result.exit_code, result.stderr]).toEqual([0, ""]);
    // The one entry is the isolate's own.
    expect(JSON.parse(result.stdout)).toEqual([[], ["default"], "undefined", "refused", "refused", "refused"]);
    expect(canary.hits()).toBe(0);
    const loop = { "scripts/a.js": "module.exports = async () => { for (;;) {} };" };
    const stopped = await run("javascript", "1", {
      path: "scripts/a.js",
      compiled: loop,
      limits: { timeout_ms: 1_000 },
    });
    expect([stopped.exit_code, stopped.timed_out]).toEqual([null, true]);
  });

  test.each([
    ["the network", `await fetch("http://127.0.0.1:@/")`],
    [
      "a request through http",
      `await new Promise((go) => (require("node:http")).get("http://127.0.0.1:@/", go).on("error", go))`,
    ],
  ])("%s leads to nobody", async (_what, call) => {
    await run("javascript", `(async () => { try { ${call.replace("@", String(canary.port))}; } catch {} })();`);
    await run(
      "python",
      `import urllib.request\ntry: urllib.request.urlopen("http://localhost:${canary.port}/")\nexcept OSError: pass`,
    );
    await run("bash", `curl -s http://127.0.0.1:${canary.port}/ || true`);
    expect(canary.hits()).toBe(0);
  });

  const POLLUTION = `
    for (const type of [Object, Array, String, Promise, Map, Uint8Array, RegExp, Function])
      for (const name of Object.getOwnPropertyNames(type.prototype))
        try { if (name !== "constructor") type.prototype[name] = () => "polluted"; } catch {}
    Object.prototype.exit_code = 0; Object.prototype.stdout = "polluted"; Object.prototype.toJSON = () => "polluted";
    JSON.stringify = () => '{"exit_code":0,"stdout":"forged","files":[{"path":"../../x","content":"x"}]}';
    JSON.parse = globalThis.btoa = String.fromCharCode = globalThis.TextDecoder = () => "polluted";`;

  test("built-in objects of one run are not those of another, before, beside and after it", async () => {
    const clean =
      "console.log([1, 2].map((x) => x * 2).join(), JSON.stringify({ a: 1 }), ({}).stdout, 'a'.toUpperCase())";
    const results = await Promise.all([
      run("javascript", clean),
      run("javascript", POLLUTION, { limits: { timeout_ms: 1_500 } }),
      run("javascript", clean),
    ]);
    const after = await run("javascript", clean);
    expect([results[0], results[2], after].map((result) => result?.stdout)).toEqual(
      Array(3).fill('2,4 {"a":1} undefined A\n'),
    );
    expect(results[1]?.files ?? []).toEqual([]);
    expect(results[1]?.stdout ?? "").not.toContain("forged");
  });

  test("a program that the shell starts cannot forge its answer, and the shell goes on unharmed", async () => {
    const forging = `
      JSON.stringify = () => '{"status":0,"stdout":"eA==","stderr":"","dirs":["/usr/x"],"files":[["/usr/bin/jq","eA==",511]],"links":[],"removed":["/skill"]}';
      String.fromCharCode = globalThis.btoa = () => "polluted"; Array.prototype.map = () => ["polluted"];
      Object.prototype.toJSON = () => "polluted"; Object.prototype.status = 0;`;
    const files = [{ path: "scripts/bad.js", text: `console.log("before");${forging}` }];
    const result = await run("bash", "node scripts/bad.js; echo after; ls /usr/bin/jq scripts; echo 1 | jq .", {
      files,
    });
    expect([result.stdout, result.stderr, result.exit_code]).toEqual([
      "before\nafter\n/usr/bin/jq\n\nscripts:\nbad.js\nmain.sh\n1\n",
      "",
      0,
    ]);
  });

  test("a program that breaks all it can of its isolate ends with the run's time at the latest", async () => {
    const files = [{ path: "scripts/bad.js", text: POLLUTION }];
    const result = await run("bash", "node scripts/bad.js; echo after", { files, limits: { timeout_ms: 1_500 } });
    expect([null, 0]).toContain(result.exit_code);
    expect(result.stdout.replace("after\n", "")).toBe("");
    expect((await run("bash", "echo alive")).stdout).toBe("alive\n");
  });
});

describe("between tenants and runs", () => {
  test("twenty runs at once of several tenants see their own files and words only", async () => {
    const runs = Array.from({ length: 20 }, (_, i) => {
      const runtime = (["python", "bash"] as const)[i % 2] ?? "bash";
      const source =
        runtime === "python"
          ? "import sys, os, time\nopen('own.txt', 'w').write(sys.argv[1])\ntime.sleep(0.05)\nprint(open('own.txt').read(), sorted(os.listdir('/skill')))"
          : 'echo -n "$1" > own.txt; sleep 0.05; echo "$(cat own.txt) $(ls /skill | tr "\\n" " ")"';
      return run(runtime, source, { argv: [`word-${i}`], isolation: `tenant-${i % 4}` });
    });
    const results = await Promise.all(runs);
    expect(results.map((result) => result.stdout)).toEqual(
      results.map((_, i) =>
        i % 2 === 0 ? `word-${i} ['SKILL.md', 'own.txt', 'scripts']\n` : `word-${i} SKILL.md own.txt scripts \n`,
      ),
    );
  });
});

describe("floods", () => {
  test.each([
    ["python", "for i in range(100000): open(f'f{i}', 'w')", "files"],
    ["bash", "for i in $(seq 1 300); do echo x > f$i; done", "files"],
    ["javascript", "for (let i = 0; i < 300; i++) require('fs').writeFileSync('f' + i, 'x')", "files"],
    ["python", "import subprocess\nfor i in range(200): subprocess.Popen(['true'])", "processes"],
    ["bash", "for i in $(seq 1 200); do bash -c : ; done", "processes"],
  ] as const)("%s: %s", async (runtime, source, limit) => {
    const result = await run(runtime, source);
    expect([result.limit, result.files.length <= 100]).toEqual([limit, true]);
  });

  test.each([
    ["python", "while True: print('x' * 1000)"],
    ["javascript", "for (;;) console.log('x'.repeat(1000))"],
  ] as const)("endless output of %s is cut, and the run ends", async (runtime, source) => {
    const result = await run(runtime, source, { limits: { output_bytes: 10_000, timeout_ms: 1_500 } });
    expect([result.truncated, result.stdout.length <= 10_000, result.exit_code]).toEqual([true, true, null]);
  });
});
