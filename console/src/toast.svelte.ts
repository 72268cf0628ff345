// Short messages at the edge of the page, with the way back if there is one.

export interface Toast {
  id: number;
  text: string;
  undo?: () => void;
  error?: unknown;
}

const SHOWN_MS = 8000;
let next = 0;
let list = $state<Toast[]>([]);

export const toasts = {
  get list(): Toast[] {
    return list;
  },
  show(text: string, options: { undo?: () => void; error?: unknown } = {}): void {
    const toast = { id: (next += 1), text, ...options };
    list = [...list.slice(-2), toast];
    setTimeout(() => toasts.close(toast.id), SHOWN_MS);
  },
  close(id: number): void {
    list = list.filter((toast) => toast.id !== id);
  },
};
