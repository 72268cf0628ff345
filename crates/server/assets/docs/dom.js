// Creates elements. Texts become text nodes, so nothing from a document is ever read as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | ((event: any) => void) | null | undefined>} Attributes */

/**
 * Creates an element. Attributes whose value is a function are event listeners; `true` sets an attribute without a value; `false` and
 * `null` leave it out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(element, children);
  return element;
}

/**
 * @param {Node} parent
 * @param {(Child | Child[])[]} children
 */
export function add(parent, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
}

/**
 * Creates a disclosure whose content is built when it is opened first: most stay closed.
 * @param {Child[]} summary
 * @param {() => (Child | Child[])} build
 * @param {Attributes} [attributes]
 */
export function lazyDetails(summary, build, attributes = {}) {
  const details = el("details", attributes, el("summary", {}, summary));
  const fill = () => {
    if (details.open && details.childElementCount === 1) {
      add(details, [build()]);
    }
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

/** @param {string} text */
export function announce(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

/**
 * Creates a button that copies a text.
 * @param {() => string} text
 * @param {string} what
 */
export function copyButton(text, what) {
  const button = el("button", {
    type: "button",
    class: "plain copy",
    "aria-label": `Copy ${what}`,
    click: async () => {
      const copied = await copy(text());
      button.textContent = copied ? "Copied" : "Press Ctrl+C";
      announce(copied ? `Copied ${what}` : "The browser did not allow copying");
      setTimeout(() => (button.textContent = "Copy"), 1600);
    },
  }, "Copy");
  return button;
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard, except on this machine. Copying a selection works there.
    const area = el("textarea", { class: "hidden", "aria-hidden": "true", tabindex: -1 });
    area.value = text;
    document.body.append(area);
    const before = document.activeElement;
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return copied;
  }
}
