// Loads the description of the API and shows the view that the address names: `#` the introduction, `#listProperties` an operation,
// `#listProperties/budgetMax` one of its parameters, `#schema-Search` an object, `#schema-Search/title` one of its fields.

import { Description } from "./description.js";
import { el } from "./dom.js";
import { introduction, schemaList, schemaView } from "./introduction.js";
import { navigation } from "./navigation.js";
import { operationView } from "./operation.js";
import { themeButton } from "./theme.js";

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (found);
}

const main = byId("main");
themeButton(byId("theme"));

try {
  const response = await fetch("docs.json", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  start(new Description(await response.json()));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  main.replaceChildren(el("h1", { tabindex: -1 }, "The description could not be loaded"),
    el("p", {}, `${reason}. `, el("a", { href: "docs" }, "Try again")));
  throw error;
}

/** @param {Description} description */
function start(description) {
  const title = description.info.title ?? "API";
  byId("title").textContent = title;
  byId("version").textContent = description.info.version ?? "";
  const contents = navigation(description, { sidebar: byId("sidebar"), input: byId("find"), menu: byId("menu") });
  let shown = "";

  const show = (/** @type {boolean} */ isFirst) => {
    const hash = decode(location.hash.slice(1));
    if (hash === "main") {
      main.focus();
      return;
    }
    const [name] = split(description, hash);
    if (name !== shown || isFirst) {
      shown = name;
      const view = viewOf(description, name);
      main.replaceChildren(view);
      const heading = view.querySelector("h1");
      document.title = name ? `${heading?.textContent} · ${title}` : `${title} API`;
      contents.mark(name ? `#${name}` : "#");
      if (!isFirst) {
        scrollTo(0, 0);
        heading?.focus({ preventScroll: true });
      }
    }
    highlight(hash === name ? null : document.getElementById(hash));
  };
  addEventListener("hashchange", () => show(false));
  show(true);
  document.documentElement.dataset.ready = "true";
}

/** @param {string} hash */
function decode(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

/**
 * Splits an address into the view and the place in it.
 * @param {Description} description
 * @param {string} hash
 * @returns {[string, string]}
 */
function split(description, hash) {
  if (description.operation(hash)) return [hash, ""];
  const at = hash.indexOf("/");
  return at < 0 ? [hash, ""] : [hash.slice(0, at), hash.slice(at + 1)];
}

/**
 * @param {Description} description
 * @param {string} name
 */
function viewOf(description, name) {
  const operation = description.operation(name);
  if (operation) return operationView(description, operation);
  if (name === "schemas") return schemaList(description);
  const schema = name.startsWith("schema-") ? name.slice("schema-".length) : null;
  if (schema && description.schemas.some(([known]) => known === schema)) return schemaView(description, schema);
  return introduction(description);
}

/** @param {HTMLElement | null} target */
function highlight(target) {
  document.querySelector(".target")?.classList.remove("target");
  if (!target) return;
  target.closest("details")?.setAttribute("open", "");
  target.classList.add("target");
  target.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}
