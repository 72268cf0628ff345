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

/** The last days as `YYYY-MM-DD`, the oldest first. */
export function lastDays(days: number, now: number): string[] {
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (days - 1 - index));
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  });
}
