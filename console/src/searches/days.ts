// Dates counted by day, for bars.

/** How many of the dates are on each of the last days, the oldest first. `now` is in milliseconds. */
export function byDay(dates: readonly string[], days: number, now: number): number[] {
  const counts = new Array<number>(days).fill(0);
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  for (const date of dates) {
    const day = new Date(date);
    day.setHours(0, 0, 0, 0);
    const ago = Math.round((start.getTime() - day.getTime()) / 86_400_000);
    if (ago >= 0 && ago < days) counts[days - 1 - ago]! += 1;
  }
  return counts;
}
