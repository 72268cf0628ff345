// The last days, for counts by day.

/** The last days as `YYYY-MM-DD`, the oldest first. */
export function lastDays(days: number, now: number): string[] {
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (days - 1 - index));
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  });
}
