// One operation: what it does, what it takes, what it answers, and a request to try.

import { el, lazyDetails } from "./dom.js";
import { codeBlock, pretty } from "./json.js";
import { inline, markdown } from "./markdown.js";
import { method } from "./navigation.js";
import { parametersView } from "./parameters.js";
import { sample } from "./sample.js";
import { fieldTree, typeOf } from "./schema.js";
import { tryIt } from "./try.js";

/** @typedef {import("./description.js").Description} Description */
/** @typedef {import("./description.js").Operation} Operation */
/** @typedef {import("./description.js").Answer} Answer */
/** @typedef {import("./description.js").Content} Content */

/**
 * @param {Description} description
 * @param {Operation} operation
 */
export function operationView(description, operation) {
  const attempt = operation.isWebhook ? null : tryIt(description, operation);
  const success = operation.answers.find((answer) => answer.status.startsWith("2") && answer.contents.length > 0);
  return el("article", { class: "operation" },
    el("p", { class: "eyebrow" }, operation.tag),
    el("h1", { tabindex: -1 }, operation.summary),
    el("p", { class: "path" }, method(operation.method, operation.isWebhook), el("code", {}, breakable(operation.path)), access(operation),
      attempt && el("button", { type: "button", class: "plain jump", click: attempt.focus }, "Try it")),
    el("div", { class: "columns" },
      el("div", { class: "details" },
        el("div", { class: "prose" }, markdown(operation.description)),
        operation.parameters.length > 0 && parametersView(description, operation, attempt && attempt.use),
        operation.body && bodyView(description, operation),
        answersView(description, operation)),
      el("div", { class: "side" },
        attempt?.element,
        operation.isWebhook && operation.body && example(description, "Body", operation.body.contents[0]),
        success && example(description, `Answer ${success.status}`, best(success.contents)))),
    neighbours(description, operation));
}

/**
 * Lets long paths break after a slash.
 * @param {string} path
 */
function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, el("wbr")]);
}

/** @param {Operation} operation */
function access({ scopes, isWebhook }) {
  if (isWebhook) return el("span", { class: "scope" }, "sent to you");
  if (scopes === null) return el("span", { class: "scope" }, "no key needed");
  if (scopes.length === 0) return el("span", { class: "scope" }, "any key");
  return el("span", { class: "scope" }, "scope ", el("code", {}, scopes.join(", ")));
}

/**
 * @param {Description} description
 * @param {Operation} operation
 */
function bodyView(description, { body }) {
  if (!body) return null;
  const [content] = body.contents;
  const types = body.contents.map((it) => it.mediaType);
  return el("section", { "aria-labelledby": "body" },
    el("h2", { id: "body" }, "Body ", !body.required && el("span", { class: "count" }, "optional")),
    el("div", { class: "prose" }, markdown(body.description)),
    el("p", { class: "quiet" }, ...typeOf(description, content?.schema ?? {}), " as ", types.flatMap((type, index) => [index > 0 && " or ", el("code", {}, type)])),
    content && fieldTree(description, content.schema));
}

/**
 * @param {Description} description
 * @param {Operation} operation
 */
function answersView(description, operation) {
  return el("section", { "aria-labelledby": "answers" },
    el("h2", { id: "answers" }, operation.isWebhook ? "What you answer" : "Answers"),
    operation.answers.map((answer) => answerView(description, answer)));
}

/**
 * @param {Description} description
 * @param {Answer} answer
 */
function answerView(description, answer) {
  const isSuccess = answer.status.startsWith("2");
  const content = best(answer.contents);
  const title = [
    el("span", { class: `status ${isSuccess ? "good" : answer.status.startsWith("3") ? "moved" : "bad"}` }, answer.status),
    el("span", {}, inline(answer.description)),
  ];
  return lazyDetails(title, () => el("div", { class: "answer" },
    answer.headers.length > 0 && el("div", {},
      el("h3", {}, "Headers"),
      el("ul", { class: "fields" }, answer.headers.map((header) => el("li", { class: "field" },
        el("div", { class: "field-head" }, el("code", { class: "name" }, header.name)),
        el("div", { class: "meaning" }, markdown(header.description)))))),
    content && el("div", {}, el("h3", {}, "Fields"), fieldTree(description, content.schema)),
    content && !isSuccess && example(description, "Example", content),
    !content && el("p", { class: "quiet" }, "Without a body.")), { class: "group answer-group" });
}

/**
 * Prefers what has an example, then JSON.
 * @param {Content[]} contents
 * @returns {Content | undefined}
 */
function best(contents) {
  return contents.find((it) => it.examples.length > 0) ?? contents.find((it) => it.mediaType.includes("json")) ?? contents[0];
}

/**
 * @param {Description} description
 * @param {string} title
 * @param {Content | undefined} content
 */
function example(description, title, content) {
  if (!content || !content.mediaType.includes("json")) return null;
  const [given] = content.examples;
  if (given) return codeBlock(title, pretty(given.value));
  const made = sample(description, content.schema);
  return made === null ? null : codeBlock(`${title}, made from the schema`, pretty(made));
}

/**
 * @param {Description} description
 * @param {Operation} operation
 */
function neighbours(description, operation) {
  const order = description.tags.flatMap((tag) => tag.operations);
  const at = order.indexOf(operation);
  const link = (/** @type {Operation | undefined} */ to, /** @type {string} */ label) =>
    to ? el("a", { href: `#${to.id}` }, el("span", { class: "quiet" }, label), el("span", {}, to.summary)) : el("span");
  return el("nav", { class: "neighbours", "aria-label": "Other operations" },
    link(order[at - 1], "Previous"), link(order[at + 1], "Next"));
}
