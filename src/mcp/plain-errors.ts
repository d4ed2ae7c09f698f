/** Owns that a client whose request the protocol's package refuses is told in words what is wrong, not by a dump of the package's validator. */
import { type McpServer, ProtocolErrorCode } from "@modelcontextprotocol/server";

type Transport = Parameters<McpServer["connect"]>[0];
type Message = Parameters<Transport["send"]>[0];

/** How many of the things that are wrong are told. */
const MAX_ISSUES = 5;

/** What the package's validator finds wrong, as it writes it into a message. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The same server; what it answers to wrong parameters is an invalid-params error in one line. */
export function withPlainErrors(mcp: McpServer): McpServer {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = (transport: Transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(plain(message), options);
    return connect(transport);
  };
  return mcp;
}

function plain(message: Message): Message {
  if (!("error" in message)) {
    return message;
  }
  const issues = issuesIn(message.error.message);
  if (issues === null) {
    return message;
  }
  const words = issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${path.join(".")}: ${message}`);
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Cannot use this request: ${words.join("; ")}` };
  return { ...message, error };
}

/** The issues that a message ends with; null for one that is words already. */
function issuesIn(text: string): readonly Issue[] | null {
  const start = text.indexOf("[\n");
  try {
    const value: unknown = start < 0 ? null : JSON.parse(text.slice(start));
    return Array.isArray(value) && value.length > 0 && value.every(isIssue) ? value : null;
  } catch {
    return null;
  }
}

function isIssue(value: unknown): value is Issue {
  const { path, message } = { ...(value as Partial<Issue> | null) };
  return Array.isArray(path) && typeof message === "string";
}
