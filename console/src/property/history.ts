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
  const changes = advert.events.filter((event) => event.fieldName === 'price').sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const first = changes[0] ? number(changes[0].fieldOldValue) : advert.price;
  const list: Step[] = [{ at: seconds(advert.createdAt), price: first }];
  for (const change of changes) list.push({ at: seconds(change.createdAt), price: number(change.fieldNewValue) });
  for (const event of advert.events) {
    if (event.fieldName !== 'expired') continue;
    const at = seconds(event.createdAt);
    const before = list.filter((step) => step.at <= at && step.price !== null).at(-1)?.price ?? null;
    list.push({ at, price: event.fieldNewValue === 'true' ? null : before });
  }
  list.sort((a, b) => a.at - b.at);
  const last = list.at(-1)!;
  if (last.price !== null) list.push({ at: Math.max(now, last.at), price: last.price });
  return list;
}

function number(text: string | null): number | null {
  return text === null || text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
}

/** The value of each line at all the moments at which one of them changes. */
export function aligned(lines: Step[][], extra: number[] = []): { times: number[]; values: (number | null)[][] } {
  const times = [...new Set([...lines.flat().map((step) => step.at), ...extra])].sort((a, b) => a - b);
  const values = lines.map((line) =>
    times.map((time) => {
      const current = line.filter((step) => step.at <= time).at(-1);
      return current && time <= (line.at(-1)?.at ?? 0) ? current.price : null;
    }),
  );
  return { times, values };
}
