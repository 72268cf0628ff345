// The contents at the side, and what is found above them.

import { announce, el } from "./dom.js";
import { entries, find } from "./find.js";

/** @typedef {import("./description.js").Description} Description */

/**
 * @param {Description} description
 * @param {{sidebar: HTMLElement, input: HTMLInputElement, menu: HTMLElement}} parts
 */
export function navigation(description, { sidebar, input, menu }) {
  const contents = contentsOf(description);
  const results = el("div", { class: "results", hidden: true });
  sidebar.replaceChildren(results, contents);

  const setOpen = (/** @type {boolean} */ isOpen) => {
    sidebar.classList.toggle("open", isOpen);
    menu.setAttribute("aria-expanded", String(isOpen));
  };
  menu.addEventListener("click", () => setOpen(!sidebar.classList.contains("open")));
  sidebar.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) setOpen(false);
  });

  /** @type {import("./find.js").Entry[] | null} */
  let index = null;
  input.addEventListener("input", () => {
    index ??= entries(description);
    const query = input.value.trim();
    results.hidden = query === "";
    contents.hidden = query !== "";
    setOpen(query !== "");
    if (query === "") return;
    const found = find(index, query);
    results.replaceChildren(...resultsOf(found));
    announce(found.length === 0 ? "Nothing found" : `${found.length} results`);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      const first = results.querySelector("a");
      if (!first || results.hidden) return;
      event.preventDefault();
      if (event.key === "Enter") first.click();
      else first.focus();
    }
  });
  sidebar.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const links = [...sidebar.querySelectorAll("a")].filter((link) => link.checkVisibility());
    const at = links.findIndex((link) => link === document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    const next = event.key === "ArrowDown" ? links[at + 1] : links[at - 1];
    if (next) next.focus();
    else if (event.key === "ArrowUp") input.focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape") {
      if (sidebar.contains(document.activeElement)) input.focus();
      input.value = "";
      input.dispatchEvent(new Event("input"));
    }
  });

  return {
    /** @param {string} hash Marks the link of the view that is shown. */
    mark(hash) {
      for (const link of contents.querySelectorAll("a")) {
        const isCurrent = link.getAttribute("href") === (hash || "#");
        if (isCurrent) {
          link.setAttribute("aria-current", "page");
          link.closest("details")?.setAttribute("open", "");
          link.scrollIntoView({ block: "nearest" });
        } else {
          link.removeAttribute("aria-current");
        }
      }
    },
  };
}

/** @param {Description} description */
function contentsOf(description) {
  const tags = description.tags.map((tag) => el("details", { open: true },
    el("summary", {}, tag.name),
    el("ul", {}, tag.operations.map((operation) => el("li", {},
      el("a", { href: `#${operation.id}` }, el("span", {}, operation.summary), method(operation.method, operation.isWebhook)))))));
  const schemas = description.schemas.length > 0 && el("details", {},
    el("summary", {}, "Schemas"),
    el("ul", {}, el("li", {}, el("a", { href: "#schemas" }, "All schemas")), description.schemas.map(([name]) =>
      el("li", {}, el("a", { href: `#schema-${name}` }, name)))));
  return el("div", { class: "contents" },
    el("ul", {}, el("li", {}, el("a", { href: "#" }, "Introduction"))), tags, schemas);
}

/**
 * @param {string} name
 * @param {boolean} [isWebhook]
 */
export function method(name, isWebhook = false) {
  return el("span", { class: `method ${isWebhook ? "hook" : name.toLowerCase()}` }, isWebhook ? "HOOK" : name === "DELETE" ? "DEL" : name);
}

/** @param {import("./find.js").Entry[]} found */
function resultsOf(found) {
  if (found.length === 0) return [el("p", { class: "quiet" }, "Nothing found. Try fewer or other words.")];
  const kinds = [...new Set(found.map((entry) => entry.kind))];
  return kinds.map((kind) => el("section", {}, el("h2", {}, kind), el("ul", {},
    found.filter((entry) => entry.kind === kind).map((entry) => el("li", {},
      el("a", { href: entry.href }, el("span", {}, entry.title), entry.detail && el("span", { class: "detail" }, entry.detail)))))));
}
