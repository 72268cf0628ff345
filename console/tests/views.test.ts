import { describe, expect, it } from 'vitest';
import { byHour } from '../src/deliveries/health';
import { phases } from '../src/deliveries/phases';
import { plain, safeUrl } from '../src/links';
import { boundsOf, circleRing, distanceKm, spread, viewOf } from '../src/market/geometry';
import { rowsOf, type Words } from '../src/property/fields';
import { aligned, steps } from '../src/property/history';
import { lastPriceChange, pictures } from '../src/property/summary';
import { lastDays } from '../src/searches/days';
import { fullAt } from '../src/status/figures';

describe('addresses of adverts', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['http://a.example', 'http://a.example/'],
    ['javascript:alert(1)', null],
    [' javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['//a.example', null],
    ['', null],
  ])('%s opens as %s', (text, expected) => expect(safeUrl(text)).toBe(expected));

  it('short texts lose characters that turn or hide others', () => {
    expect(plain('a\u202egpj.exe\u200bb')).toBe('a gpj.exe b');
  });
});

describe('geometry', () => {
  it('knows what a map of a size shows', () => {
    // A world of 512 pixels at zoom 0; half of it at zoom 1.
    expect(viewOf(0, 0, 0, 512, 512).map(Math.round)).toEqual([-180, -85, 180, 85]);
    expect(viewOf(0, 0, 1, 512, 512).map(Math.round)).toEqual([-90, -67, 90, 67]);
    const [west, south, east, north] = viewOf(2.35, 48.86, 12, 800, 600);
    expect((west + east) / 2).toBeCloseTo(2.35, 4);
    expect(south).toBeLessThan(48.86);
    expect(north).toBeGreaterThan(48.86);
  });

  it('a circle has its radius', () => {
    for (const point of circleRing(0.69, 47.39, 5)) expect(distanceKm([0.69, 47.39], point)).toBeCloseTo(5, 1);
  });
  it('bounds hold all points', () => expect(boundsOf([[1, 2], [-3, 4]])).toEqual([-3, 2, 1, 4]));
  it('those at one point are spread, others stay', () => {
    const at = (longitude: number) => ({ longitude, latitude: 47 });
    const moved = spread([at(1), at(1), at(2)], 0.001);
    expect(new Set(moved.map((one) => `${one.longitude},${one.latitude}`)).size).toBe(3);
    expect(moved).toContainEqual(at(2));
  });
});

const event = (fieldName: string, createdAt: string, before: string | null = null, after: string | null = null, percent: number | null = null) => ({ fieldName, createdAt, fieldOldValue: before, fieldNewValue: after, percentVariation: percent });
const advert = (events: ReturnType<typeof event>[], more: object = {}) => ({ uuid: 'a', createdAt: '2026-01-01T00:00:00Z', price: 90, events, pictures: [], picturesRemote: [], ...more }) as never;
const at = (date: string) => Date.parse(date) / 1000;

describe('prices over time', () => {
  const sold = advert([event('created', '2026-01-01T00:00:00Z'), event('price', '2026-02-01T00:00:00Z', '100', '90', -10), event('expired', '2026-03-01T00:00:00Z', 'false', 'true')]);
  it('begin with the first price and end with the advert', () => {
    expect(steps(sold, at('2026-06-01T00:00:00Z'))).toEqual([{ at: at('2026-01-01T00:00:00Z'), price: 100 }, { at: at('2026-02-01T00:00:00Z'), price: 90 }, { at: at('2026-03-01T00:00:00Z'), price: null }]);
  });
  it('an advert on offer goes on until now', () => {
    expect(steps(advert([]), at('2026-06-01T00:00:00Z')).at(-1)).toEqual({ at: at('2026-06-01T00:00:00Z'), price: 90 });
  });
  it('an advert returns with the price it had last', () => {
    const day = (number: number) => `2026-02-0${number}T00:00:00Z`;
    const expired = (number: number) => event('expired', day(number), 'false', 'true');
    const returned = (number: number) => event('expired', day(number), 'true', 'false');
    // Out of order, as events of several kinds may come.
    const twice = advert([expired(1), returned(2), expired(4), returned(5), event('price', day(3), '300000', '280000')], { price: 280_000 });
    expect(steps(twice, at(day(6))).map((step) => step.price)).toEqual([300_000, null, 300_000, 280_000, null, 280_000, 280_000]);
  });
  it('a return and a new price in the same second are one step', () => {
    const moment = '2026-02-02T00:00:00Z';
    const once = advert([event('expired', '2026-02-01T00:00:00Z', 'false', 'true'), event('price', moment, '100', '90'), event('expired', moment, 'true', 'false')]);
    expect(aligned([steps(once, at(moment))]).values).toEqual([[100, null, 90]]);
  });
  it('many adverts with many events are quick', () => {
    const began = Date.parse('2026-01-01T00:00:00Z');
    const lines = Array.from({ length: 20 }, (_, number) => {
      const events = Array.from({ length: 1000 }, (_, index) => event('price', new Date(began + (index * 20 + number) * 60_000).toISOString(), String(index), String(index + 1)));
      return steps(advert(events), at('2026-06-01T00:00:00Z'));
    });
    const { times, values } = aligned(lines);
    // One walk along each line: 400 thousand looks, not 400 million.
    expect(times).toHaveLength(20_001);
    expect(values.map((line) => line.at(-1))).toEqual(Array.from({ length: 20 }, () => 1000));
  });
  it('lines share their moments', () => {
    expect(aligned([[{ at: 1, price: 5 }, { at: 3, price: 6 }], [{ at: 2, price: 7 }]])).toEqual({ times: [1, 2, 3], values: [[5, 5, 6], [null, 7, null]] });
  });
  it('the last change is the latest of all adverts', () => {
    expect(lastPriceChange({ adverts: [sold] } as never)).toEqual({ percent: -10, at: '2026-02-01T00:00:00Z' });
  });
});

it('pictures come from this server, each once, the reference advert first', () => {
  const first = advert([], { uuid: 'a', pictures: ['x', 'y'] });
  const second = advert([], { uuid: 'b', picturesRemote: ['y', 'z'] });
  expect(pictures({ lastCrawledAdvert: 'b', adverts: [first, second] } as never)).toEqual(['/adverts/b/pictures/0', '/adverts/b/pictures/1', '/adverts/a/pictures/0']);
});

it('the last days end today', () => {
  const now = new Date(2026, 2, 10, 12).getTime();
  expect(lastDays(2, now)).toEqual(['2026-03-09', '2026-03-10']);
});

describe('figures', () => {
  it('receivers by hour, one or all, with gaps', () => {
    const hour = (text: string, attempts: number, delivered: number, p50Ms: number, p99Ms: number) => ({ hour: text, attempts, delivered, p50Ms, p99Ms });
    const host = (name: string, hours: ReturnType<typeof hour>[]) => ({ host: name, attempts: 0, delivered: 0, p50Ms: 0, p99Ms: 0, hours });
    // The same hour may be written with another offset.
    const hosts = [host('a', [hour('2026-03-02T11:00:00+01:00', 3, 3, 10, 20), hour('2026-03-02T14:00:00+01:00', 1, 0, 40, 40)]), host('b', [hour('2026-03-02T10:00:00Z', 1, 0, 50, 60)])];
    const ten = at('2026-03-02T10:00:00Z');
    expect(byHour(hosts, 'b')).toEqual([{ at: ten, success: 0, p50: 50, p99: 60 }]);
    expect(byHour(hosts, null)).toEqual([{ at: ten, success: 75, p50: 50, p99: 60 }, { at: ten + 3600, success: null, p50: null, p99: null }, { at: ten + 3 * 3600, success: 0, p50: 40, p99: 40 }]);
    expect(byHour([], null)).toEqual([]);
  });
  it('the day on which the disk is full', () => {
    const day = { times: ['2026-03-01T00:00:00Z'], series: { diskFreeBytes: [100] } };
    const now = Date.parse('2026-03-02T00:00:00Z');
    expect(fullAt(day, 90, now)).toBe(now + 9 * 86_400_000);
    expect(fullAt(day, 110, now)).toBeNull();
    expect(fullAt(day, null, now)).toBeNull();
  });
});

describe('phases of an attempt', () => {
  const timings = (nameMs: number | null, connectMs: number | null, tlsMs: number | null, firstByteMs: number | null) => ({ nameMs, connectMs, tlsMs, firstByteMs });
  it('have their share of the whole', () => {
    const shares = phases({ durationMs: 200, timings: timings(0, 20, 40, 100) }).map(({ name, share }) => [name, share]);
    expect(shares).toEqual([['name', 0], ['connect', 10], ['tls', 20], ['firstByte', 50]]);
  });
  it('those that did not begin are left out', () => {
    expect(phases({ durationMs: 30, timings: timings(null, null, null, 30) })).toEqual([{ name: 'firstByte', ms: 30, share: 100 }]);
    expect(phases({ durationMs: 30, timings: timings(null, null, null, null) })).toEqual([]);
  });
  it('never exceed the line', () => {
    const shares = phases({ durationMs: 0, timings: timings(1, 1, 1, 1) }).map(({ share }) => share);
    expect(shares).toEqual([25, 25, 25, 25]);
    expect(phases({ durationMs: 0, timings: timings(0, null, null, null) })[0]?.share).toBe(0);
  });
});

describe('adverts side by side', () => {
  const words = {} as Words;
  const field = { key: 'field.title', read: (advert: { title: string | null }) => advert.title } as const;
  const row = (...titles: (string | null)[]) => rowsOf([field], titles.map((title) => ({ title })), words)[0];

  it('marks what differs', () => {
    expect(row('a', 'b')).toEqual({ key: 'field.title', cells: ['a', 'b'], differs: true });
    expect(row('a', 'a')?.differs).toBe(false);
  });

  it('takes nothing said for no difference, and leaves out what no advert says', () => {
    expect(row('a', null)?.differs).toBe(false);
    expect(row(null, null)).toBeUndefined();
  });
});
