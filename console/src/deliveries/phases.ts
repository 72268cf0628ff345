// Where the time of an attempt went.

import type { Schemas } from '../api/client';

export type PhaseName = 'name' | 'connect' | 'tls' | 'firstByte';

export interface Phase {
  name: PhaseName;
  ms: number;
  /** Of the whole attempt, in percent. */
  share: number;
}

/** The phases that began, in order. What is missing to the whole is the body of the answer. */
export function phases({ timings, durationMs }: Pick<Schemas['Attempt'], 'timings' | 'durationMs'>): Phase[] {
  const all: [PhaseName, number | null][] = [['name', timings.nameMs], ['connect', timings.connectMs], ['tls', timings.tlsMs], ['firstByte', timings.firstByteMs]];
  const began = all.filter((phase): phase is [PhaseName, number] => phase[1] !== null);
  // Each is rounded down on its own, and may be longer than the whole on a clock that jumped.
  const whole = Math.max(1, durationMs, began.reduce((sum, [, ms]) => sum + ms, 0));
  return began.map(([name, ms]) => ({ name, ms, share: (100 * ms) / whole }));
}
