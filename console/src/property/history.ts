// Prices of adverts over time, worked out from their events.

import type { Advert } from './summary';

export interface Step {
  /** Seconds since 1970. */
  at: number;
  price: number | null;
}

const seconds = (date: string) => Math.floor(new Date(date).getTime() / 1000);

/** The price of an advert from its creation to its end; `null` from when it expired. */
export function steps(advert: Advert, now: number): Step[] {
  const events = advert.events
    .filter((event) => event.fieldName === 'price' || event.fieldName === 'expired')
    .map((event) => ({ ...event, at: seconds(event.createdAt) }))
    .sort((a, b) => a.at - b.at);
  const change = events.find((event) => event.fieldName === 'price');
  // What it costs, or cost when it expired: with that price it returns.
  let price = change ? number(change.fieldOldValue) : advert.price;
  let isExpired = false;
  const created = seconds(advert.createdAt);
  const list: Step[] = [{ at: Math.min(created, events[0]?.at ?? created), price }];
  for (const event of events) {
    if (event.fieldName === 'price') price = number(event.fieldNewValue);
    else isExpired = event.fieldNewValue === 'true';
    list.push({ at: event.at, price: isExpired ? null : price });
  }
  const last = list.at(-1)!;
  if (last.price !== null) list.push({ at: Math.max(now, last.at), price: last.price });
  return list;
}

function number(text: string | null): number | null {
  return text === null || text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
}

/** For each of the ascending times, the last of the ascending entries that is not after it; `undefined` before the first. */
export function latest<T extends { at: number }>(entries: readonly T[], times: readonly number[]): (T | undefined)[] {
  let next = 0;
  return times.map((time) => {
    while (next < entries.length && entries[next]!.at <= time) next += 1;
    return entries[next - 1];
  });
}

/** The value of each line at all the moments at which one of them changes. */
export function aligned(lines: Step[][], extra: number[] = []): { times: number[]; values: (number | null)[][] } {
  const moments = new Set(extra);
  for (const line of lines) for (const step of line) moments.add(step.at);
  const times = [...moments].sort((a, b) => a - b);
  const values = lines.map((line) => {
    const end = line.at(-1)?.at ?? 0;
    return latest(line, times).map((step, index) => (step && times[index]! <= end ? step.price : null));
  });
  return { times, values };
}
