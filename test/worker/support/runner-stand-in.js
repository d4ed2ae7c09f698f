/** Stands in for the runner Worker in tests of the edge: runs nothing, answers what the script's name asks for. Miniflare takes it as it is. */
import { WorkerEntrypoint } from "cloudflare:workers";

/** How many runs each skill's script has had, so that a test can tell one run from two. */
const runs = new Map();

const RUN = { exit_code: 0, stderr: "", timed_out: false, truncated: false, limit: null, duration_ms: 1, files: [] };

export class Runner extends WorkerEntrypoint {
  async run(request, host) {
    switch (request.script.path) {
      case "scripts/busy.py":
        return { refused: "runner-busy", message: "all places are taken", retry_after_ms: 1_500 };
      case "scripts/throw.py":
        throw new Error("secret words of the runner");
      case "scripts/nothing.py":
        return null;
      case "scripts/foreign.py":
        return { ...RUN, stdout: await messageOf(() => host.readFiles([`sha256:${"0".repeat(64)}`])) };
      case "scripts/count.py": {
        const key = `${request.isolation} ${request.skill.digest} ${request.argv.join(" ")}`;
        runs.set(key, (runs.get(key) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { ...RUN, stdout: String(runs.get(key)) };
      }
      case "scripts/network.py":
        return { ...RUN, stdout: String((await host.fetch(new Request("https://example.com/"))).status) };
      default:
        return { ...RUN, stdout: JSON.stringify(await echo(request, host)) };
    }
  }
}

/** What arrived, and the skill's own files as the host gives them. */
async function echo({ id, ...request }, host) {
  const contents = await host.readFiles(request.skill_files.map((file) => file.digest));
  return { ...request, id: typeof id, contents: contents.map((bytes) => new TextDecoder().decode(bytes)) };
}

async function messageOf(call) {
  try {
    await call();
    return "nothing was thrown";
  } catch (error) {
    return String(error);
  }
}

export default {
  fetch: () => new Response("The runner has no HTTP door.", { status: 404 }),
};
