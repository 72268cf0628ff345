// Light, dark, or as the system has it.

export type Theme = 'auto' | 'light' | 'dark';
const THEME = 'vigie-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function kept(): Theme {
  const value = localStorage.getItem(THEME);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

let chosen = $state<Theme>(kept());
let systemDark = $state(system.matches);
system.addEventListener('change', (event) => (systemDark = event.matches));

export const theme = {
  get chosen(): Theme {
    return chosen;
  },
  set chosen(next: Theme) {
    chosen = next;
    localStorage.setItem(THEME, next);
    applyTheme();
  },
  get isDark(): boolean {
    return chosen === 'dark' || (chosen === 'auto' && systemDark);
  },
};

export function applyTheme(): void {
  document.documentElement.dataset.theme = chosen;
}

/** The value of a colour of the style sheet, for what is drawn on a canvas. */
export function colour(name: string): string {
  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
