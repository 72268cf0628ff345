// How the receivers fared, hour by hour.

import type { Schemas } from '../api/client';

export interface Hour {
  /** When it began, in seconds since 1970. */
  at: number;
  /** The share of the attempts that was delivered, in percent; `null` in an hour without attempts. */
  success: number | null;
  /** Milliseconds that an attempt took. */
  p50: number | null;
  p99: number | null;
}

const HOUR_SECONDS = 3600;

/**
 * The hours of one receiver, or of all of them, from the first with an attempt to the last. Percentiles of several receivers cannot
 * be added up: together they have the times of the slowest.
 */
export function byHour(hosts: readonly Schemas['HostHealth'][], host: string | null): Hour[] {
  const sums = new Map<number, { attempts: number; delivered: number; p50: number; p99: number }>();
  for (const one of hosts) {
    if (host !== null && one.host !== host) continue;
    for (const hour of one.hours) {
      const at = Date.parse(hour.hour) / 1000;
      const sum = sums.get(at) ?? { attempts: 0, delivered: 0, p50: 0, p99: 0 };
      sums.set(at, { attempts: sum.attempts + hour.attempts, delivered: sum.delivered + hour.delivered, p50: Math.max(sum.p50, hour.p50Ms), p99: Math.max(sum.p99, hour.p99Ms) });
    }
  }
  const hours: Hour[] = [];
  for (const at of [...sums.keys()].sort((a, b) => a - b)) {
    // An hour without attempts is a gap, not a line between its neighbours. One is enough to break it.
    const before = hours.at(-1);
    if (before && at - before.at > HOUR_SECONDS) hours.push({ at: before.at + HOUR_SECONDS, success: null, p50: null, p99: null });
    const { attempts, delivered, p50, p99 } = sums.get(at)!;
    hours.push({ at, success: attempts > 0 ? (100 * delivered) / attempts : null, p50, p99 });
  }
  return hours;
}
