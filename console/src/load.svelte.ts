// What a view shows while it waits: the old content, dimmed once the wait is long enough to notice.

import { serverTime } from './api/client';

/** Shorter waits are not noticed. */
const NOTICED_MS = 150;

export class Load<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<unknown>(undefined);
  slow = $state(false);
  /** Milliseconds that the server needed for the last answer. */
  took = $state(0);
  #abort: AbortController | undefined;

  /** Runs a request; an earlier one that has not been answered is given up. */
  async run(request: (signal: AbortSignal) => Promise<T>): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const timer = setTimeout(() => (this.slow = true), NOTICED_MS);
    try {
      const value = await request(abort.signal);
      if (abort.signal.aborted) return;
      this.value = value;
      this.error = undefined;
      this.took = serverTime(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) this.error = error;
    } finally {
      clearTimeout(timer);
      if (this.#abort === abort) this.slow = false;
    }
  }

  stop(): void {
    this.#abort?.abort();
  }
}

/** Calls a function now and again after each pause, only while the page is visible. Returns how to end it. */
export function poll(everyMs: number, work: () => Promise<unknown> | void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const step = async () => {
    if (document.visibilityState === 'visible') await work();
    if (!ended) timer = setTimeout(step, everyMs);
  };
  timer = setTimeout(step, everyMs);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
