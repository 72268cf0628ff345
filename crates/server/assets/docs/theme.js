// Light, dark, or as the system has it.

const NAME = "theme";
const THEMES = ["system", "light", "dark"];

/** @param {HTMLElement} button */
export function themeButton(button) {
  let current = stored();
  const show = () => {
    document.documentElement.dataset.theme = current;
    button.textContent = { system: "Auto", light: "Light", dark: "Dark" }[current] ?? "Auto";
    button.setAttribute("aria-label", `Colours: ${current}. Change`);
  };
  button.addEventListener("click", () => {
    current = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length];
    try {
      localStorage.setItem(NAME, current);
    } catch {
      // The choice then lasts until the page is closed.
    }
    show();
  });
  show();
}

function stored() {
  try {
    const theme = localStorage.getItem(NAME) ?? "";
    return THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}
