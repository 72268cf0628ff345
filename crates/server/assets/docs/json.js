// JSON with colours.

import { copyButton, el } from "./dom.js";

/** Beyond this many characters colours are left out: a browser gets slow with that many elements. */
const COLOURED_MAX = 150_000;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * @param {string} text JSON, or anything else.
 * @returns {HTMLElement}
 */
export function coloured(text) {
  const code = el("code", {});
  if (text.length > COLOURED_MAX) {
    code.textContent = text;
    return code;
  }
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, word] = match;
    code.append(text.slice(end, match.index));
    const kind = string ? (colon ? "key" : "string") : word ? "word" : "number";
    code.append(el("span", { class: `json-${kind}` }, string ?? whole), colon ?? "");
    end = match.index + whole.length;
  }
  code.append(text.slice(end));
  return code;
}

/** @param {any} value */
export function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/**
 * A block of code with a title and a button to copy it.
 * @param {string} title
 * @param {string} text
 * @param {boolean} [isJson]
 */
export function codeBlock(title, text, isJson = true) {
  return el("div", { class: "block" },
    el("div", { class: "block-head" }, el("span", {}, title), copyButton(() => text, title)),
    el("pre", { class: "code", tabindex: 0, role: "group", "aria-label": title },
      isJson ? coloured(text) : el("code", {}, text)));
}
