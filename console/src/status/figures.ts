// What GET /status answers.

export interface Series {
  times: string[];
  series: Record<string, (number | null)[]>;
}
export interface SiteFigures {
  site: string;
  accepted: number;
  refused: number;
  lastSeenAt: string | null;
  hours: { hour: string; accepted: number; refused: number }[];
}
export interface Figures {
  version: string;
  startedAt: string;
  logLevel: string | null;
  now: Record<string, number | boolean | null>;
  hour: Series;
  day: Series;
  sites: SiteFigures[];
  workers: { name: string; isStalled: boolean; failures: number }[];
  settings: { name: string; value: unknown; default: unknown }[];
}

/** When the disk is full if it goes on filling as in the series; `null` if it does not fill. */
export function fullAt(day: Series, freeNow: number | null, now: number): number | null {
  const free = day.series.diskFreeBytes ?? [];
  const first = free.findIndex((value) => value !== null);
  if (first < 0 || freeNow === null) return null;
  const began = Date.parse(day.times[first] ?? '');
  const lost = (free[first] ?? 0) - freeNow;
  const passed = now - began;
  if (lost <= 0 || passed < 3_600_000) return null;
  return now + (freeNow / lost) * passed;
}
