import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../src/deploy/deploy.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { digestOf } from "../../src/model/digest.ts";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge } from "../helpers/local-edge.ts";

/** Would tell by itself if it were ever read as markup. */
const MARKUP = "</pre><img src=x onerror='window.hacked=1'><script>window.hacked=1</script>";

/** Cannot be seen, or turns the line around. */
const UNSEEN = "a\u202eb\u200bc";

/** Without these Chromium asks Google's hosts at every start. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let runner: RunnerProcess;
let edge: LocalEdge;
let browser: Browser;
let agent = "";
let person = "";

beforeAll(async () => {
  runner = await startRunnerProcess();
  edge = await startLocalEdge({ approval: { run_skill_script: "ask" } }, runner);
  const script = { path: "scripts/echo.py", content: "import sys\nprint('ran with', len(sys.argv) - 1)\n" };
  const layers = [
    await layerOf("platform", [{ name: "common", description: `Common ${MARKUP}` }]),
    await layerOf("acme", [
      {
        name: "echo",
        description: "Says what it is told.",
        body: `# Echo\n${MARKUP}\n`,
        files: [script, { path: `notes/${MARKUP.replaceAll("/", "|")}.md`, content: "x\n" }],
        scripts: ["scripts/echo.py"],
      },
    ]),
  ];
  await deploy(edge.target, layers, { channel: "live", by: "<b>ada</b>", now: () => new Date() });
  agent = await edge.token("acme", ["read", "run"]);
  person = await edge.token("acme", ["admin"]);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}, 180_000);

afterAll(async () => {
  await browser.close();
  await edge.stop();
  await runner.stop();
});

interface Answer {
  readonly approval?: { readonly id: string; readonly url: string };
  readonly run?: { readonly exit_code: number; readonly stdout: string };
  readonly error?: { readonly code: string };
}

/** Calls the script as an agent does. */
async function run(args: readonly string[], more: object = {}): Promise<Answer> {
  const body = { skill_name: "echo", script_name: "scripts/echo.py", arguments: args, ...more };
  const headers = { Authorization: `Bearer ${agent}`, "X-Skills-Session": MARKUP };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return (await fetch(`${edge.url}/v1/tools/run_skill_script`, init)).json() as Promise<Answer>;
}

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page did that it must not: another host, a broken policy, an error of the script. */
  readonly wrongs: string[];
}

/** Opens an address as a person does who has a token. */
async function visit(address: string, token: string, options: object = {}): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrongs: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== edge.url && !request.url().startsWith("data:")) {
      wrongs.push(`asked ${request.url()}`);
    }
  });
  page.on("pageerror", (error) => wrongs.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) {
      wrongs.push(message.text());
    }
  });
  await page.goto(address);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  return { page, context, wrongs };
}

async function isHacked(page: Page): Promise<boolean> {
  return page.evaluate(() => "hacked" in window || document.querySelector("main img, main script") !== null);
}

describe("the address of an approval", () => {
  it("shows a person skill, script, arguments, input, limits and asker as text, and lets the call run once they approve", async () => {
    const args = [MARKUP, UNSEEN];
    const more = {
      stdin: `told ${MARKUP}`,
      files: [{ path: "notes/in.md", content: "abc" }],
      limits: { timeout_ms: 5_000 },
    };
    const { approval } = await run(args, more);
    const { page, context, wrongs } = await visit(approval?.url ?? "", person);
    await page.getByRole("heading", { name: "echo › scripts/echo.py" }).waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    expect([text.includes(MARKUP), text.includes("a\\u{202e}b\\u{200b}c"), text.includes("\u202e")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(text).toContain("Asked by token");
    expect(text).toContain(`told ${MARKUP}`);
    expect(text).toContain("notes/in.md, 3 bytes");
    expect(text).toContain("no network");
    expect(text).toContain("timeout_ms 5000");
    // By keyboard alone.
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Approved.").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect((await run(args, { ...more, approval_id: approval?.id })).run).toMatchObject({
      exit_code: 0,
      stdout: "ran with 2\n",
    });
    expect([await isHacked(page), wrongs]).toEqual([false, []]);
    await context.close();
  });

  it("takes a denial, and says in the service's words why a token may not decide", async () => {
    const { approval } = await run(["denied"]);
    const asker = await visit(approval?.url ?? "", agent);
    await asker.page.getByRole("button", { name: "Deny" }).click();
    await asker.page.getByText('the token lacks the scope "approve"').waitFor();
    await asker.context.close();
    const { page, context, wrongs } = await visit(approval?.url ?? "", person);
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Denied.").waitFor();
    expect((await run(["denied"], { approval_id: approval?.id })).error?.code).toBe("approval-denied");
    expect(wrongs).toEqual([]);
    await context.close();
  });

  it("shows a platform operator the approval of another tenant", async () => {
    const { approval } = await run(["for the operator"]);
    const { page, context } = await visit(approval?.url ?? "", await edge.token("platform", ["admin"]));
    await page.getByLabel("this same call, from now on").check();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved.").waitFor();
    expect((await run(["for the operator"])).run?.exit_code).toBe(0);
    expect((await run(["for the operator"])).run?.exit_code).toBe(0);
    await context.close();
  });
});

describe("/console", () => {
  it("lists what waits, without being asked again for what comes later", async () => {
    await run(["first"]);
    const { page, context, wrongs } = await visit(`${edge.url}/console`, person);
    await page.getByText('"first"').waitFor();
    await run(["second"]);
    await page.getByText('"second"').waitFor();
    expect([await isHacked(page), wrongs]).toEqual([false, []]);
    await context.close();
  });

  it("shows the skills of the token's layers as text, found by words", async () => {
    const { page, context, wrongs } = await visit(`${edge.url}/console#skills`, person);
    await page.getByRole("link", { name: "common" }).waitFor();
    await page.getByLabel("Search").fill("told");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "common" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "echo" }).click();
    await page.getByRole("heading", { name: "echo" }).waitFor();
    expect(await page.locator("main").textContent()).toContain(`# Echo\n${MARKUP}`);
    expect([await isHacked(page), wrongs]).toEqual([false, []]);
    await context.close();
  });

  it("shows what is live in each channel, its history, and to the operator what is recalled, as text", async () => {
    const operator = await edge.token("platform", ["admin"]);
    const reason = `wrong ${MARKUP}`;
    const digest = await digestOf("nothing here");
    const body = JSON.stringify({ digest, reason, by: "eve" });
    const headers = { Authorization: `Bearer ${operator}` };
    expect((await fetch(`${edge.url}/v1/blocks`, { method: "POST", headers, body })).status).toBe(200);
    const { page, context, wrongs } = await visit(`${edge.url}/console#deploys`, operator);
    await page.getByRole("heading", { name: "Recalled" }).waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    expect([text.includes(reason), text.includes("eve (token "), text.includes(digest.slice(7, 19))]).toEqual([
      true,
      true,
      true,
    ]);
    await page.getByRole("link", { name: "History of acme/live" }).click();
    await page.getByRole("heading", { name: "acme › live" }).waitFor();
    const { pointer } = await edge.target.readPointer("acme", "live");
    const history = (await page.locator("main").textContent()) ?? "";
    expect([history.includes(String(pointer?.bundle)), history.includes("<b>ada</b>")]).toEqual([true, true]);
    expect([await isHacked(page), wrongs]).toEqual([false, []]);
    await context.close();
  });

  it("shows a tenant's deployer its own layer's channels, and no list of what is recalled", async () => {
    const { page, context, wrongs } = await visit(`${edge.url}/console#deploys`, await edge.token("acme", ["deploy"]));
    await page.getByRole("link", { name: "History of acme/live" }).waitFor();
    expect(await page.getByRole("link", { name: "History of" }).count()).toBe(1);
    expect(await page.getByRole("heading", { name: "Recalled" }).count()).toBe(0);
    expect(wrongs).toEqual([]);
    await context.close();
  });

  it("makes, lists and revokes tokens; a new one is shown once and works until then", async () => {
    const { page, context, wrongs } = await visit(`${edge.url}/console#tokens`, person);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Make a token" }).click();
    const made = await page.getByLabel("The new token").inputValue();
    const status = async () =>
      (await fetch(`${edge.url}/v1/skills`, { headers: { Authorization: `Bearer ${made}` } })).status;
    expect(await status()).toBe(200);
    const id = /Token (\S+)\. It is not/.exec((await page.locator("main").textContent()) ?? "")?.[1];
    await page.getByRole("button", { name: `Revoke ${id}` }).click();
    await page.getByText("Revoked.").waitFor();
    expect(await page.getByRole("button", { name: `Revoke ${id}` }).count()).toBe(0);
    expect(wrongs).toEqual([]);
    await context.close();
  });

  it("keeps the token in the tab only, and forgets it when told to or when it does not count", async () => {
    const { page, context } = await visit(`${edge.url}/console#skills`, person);
    await page.getByRole("link", { name: "echo" }).waitFor();
    const kept = () => page.evaluate(() => [localStorage.length, document.cookie, sessionStorage.length]);
    expect(await kept()).toEqual([0, "", 1]);
    await page.getByRole("button", { name: "Forget token" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await kept()).toEqual([0, "", 0]);
    await page.getByLabel("Token").fill(`${person}x`);
    await page.keyboard.press("Enter");
    await page.getByText("Cannot accept the token: it is not valid").waitFor();
    expect(await kept()).toEqual([0, "", 0]);
    await context.close();
  });

  it("follows the colours of the system, and fits a phone", async () => {
    const looks = async (colorScheme: "light" | "dark") => {
      const viewport = { width: 360, height: 640 };
      const { page, context } = await visit(`${edge.url}/console#tokens`, person, { colorScheme, viewport });
      await page.getByRole("heading", { name: "Tokens" }).waitFor();
      const color = await page.evaluate(() => getComputedStyle(document.body).color);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      await context.close();
      return { color, isWide };
    };
    expect([await looks("light"), await looks("dark")]).toEqual([
      { color: "rgb(0, 0, 0)", isWide: false },
      { color: "rgb(255, 255, 255)", isWide: false },
    ]);
  });

  it("could not be made to read text as markup: the browser refuses it", async () => {
    const { page, context } = await visit(`${edge.url}/console#skills`, person);
    await page.getByRole("link", { name: "echo" }).waitFor();
    const refused = page.evaluate((markup) => {
      document.body.innerHTML = markup;
    }, MARKUP);
    await expect(refused).rejects.toThrow("TrustedHTML");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.append("window.hacked = 1");
      document.body.append(script);
    });
    expect(await isHacked(page)).toBe(false);
    await context.close();
  });
});
