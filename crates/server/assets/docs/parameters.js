// The parameters of an operation: groups, a field to find one, and buttons that add them to the request.

import { announce, el } from "./dom.js";
import { folded } from "./find.js";
import { markdown } from "./markdown.js";
import { choiceList, choices, limits, ownText, typeOf } from "./schema.js";

/** @typedef {import("./description.js").Description} Description */
/** @typedef {import("./description.js").Operation} Operation */
/** @typedef {import("./description.js").Parameter} Parameter */

/** With fewer parameters a field to find one is in the way. */
const FIND_FROM = 9;

/**
 * @param {Description} description
 * @param {Operation} operation
 * @param {((parameter: Parameter) => void) | null} onUse
 */
export function parametersView(description, operation, onUse) {
  const groups = Map.groupBy
    ? Map.groupBy(operation.parameters, (parameter) => parameter.group)
    : grouped(operation.parameters);
  const sections = [...groups].map(([name, list]) => group(description, operation, name, list, groups.size > 1, onUse));
  const isLong = operation.parameters.length >= FIND_FROM;
  return el("section", { "aria-labelledby": "parameters" },
    el("h2", { id: "parameters" }, "Parameters ", el("span", { class: "count" }, operation.parameters.length)),
    isLong && findField(sections, operation.parameters.length),
    sections.map((section) => section.element));
}

/** @param {Parameter[]} parameters */
function grouped(parameters) {
  /** @type {Map<string, Parameter[]>} */
  const groups = new Map();
  for (const parameter of parameters) {
    groups.set(parameter.group, [...(groups.get(parameter.group) ?? []), parameter]);
  }
  return groups;
}

/** @typedef {{element: HTMLElement, details: HTMLDetailsElement | null, rows: {text: string, element: HTMLElement}[]}} Section */

/**
 * @param {Description} description
 * @param {Operation} operation
 * @param {string} name
 * @param {Parameter[]} parameters
 * @param {boolean} hasTitle
 * @param {((parameter: Parameter) => void) | null} onUse
 * @returns {Section}
 */
function group(description, operation, name, parameters, hasTitle, onUse) {
  const rows = parameters.map((parameter) => ({
    text: folded(`${parameter.name} ${parameter.description} ${choices(parameter.schema).map((it) => it.meaning).join(" ")}`),
    element: row(description, operation, parameter, onUse),
  }));
  const list = el("ul", { class: "fields" }, rows.map((it) => it.element));
  if (!hasTitle) return { element: list, details: null, rows };
  // Other names are for programs that already use them.
  const isOpen = !parameters.every((parameter) => parameter.aliasOf);
  const details = el("details", { class: "group", open: isOpen },
    el("summary", {}, el("span", {}, name), " ", el("span", { class: "count" }, parameters.length)), list);
  return { element: details, details, rows };
}

/**
 * @param {Description} description
 * @param {Operation} operation
 * @param {Parameter} parameter
 * @param {((parameter: Parameter) => void) | null} onUse
 */
function row(description, operation, parameter, onUse) {
  const { schema } = parameter;
  const text = ownText(schema);
  return el("li", { class: "field", id: `${operation.id}/${parameter.name}`, tabindex: -1 },
    el("div", { class: "field-head" },
      el("code", { class: "name" }, parameter.name),
      el("span", { class: "type" }, typeOf(description, schema)),
      parameter.required && el("span", { class: "required" }, "required"),
      limits(schema).map((limit) => el("span", { class: "limit" }, limit)),
      onUse && !parameter.required && el("button", {
        type: "button",
        class: "plain use",
        "aria-label": `Add ${parameter.name} to the request`,
        click: () => onUse(parameter),
      }, "Add")),
    el("div", { class: "meaning" }, markdown(parameter.description), text !== parameter.description && markdown(text)),
    choiceList(choices(schema)));
}

/**
 * @param {Section[]} sections
 * @param {number} total
 */
function findField(sections, total) {
  const input = el("input", { type: "search", id: "find-parameter", placeholder: "Type to find, e.g. price", autocomplete: "off" });
  const shown = el("span", { class: "quiet", role: "status" });
  const openBefore = sections.map((section) => section.details?.open ?? true);
  input.addEventListener("input", () => {
    const words = folded(input.value).split(/\s+/).filter(Boolean);
    let count = 0;
    sections.forEach((section, index) => {
      let inSection = 0;
      for (const { text, element } of section.rows) {
        element.hidden = !words.every((word) => text.includes(word));
        if (!element.hidden) inSection += 1;
      }
      section.element.hidden = inSection === 0;
      if (section.details) section.details.open = words.length > 0 || openBefore[index];
      count += inSection;
    });
    shown.textContent = words.length > 0 ? `${count} of ${total}` : "";
    if (count === 0) announce("No parameter found");
  });
  return el("div", { class: "find-parameter" }, el("label", { for: "find-parameter" }, "Find a parameter"), input, shown);
}
