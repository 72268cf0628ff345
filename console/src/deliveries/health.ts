// How well deliveries arrive, by hour.

import type { Schemas } from '../api/client';

export interface Hour {
  /** Seconds since 1970. */
  at: number;
  /** Of those that ended, the share that was delivered, in percent. */
  success: number | null;
  /** Milliseconds from creation to delivery. */
  p50: number | null;
  p99: number | null;
}

/** The value that a share of the sorted numbers does not exceed. */
export function percentile(sorted: readonly number[], share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function byHour(deliveries: readonly Schemas['Delivery'][]): Hour[] {
  const hours = new Map<number, Schemas['Delivery'][]>();
  for (const delivery of deliveries) {
    const hour = Math.floor(Date.parse(delivery.createdAt) / 3_600_000);
    hours.set(hour, [...(hours.get(hour) ?? []), delivery]);
  }
  return [...hours.entries()].sort(([a], [b]) => a - b).map(([hour, list]) => {
    const ended = list.filter((one) => one.state === 'delivered' || one.state === 'failed');
    const times = list.filter((one) => one.state === 'delivered' && one.settledAt).map((one) => Date.parse(one.settledAt!) - Date.parse(one.createdAt)).sort((a, b) => a - b);
    return { at: hour * 3600, success: ended.length === 0 ? null : (100 * ended.filter((one) => one.state === 'delivered').length) / ended.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  });
}
