// Numbers, money and dates as people of the chosen language write them.

export type Language = 'en' | 'fr';

export class Formats {
  readonly #number: Intl.NumberFormat;
  readonly #one: Intl.NumberFormat;
  readonly #money: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #share: Intl.NumberFormat;
  readonly #compact: Intl.NumberFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #moment: Intl.DateTimeFormat;
  readonly #date: Intl.DateTimeFormat;
  readonly #clock: Intl.DateTimeFormat;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #list: Intl.ListFormat;
  readonly plural: Intl.PluralRules;

  constructor(readonly language: Language) {
    const locale = language === 'fr' ? 'fr-FR' : 'en-GB';
    this.#number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
    this.#one = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    this.#money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 });
    this.#percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });
    this.#share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
    this.#compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
    this.#day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
    this.#moment = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });
    this.#date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
    this.#clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    this.#list = new Intl.ListFormat(locale, { type: 'conjunction' });
    this.plural = new Intl.PluralRules(locale);
  }

  number = (value: number): string => this.#number.format(value);
  compact = (value: number): string => this.#compact.format(value);
  money = (value: number): string => this.#money.format(value);
  perMeter = (value: number): string => `${this.#money.format(value)}/m²`;
  area = (value: number): string => `${this.#number.format(value)} m²`;
  percent = (percent: number): string => this.#share.format(percent / 100);
  /** A change such as −3.5 %, given in percent. */
  change = (percent: number): string => this.#percent.format(percent / 100);
  day = (date: string | number | Date): string => this.#day.format(new Date(date));
  moment = (date: string | number | Date): string => this.#moment.format(new Date(date));
  /** A day of a year that is known. */
  date = (date: string | number | Date): string => this.#date.format(new Date(date));
  clock = (date: string | number | Date): string => this.#clock.format(new Date(date));
  list = (items: string[]): string => this.#list.format(items);

  /** Milliseconds as a length of time: 0.4 ms, 34 ms, 1.2 s, 4 min 26 s, 3 h 5 min. */
  duration(ms: number): string {
    const minutes = Math.floor(ms / 60_000);
    if (minutes >= 120) return `${this.#number.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
    if (minutes >= 2) return `${minutes} min ${Math.floor(ms / 1000) % 60} s`;
    if (ms >= 1000) return `${this.#one.format(ms / 1000)} s`;
    return `${ms < 10 ? this.#one.format(ms) : this.#number.format(Math.round(ms))} ms`;
  }

  bytes(count: number): string {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
    const value = count / 1000 ** step;
    return `${step > 0 && value < 100 ? this.#one.format(value) : this.#number.format(Math.round(value))} ${units[step]}`;
  }

  /** A price on the map: 285 k€, 1.2 M€, and rents in full. */
  label(price: number): string {
    if (price < 10_000) return this.#money.format(price);
    if (price < 1_000_000) return `${this.#number.format(Math.round(price / 1000))} k€`;
    return `${this.#compact.format(price / 1_000_000)} M€`;
  }

  ago(date: string | number | Date, now: number): string {
    const seconds = (new Date(date).getTime() - now) / 1000;
    const steps: [Intl.RelativeTimeFormatUnit, number][] = [['year', 31_557_600], ['month', 2_629_800], ['week', 604_800], ['day', 86_400], ['hour', 3600], ['minute', 60]];
    for (const [unit, length] of steps) {
      if (Math.abs(seconds) >= length) return this.#relative.format(Math.round(seconds / length), unit);
    }
    return this.#relative.format(Math.round(seconds), 'second');
  }
}
