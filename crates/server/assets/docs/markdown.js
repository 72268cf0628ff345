// A little Markdown: paragraphs, headings, lists, tables, code, emphasis and links. Everything else is shown as it is written.

import { el } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function markdown(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  /** @type {HTMLElement[]} */
  const blocks = [];
  let at = 0;
  /** @param {(line: string) => boolean} wanted */
  const take = (wanted) => {
    const start = at;
    while (at < lines.length && wanted(lines[at])) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === "") {
      at += 1;
    } else if (line.startsWith("```")) {
      at += 1;
      const code = take((it) => !it.startsWith("```")).join("\n");
      at += 1;
      blocks.push(el("pre", { class: "code", tabindex: 0 }, el("code", {}, code)));
    } else if (/^#{1,6} /.test(line)) {
      at += 1;
      // The page has its own first heading, so those of a text start below it.
      const level = /** @type {"h3" | "h4" | "h5"} */ (`h${Math.min(5, line.indexOf(" ") + 2)}`);
      blocks.push(el(level, {}, inline(line.replace(/^#+ /, ""))));
    } else if (isItem(line)) {
      blocks.push(list(take((it) => isItem(it) || /^\s+\S/.test(it))));
    } else if (isRow(line) && isRule(lines[at + 1] ?? "")) {
      blocks.push(table(take(isRow)));
    } else {
      const paragraph = take((it) => it.trim() !== "" && !it.startsWith("```") && !isItem(it) && !/^#{1,6} /.test(it));
      blocks.push(el("p", {}, inline(paragraph.join(" "))));
    }
  }
  return blocks;
}

const isItem = (/** @type {string} */ line) => /^\s*([-*]|\d+\.) /.test(line);
const isRow = (/** @type {string} */ line) => /^\s*\|.*\|\s*$/.test(line);
const isRule = (/** @type {string} */ line) => /^\s*\|[\s:|-]+\|\s*$/.test(line);

/** @param {string[]} lines */
function list(lines) {
  /** @type {string[]} */
  const items = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\s*([-*]|\d+\.) /, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const ordered = /^\s*\d/.test(lines[0]);
  return el(ordered ? "ol" : "ul", {}, items.map((item) => el("li", {}, inline(item))));
}

/** @param {string[]} lines */
function table(lines) {
  const cells = (/** @type {string} */ line) =>
    line.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const [head, , ...rows] = lines;
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", {},
    el("thead", {}, el("tr", {}, cells(head).map((cell) => el("th", { scope: "col" }, inline(cell))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, cells(row).map((cell) => el("td", {}, inline(cell))))))));
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/;

/**
 * @param {string} text
 * @returns {Child[]}
 */
export function inline(text) {
  /** @type {Child[]} */
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    const [whole, code, strong, emphasis, label, address] = match;
    nodes.push(rest.slice(0, match.index));
    if (code) nodes.push(el("code", {}, code));
    else if (strong) nodes.push(el("strong", {}, inline(strong)));
    else if (emphasis) nodes.push(el("em", {}, inline(emphasis)));
    else nodes.push(link(label, address));
    rest = rest.slice(match.index + whole.length);
  }
  nodes.push(rest);
  return nodes;
}

/**
 * Links that could run code, or that cannot be resolved, stay text.
 * @param {string} label
 * @param {string} address
 * @returns {Child}
 */
function link(label, address) {
  const url = URL.parse?.(address, document.baseURI) ?? null;
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return label;
  const outside = url.origin !== location.origin;
  return el("a", { href: address, rel: outside ? "noopener noreferrer" : null, target: outside ? "_blank" : null }, inline(label));
}
