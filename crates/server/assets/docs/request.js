// Requests, as the browser sends them and as curl does.

/** @typedef {import("./description.js").Operation} Operation */
/** @typedef {import("./description.js").Parameter} Parameter */
/** @typedef {{parameter: Parameter, values: string[]}} Given */
/** @typedef {{given: Given[], query: string, body: string | null, mediaType: string}} Input */
/** @typedef {{method: string, path: string, pairs: [string, string][], headers: [string, string][], body: string | null}} Request */

/** The address below which the paths are. The page may be behind a proxy that adds a prefix. */
export function baseAddress() {
  return new URL(".", document.baseURI).href.replace(/\/$/, "");
}

/**
 * @param {Operation} operation
 * @param {Input} input
 * @returns {Request}
 */
export function request(operation, input) {
  let path = operation.path;
  /** @type {[string, string][]} */
  const pairs = [];
  /** @type {[string, string][]} */
  const headers = [];
  for (const { parameter, values } of input.given) {
    const filled = values.filter((value) => value !== "");
    if (parameter.in === "path" && filled.length > 0) {
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(filled[0]));
    } else if (parameter.in === "query") {
      pairs.push(...filled.map((value) => /** @type {[string, string]} */ ([parameter.name, value])));
    } else if (parameter.in === "header" && filled.length > 0) {
      headers.push([parameter.name, filled[0]]);
    }
  }
  pairs.push(...new URLSearchParams(input.query.replace(/^[?&]+/, "")));
  const hasBody = input.body !== null && input.body.trim() !== "";
  if (hasBody) headers.push(["Content-Type", input.mediaType]);
  return { method: operation.method, path, pairs, headers, body: hasBody ? input.body : null };
}

/** @param {Request} request */
export function address(request) {
  const query = new URLSearchParams(request.pairs).toString();
  return baseAddress() + request.path + (query ? `?${query}` : "");
}

/**
 * The key is a variable of the shell: what is copied often ends up in a chat or a ticket.
 * @param {Request} request
 * @param {string | null} keyHeader `null` if no key is needed.
 */
export function asCurl(request, keyHeader) {
  // With -G, curl encodes the parameters itself, and they stay readable.
  const reads = request.method === "GET" && request.body === null;
  const start = reads ? (request.pairs.length > 0 ? "curl -G" : "curl") : `curl -X ${request.method}`;
  const lines = [`${start} ${quoted(reads ? baseAddress() + request.path : address(request))}`];
  if (keyHeader) lines.push(`-H "${keyHeader}: $KEY"`);
  for (const [name, value] of request.headers) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (reads) for (const [name, value] of request.pairs) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  if (request.body !== null) lines.push(`--data-binary ${quoted(request.body)}`);
  return lines.join(" \\\n  ");
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
