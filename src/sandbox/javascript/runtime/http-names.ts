/** Owns the names of HTTP: methods, statuses, and which letters a header may have; never requests. */

export const METHODS: readonly string[] =
  "ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE".split(
    " ",
  );

export const STATUS_CODES: Readonly<Record<number, string>> = Object.fromEntries(
  `
100 Continue\n101 Switching Protocols\n102 Processing\n103 Early Hints\n200 OK\n201 Created\n202 Accepted\n203 Non-Authoritative Information\n204 No Content\n205 Reset Content\n206 Partial Content\n207 Multi-Status\n208 Already Reported\n226 IM Used\n300 Multiple Choices\n301 Moved Permanently\n302 Found\n303 See Other\n304 Not Modified\n305 Use Proxy\n307 Temporary Redirect\n308 Permanent Redirect\n400 Bad Request\n401 Unauthorized\n402 Payment Required\n403 Forbidden\n404 Not Found\n405 Method Not Allowed\n406 Not Acceptable\n407 Proxy Authentication Required\n408 Request Timeout\n409 Conflict\n410 Gone\n411 Length Required\n412 Precondition Failed\n413 Payload Too Large\n414 URI Too Long\n415 Unsupported Media Type\n416 Range Not Satisfiable\n417 Expectation Failed\n418 I'm a Teapot\n421 Misdirected Request\n422 Unprocessable Entity\n423 Locked\n424 Failed Dependency\n425 Too Early\n426 Upgrade Required\n428 Precondition Required\n429 Too Many Requests\n431 Request Header Fields Too Large\n451 Unavailable For Legal Reasons\n500 Internal Server Error\n501 Not Implemented\n502 Bad Gateway\n503 Service Unavailable\n504 Gateway Timeout\n505 HTTP Version Not Supported\n506 Variant Also Negotiates\n507 Insufficient Storage\n508 Loop Detected\n509 Bandwidth Limit Exceeded\n510 Not Extended\n511 Network Authentication Required`
    .trim()
    .split("\n")
    .map((line) => [Number(line.slice(0, 3)), line.slice(4)]),
);

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;

/** Throws as Node.js for what is no name of a header. */
export function validateHeaderName(name: unknown): void {
  if (typeof name !== "string" || !TOKEN.test(name)) {
    const error = new TypeError(`Header name must be a valid HTTP token ["${String(name)}"]`);
    throw Object.assign(error, { code: "ERR_INVALID_HTTP_TOKEN" });
  }
}

/** Throws as Node.js for what no header can have. */
export function validateHeaderValue(name: string, value: unknown): void {
  if (value === undefined) {
    const error = new TypeError(`Invalid value "undefined" for header "${name}"`);
    throw Object.assign(error, { code: "ERR_HTTP_INVALID_HEADER_VALUE" });
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(String(value))) {
    const error = new TypeError(`Invalid character in header content ["${name}"]`);
    throw Object.assign(error, { code: "ERR_INVALID_CHAR" });
  }
}
