/** Owns `wget` over the run's network; never a socket. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";
import { resolvePath } from "../files/paths.ts";
import type { Result } from "./inside.ts";
import { shellFetch } from "./network.ts";
import { latin1 } from "./tools/text.ts";
import { type Options, readOptions, UsageError } from "./tools/tool.ts";

const NAMES = {
  "output-document": "O",
  quiet: "q",
  "no-verbose": "n",
  "directory-prefix": "P",
  header: "H",
  "post-data": "d",
  "body-data": "d",
  method: "m",
  spider: "s",
  "server-response": "S",
  timeout: "T",
  tries: "t",
  continue: "c",
  "user-agent": "U",
  "no-check-certificate": "k",
  "show-progress": "p",
  progress: "g",
  "max-redirect": "M",
  timestamping: "N",
  "no-clobber": "C",
  user: "u",
  password: "w",
  waitretry: "W",
  "retry-connrefused": "R",
  "content-on-error": "e",
  "connect-timeout": "T",
  "read-timeout": "T",
};

/** wget's own exit statuses. */
const STATUS = { usage: 2, file: 3, network: 4, server: 8 } as const;

export function wgetCommand(machine: Machine): CustomCommand {
  const fetch = shellFetch(machine);
  return defineCommand("wget", async (args, context): Promise<Result> => {
    const failed = (message: string, exitCode: number): Result => ({ stdout: "", stderr: `${message}\n`, exitCode });
    let options: Options;
    try {
      const words = args.map((word) => (word === "-nv" ? "-n" : word === "-nc" ? "-C" : word));
      options = readOptions(words, "O:qnP:H:d:m:sST:t:cU:kpg:M:NCu:w:W:Re", NAMES);
    } catch (error) {
      if (error instanceof UsageError) {
        return failed(`wget: ${error.message}`, STATUS.usage);
      }
      throw error;
    }
    if (options.rest.length === 0) {
      return failed("wget: missing URL\nUsage: wget [OPTION]... [URL]...", STATUS.usage);
    }
    let stdout = "";
    let stderr = "";
    let exitCode = 0;
    const tell = (text: string) => {
      stderr += options.has("q") ? "" : `${text}\n`;
    };
    for (const word of options.rest) {
      const url = URL.canParse(word) ? word : `http://${word}`;
      const target = targetOf(url, options);
      if (options.has("C") && target !== "-" && machine.files.peek(resolvePath(context.cwd, target)) !== null) {
        tell(`File '${target}' already there; not retrieving.`);
        continue;
      }
      let answer: Awaited<ReturnType<typeof fetch>>;
      try {
        answer = await fetch(url, requestOf(options));
      } catch {
        machine.state.throwIfStopped();
        tell(`--  ${url}\nwget: unable to connect to '${new URL(url).host}': Connection refused.`);
        exitCode = STATUS.network;
        continue;
      }
      stderr += options.has("S") ? headersOf(answer) : "";
      if (answer.status >= 400) {
        tell(
          `--  ${url}\nHTTP request sent, awaiting response... ${answer.status} ${answer.statusText}\nERROR ${answer.status}: ${answer.statusText}.`,
        );
        exitCode = STATUS.server;
        if (!options.has("e")) {
          continue;
        }
      }
      if (options.has("s")) {
        tell("Remote file exists.");
      } else if (target === "-") {
        stdout += latin1(answer.body);
      } else {
        machine.files.writeFile(resolvePath(context.cwd, target), answer.body);
        tell(`--  ${url}\n'${target}' saved [${answer.body.length}]`);
      }
    }
    return { stdout, stdoutKind: "bytes", stderr, exitCode };
  });
}

function targetOf(url: string, options: Options): string {
  const named = options.value("O");
  if (named !== undefined) {
    return named;
  }
  const { pathname, search } = new URL(url);
  const name = `${decodeURIComponent(pathname.split("/").at(-1) ?? "") || "index.html"}${search}`;
  const folder = options.value("P");
  return folder === undefined ? name : `${folder.replace(/\/$/, "")}/${name}`;
}

function requestOf(options: Options) {
  const headers: Record<string, string> = { "user-agent": options.value("U") ?? "Wget/1.21 (sandbox)", accept: "*/*" };
  for (const line of options.values("H")) {
    const at = line.indexOf(":");
    headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
  }
  const body = options.value("d");
  if (body !== undefined) {
    headers["content-type"] ??= "application/x-www-form-urlencoded";
  }
  const user = options.value("u");
  if (user !== undefined) {
    headers.authorization = `Basic ${btoa(`${user}:${options.value("w") ?? ""}`)}`;
  }
  const method = options.value("m") ?? (body !== undefined ? "POST" : options.has("s") ? "HEAD" : "GET");
  const most = options.value("M");
  return {
    method,
    headers,
    followRedirects: true,
    maxRedirects: most === undefined ? 20 : Number(most),
    ...(body === undefined ? {} : { body }),
  };
}

function headersOf({
  status,
  statusText,
  headers,
}: {
  status: number;
  statusText: string;
  headers: Record<string, string>;
}): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
  return `  HTTP/1.1 ${status} ${statusText}\n${lines.join("")}`;
}
