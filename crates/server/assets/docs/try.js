// A form that sends the request of an operation, and shows the same request for curl.

import { announce, copyButton, el } from "./dom.js";
import { codeBlock, pretty } from "./json.js";
import { key } from "./key.js";
import { address, asCurl, request } from "./request.js";
import { sample } from "./sample.js";
import { choices } from "./schema.js";

/** @typedef {import("./description.js").Description} Description */
/** @typedef {import("./description.js").Operation} Operation */
/** @typedef {import("./description.js").Parameter} Parameter */
/** @typedef {{parameter: Parameter, element: HTMLElement, values: () => string[], focus: () => void}} Row */

/** A stream may go on for long: this much of an answer is read and shown. */
const ANSWER_CHARACTERS_MAX = 400_000;

/**
 * @param {Description} description
 * @param {Operation} operation
 */
export function tryIt(description, operation) {
  /** @type {Row[]} */
  let rows = [];
  const list = el("div", { class: "inputs" });
  const curl = el("pre", { class: "code", tabindex: 0, role: "group", "aria-label": "The request as curl" });
  const result = el("div", { class: "result" });
  const query = operation.method === "GET" ? el("input", { type: "text", id: "try-query", placeholder: "expressions[0][0][word]=balcon", spellcheck: "false" }) : null;
  const body = operation.body ? bodyInputs(description, operation) : null;
  const needsKey = operation.scopes !== null;

  const current = () => request(operation, {
    given: rows.map(({ parameter, values }) => ({ parameter, values: values() })),
    query: query?.value ?? "",
    body: body?.text() ?? null,
    mediaType: body?.mediaType() ?? "",
  });
  const refresh = () => {
    curl.replaceChildren(el("code", {}, asCurl(current(), needsKey ? description.keyHeader : null)));
  };
  const remove = (/** @type {Row} */ row) => {
    rows = rows.filter((it) => it !== row);
    row.element.remove();
    refresh();
  };
  const use = (/** @type {Parameter} */ parameter) => {
    const known = rows.find((row) => row.parameter === parameter);
    const row = known ?? inputRow(parameter, remove);
    if (!known) {
      rows.push(row);
      list.append(row.element);
      refresh();
      announce(`${parameter.name} added to the request`);
    }
    row.element.scrollIntoView({ block: "nearest" });
    row.focus();
  };

  const send = el("button", { type: "submit", class: "button" }, "Send");
  const form = el("form", { class: "try", "aria-labelledby": "try" },
    el("h2", { id: "try" }, "Try it"),
    needsKey && keyInputs(description.keyHeader),
    list,
    adder(operation, use),
    query && el("details", { class: "more" }, el("summary", {}, "More of the query"),
      el("label", { for: "try-query" }, "Added as it is"), query),
    body?.element,
    el("div", { class: "actions" }, send,
      operation.method !== "GET" && el("span", { class: "quiet" }, "This request may change data on this server.")),
    result,
    el("div", { class: "block" },
      el("div", { class: "block-head" }, el("span", {}, "curl"), copyButton(() => curl.textContent ?? "", "the request as curl")),
      curl));
  form.addEventListener("input", refresh);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    send.textContent = "Sending…";
    const headers = new Headers(current().headers);
    if (needsKey && key.text) headers.set(description.keyHeader, key.text);
    result.replaceChildren(await answerOf(current(), headers));
    send.disabled = false;
    send.textContent = "Send";
  });

  for (const parameter of operation.parameters.filter((it) => it.required)) {
    const row = inputRow(parameter, null);
    rows.push(row);
    list.append(row.element);
  }
  refresh();
  const focus = () => {
    form.scrollIntoView();
    /** @type {HTMLElement | null} */ (form.querySelector("input, textarea, select, button"))?.focus({ preventScroll: true });
  };
  return { element: form, use, focus };
}

/** @param {string} header */
function keyInputs(header) {
  const input = el("input", { type: "password", id: "try-key", autocomplete: "off", spellcheck: "false", placeholder: header, value: key.text });
  const keep = el("input", { type: "checkbox", id: "try-keep" });
  keep.checked = key.isKept;
  const change = () => key.set(input.value, keep.checked);
  input.addEventListener("input", change);
  keep.addEventListener("change", change);
  return el("div", { class: "input" },
    el("label", { for: "try-key" }, "API key"), input,
    el("label", { class: "check", for: "try-keep" }, keep, "Keep it until this tab is closed"));
}

/**
 * @param {Operation} operation
 * @param {(parameter: Parameter) => void} use
 */
function adder(operation, use) {
  const optional = operation.parameters.filter((it) => !it.required && !it.aliasOf);
  if (optional.length === 0) return null;
  const input = el("input", { type: "text", id: "try-add", list: "try-names", placeholder: "Type a name", autocomplete: "off", spellcheck: "false" });
  const pick = () => {
    const parameter = operation.parameters.find((it) => it.name === input.value.trim());
    if (!parameter) return;
    input.value = "";
    use(parameter);
  };
  input.addEventListener("input", (event) => {
    event.stopPropagation();
    // The browser says so when an entry of the list was chosen. Otherwise `price` would be taken before `priceMax` is typed.
    if (event instanceof InputEvent && event.inputType !== "insertReplacementText") return;
    pick();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    pick();
  });
  return el("div", { class: "input" }, el("label", { for: "try-add" }, "Add a parameter"), el("div", { class: "pair" }, input,
    el("button", { type: "button", class: "plain", click: pick }, "Add")),
    el("datalist", { id: "try-names" }, optional.map((it) => el("option", { value: it.name }))));
}

/**
 * @param {Parameter} parameter
 * @param {((row: Row) => void) | null} remove
 * @returns {Row}
 */
function inputRow(parameter, remove) {
  const id = `try-${parameter.in}-${parameter.name}`;
  const { element: control, values } = inputFor(parameter, id);
  const element = el("div", { class: "input" },
    el("label", { for: id }, el("code", {}, parameter.name), parameter.required && el("span", { class: "required" }, "required")),
    el("div", { class: "pair" }, control, remove && el("button", {
      type: "button", class: "plain", "aria-label": `Remove ${parameter.name}`, click: () => remove(row),
    }, "Remove")));
  const row = { parameter, element, values, focus: () => control.focus() };
  return row;
}

/**
 * @param {Parameter} parameter
 * @param {string} id
 * @returns {{element: HTMLElement, values: () => string[]}}
 */
function inputFor(parameter, id) {
  const { schema, required } = parameter;
  const list = choices(schema);
  const isList = schema.type === "array";
  const types = [schema.type].flat();
  if (list.length > 0 || types.includes("boolean")) {
    const options = list.length > 0 ? list : [{ value: true, meaning: "" }, { value: false, meaning: "" }];
    const select = el("select", { id, multiple: isList, size: isList ? Math.min(7, options.length) : null, required },
      !isList && el("option", { value: "" }, "–"),
      options.map(({ value, meaning }) => el("option", { value }, meaning ? `${value} ${meaning}` : String(value))));
    return { element: select, values: () => [...select.selectedOptions].map((option) => option.value) };
  }
  const example = parameter.example ?? schema.items?.examples?.[0];
  if (isList) {
    const area = el("textarea", { id, rows: 2, required, spellcheck: "false", placeholder: "One value per line" });
    area.value = [example ?? []].flat().join("\n");
    return { element: area, values: () => area.value.split("\n").map((line) => line.trim()) };
  }
  const isNumber = types.includes("number") || types.includes("integer");
  const input = el("input", {
    id, type: "text", inputmode: isNumber ? "decimal" : null, required, spellcheck: "false", autocomplete: "off",
    placeholder: schema.default !== undefined ? `default ${schema.default}` : null, value: example ?? "",
  });
  return { element: input, values: () => [input.value.trim()] };
}

/**
 * @param {Description} description
 * @param {Operation} operation
 */
function bodyInputs(description, { body }) {
  const contents = body?.contents ?? [];
  const examples = contents.flatMap((content) => content.examples);
  const area = el("textarea", { id: "try-body", rows: 10, spellcheck: "false", class: "code" });
  const [first] = examples;
  area.value = pretty(first ? first.value : sample(description, contents[0]?.schema ?? {}, { isRequest: true }));
  const types = contents.map((content) => content.mediaType);
  const type = el("select", { id: "try-type" }, types.map((it) => el("option", { value: it, selected: it === "application/json" }, it)));
  const chosen = el("select", { id: "try-example" }, examples.map((it, index) => el("option", { value: index }, it.name)));
  chosen.addEventListener("change", () => {
    area.value = pretty(examples[Number(chosen.value)].value);
  });
  const element = el("div", { class: "input" },
    examples.length > 1 && [el("label", { for: "try-example" }, "Start from"), chosen],
    el("label", { for: "try-body" }, "Body"), area,
    types.length > 1 && [el("label", { for: "try-type" }, "Media type"), type]);
  return { element, text: () => area.value, mediaType: () => type.value || types[0] || "application/json" };
}

/**
 * Sends a request and returns what the server answered.
 * @param {import("./request.js").Request} request
 * @param {Headers} headers
 */
async function answerOf(request, headers) {
  const started = performance.now();
  try {
    const response = await fetch(address(request), {
      method: request.method, headers, body: request.body, cache: "no-store", credentials: "omit",
    });
    const { text, isWhole } = await read(response);
    const elapsed = Math.round(performance.now() - started);
    announce(`The server answered ${response.status} after ${elapsed} milliseconds`);
    return el("div", {},
      el("p", { class: "outcome" },
        el("span", { class: `status ${response.ok ? "good" : "bad"}` }, response.status),
        el("span", {}, response.statusText), el("span", { class: "quiet" }, `${elapsed} ms · ${size(text)}${isWhole ? "" : ", more not read"}`)),
      el("details", { class: "more" }, el("summary", {}, "Headers"),
        el("pre", { class: "code", tabindex: 0 }, el("code", {}, [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")))),
      text === "" ? el("p", { class: "quiet" }, "Without a body.") : codeBlock("Answer", readable(text)));
  } catch (error) {
    announce("The request failed");
    return el("p", { class: "outcome" }, el("span", { class: "status bad" }, "Failed"),
      el("span", {}, error instanceof Error ? error.message : String(error)));
  }
}

/**
 * Reads an answer up to a limit.
 * @param {Response} response
 */
async function read(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return { text, isWhole: true };
    text += part.value;
    if (text.length > ANSWER_CHARACTERS_MAX) {
      await reader?.cancel();
      return { text: text.slice(0, ANSWER_CHARACTERS_MAX), isWhole: false };
    }
  }
}

/** @param {string} text */
function readable(text) {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

/** @param {string} text */
function size(text) {
  const bytes = new Blob([text]).size;
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
