// The API key of the user. It stays in memory, and in the session storage of this tab only if the user wishes so.

const NAME = "api-key";

/** @type {{text: string, kept: boolean}} */
const state = read();

function read() {
  try {
    const text = sessionStorage.getItem(NAME);
    return { text: text ?? "", kept: text !== null };
  } catch {
    return { text: "", kept: false };
  }
}

export const key = {
  get text() {
    return state.text;
  },
  get isKept() {
    return state.kept;
  },
  /**
   * @param {string} text
   * @param {boolean} isKept
   */
  set(text, isKept) {
    state.text = text.trim();
    state.kept = isKept;
    try {
      if (isKept && state.text) sessionStorage.setItem(NAME, state.text);
      else sessionStorage.removeItem(NAME);
    } catch {
      // Storage can be switched off. The key is in memory then.
    }
  },
};
