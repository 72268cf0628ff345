// The first view: what the service is, how to call it, and every operation.

import { copyButton, el } from "./dom.js";
import { codeBlock, pretty } from "./json.js";
import { inline, markdown } from "./markdown.js";
import { method } from "./navigation.js";
import { baseAddress } from "./request.js";
import { sample } from "./sample.js";
import { fieldTree, members } from "./schema.js";

/** @typedef {import("./description.js").Description} Description */

/** @param {Description} description */
export function introduction(description) {
  const { info } = description;
  const first = description.tags.flatMap((tag) => tag.operations).find((it) => it.method === "GET" && it.scopes && !it.path.includes("{"));
  const base = baseAddress();
  return el("article", { class: "introduction" },
    el("h1", { tabindex: -1 }, info.title ?? "API"),
    info.summary && el("p", { class: "lead" }, info.summary),
    el("div", { class: "columns" },
      el("div", { class: "prose" }, markdown(info.description ?? ""),
        el("p", {}, "This page is made from the ", el("a", { href: "docs.json" }, "OpenAPI document"),
          ". Generic clients can read the ", el("a", { href: "docs.jsonld" }, "Hydra documentation"), ".")),
      el("aside", { class: "side", "aria-label": "Getting started" },
        el("div", { class: "block" },
          el("div", { class: "block-head" }, el("span", {}, "Base address"), copyButton(() => base, "the base address")),
          el("pre", { class: "code", tabindex: 0 }, el("code", {}, base))),
        first && codeBlock("A first request", `KEY=…   # your API key\ncurl '${base}${first.path}' \\\n  -H "${description.keyHeader}: $KEY"`, false),
        first && el("p", {}, el("a", { class: "button", href: `#${first.id}` }, "Try it"))),
    ),
    el("h2", { id: "operations" }, "Operations ", el("span", { class: "count" }, description.operations.length)),
    description.tags.map((tag) => el("section", { class: "tag" },
      el("h3", {}, tag.name),
      tag.description && el("p", { class: "quiet" }, inline(tag.description)),
      el("ul", { class: "operations" }, tag.operations.map((operation) => el("li", {},
        el("a", { href: `#${operation.id}`, "data-operation": operation.id },
          method(operation.method, operation.isWebhook),
          el("code", {}, operation.path),
          el("span", {}, operation.summary))))))));
}

/** @param {Description} description */
export function schemaList(description) {
  return el("article", {},
    el("h1", { tabindex: -1 }, "Schemas"),
    el("p", { class: "lead" }, "Every object that the service sends or accepts."),
    el("ul", { class: "operations" }, description.schemas.map(([name, schema]) => el("li", {},
      el("a", { href: `#schema-${name}` }, el("code", {}, name), el("span", {}, inline(firstSentence(schema.description ?? ""))))))));
}

/**
 * @param {Description} description
 * @param {string} name
 */
export function schemaView(description, name) {
  const schema = description.document.components.schemas[name];
  const count = members(description, schema).length;
  const marker = `#/components/schemas/${name}"`;
  const users = description.operations.filter((operation) => JSON.stringify([operation.body, operation.answers]).includes(marker));
  return el("article", {},
    el("p", { class: "eyebrow" }, "Schema"),
    el("h1", { tabindex: -1 }, name),
    el("div", { class: "prose" }, markdown(schema.description ?? "")),
    users.length > 0 && el("p", { class: "quiet" }, "Used by ", users.slice(0, 8).flatMap((operation, index) => [
      index > 0 && ", ", el("a", { href: `#${operation.id}` }, operation.summary)]), users.length > 8 && ` and ${users.length - 8} more`),
    el("div", { class: "columns" },
      el("section", { class: "details" },
        el("h2", {}, "Fields ", el("span", { class: "count" }, count)),
        fieldTree(description, schema, `schema-${name}`)),
      el("div", { class: "side" }, example(description, name))));
}

/**
 * Prefers what an operation really answers.
 * @param {Description} description
 * @param {string} name
 */
function example(description, name) {
  const contents = description.operations.flatMap((operation) => operation.answers).flatMap((answer) => answer.contents);
  const real = contents.find((content) => description.schemaName(content.schema) === name && content.examples.length > 0);
  if (real) return codeBlock("Example", pretty(real.examples[0].value));
  return codeBlock("Example, made from the schema", pretty(sample(description, description.document.components.schemas[name])));
}

/** @param {string} text */
function firstSentence(text) {
  return /^[^\n]*?[.;](?=\s|$)/.exec(text)?.[0] ?? text.split("\n")[0];
}
