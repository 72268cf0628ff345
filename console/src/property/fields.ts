// How each field of an advert is written.

import type { Schemas } from '../api/client';
import type { Formats } from '../format';
import type { Key } from '../words/index.svelte';
import type { Advert } from './summary';

export interface Words {
  t: (key: Key) => string;
  named: (prefix: string, value: string | number) => string;
  f: Formats;
}

export interface Field<A = Advert> {
  key: Key;
  /** `null` if it is unknown. */
  read: (advert: A, w: Words) => string | null;
}

export interface Row {
  key: Key;
  cells: (string | null)[];
  /** Whether two adverts say different things; an advert that says nothing does not differ. */
  differs: boolean;
}

/** One row per field that at least one advert has. */
export function rowsOf<A>(fields: readonly Field<A>[], adverts: readonly A[], w: Words): Row[] {
  return fields
    .map(({ key, read }) => ({ key, cells: adverts.map((advert) => read(advert, w)) }))
    .filter((row) => row.cells.some((cell) => cell !== null))
    .map((row) => ({ ...row, differs: new Set(row.cells.filter((cell) => cell !== null)).size > 1 }));
}

const money = (value: number | null, w: Words) => (value === null ? null : w.f.money(value));
const area = (value: number | null, w: Words) => (value === null ? null : w.f.area(value));
const plain = (value: number | null, w: Words) => (value === null ? null : w.f.number(value));
const whether = (value: boolean | null, w: Words) => (value === null ? null : w.t(value ? 'frame.yes' : 'frame.no'));
const rating = (value: Advert['energy'], unit: string, w: Words) => [value.category, value.value === null ? null : `${w.f.number(value.value)} ${unit}`].filter((part) => part !== null).join(' · ') || null;

// What doubtful pairs are compared by as well.
const price: Field<Pick<Advert, 'price'>> = { key: 'field.price', read: (a, w) => money(a.price, w) };
const surface: Field<Pick<Advert, 'surface'>> = { key: 'field.surface', read: (a, w) => area(a.surface, w) };
const landSurface: Field<Pick<Advert, 'landSurface'>> = { key: 'field.landSurface', read: (a, w) => area(a.landSurface, w) };
const room: Field<Pick<Advert, 'room'>> = { key: 'field.room', read: (a, w) => plain(a.room, w) };
const bedroom: Field<Pick<Advert, 'bedroom'>> = { key: 'field.bedroom', read: (a, w) => plain(a.bedroom, w) };
const floor: Field<Pick<Advert, 'floor'>> = { key: 'field.floor', read: (a, w) => plain(a.floor, w) };
const constructionYear: Field<Pick<Advert, 'constructionYear'>> = { key: 'field.constructionYear', read: (a) => (a.constructionYear === null ? null : String(a.constructionYear)) };
const energy: Field<Pick<Advert, 'energy'>> = { key: 'field.energy', read: (a, w) => rating(a.energy, 'kWh/m²', w) };
const greenHouseGas: Field<Pick<Advert, 'greenHouseGas'>> = { key: 'field.greenHouseGas', read: (a, w) => rating(a.greenHouseGas, 'kg/m²', w) };

export const advertFields: readonly Field[] = [
  price,
  { key: 'field.priceExcludingFees', read: (a, w) => money(a.priceExcludingFees, w) },
  { key: 'field.feesPercentage', read: (a, w) => (a.feesPercentage === null ? null : `${w.f.number(a.feesPercentage)} %`) },
  { key: 'field.feesResponsibility', read: (a, w) => (a.feesResponsibility === null ? null : w.named('fees', a.feesResponsibility)) },
  surface,
  landSurface,
  room,
  bedroom,
  floor,
  { key: 'field.floorQuantity', read: (a, w) => plain(a.floorQuantity, w) },
  { key: 'field.elevator', read: (a, w) => whether(a.elevator, w) },
  { key: 'field.furnished', read: (a, w) => whether(a.furnished, w) },
  constructionYear,
  { key: 'field.heating', read: (a) => a.heating },
  { key: 'field.parkingCount', read: (a, w) => plain(a.parkingCount, w) },
  energy,
  greenHouseGas,
  { key: 'field.condominiumFees', read: (a, w) => money(a.condominiumFees, w) },
  { key: 'field.propertyTax', read: (a, w) => money(a.propertyTax, w) },
  { key: 'field.lotCount', read: (a, w) => plain(a.lotCount, w) },
  { key: 'field.rentalCharges', read: (a, w) => money(a.rentalCharges, w) },
  { key: 'field.rentalPledge', read: (a, w) => money(a.rentalPledge, w) },
  { key: 'field.renterFees', read: (a, w) => money(a.renterFees, w) },
  { key: 'field.exclusiveMandate', read: (a, w) => whether(a.exclusiveMandate, w) },
  { key: 'field.occupied', read: (a, w) => whether(a.occupied, w) },
  { key: 'field.district', read: (a) => a.district },
];

/** Fields that only the table of adverts shows, after the facts. */
export const moreFields: readonly Field[] = [
  { key: 'field.title', read: (a) => a.title },
  { key: 'field.publisher', read: (a, w) => [a.publisher.name, a.publisher.type === null ? null : w.named('publisher', a.publisher.type)].filter(Boolean).join(' · ') || null },
  { key: 'field.contact', read: (a) => [a.contact.agency, a.contact.name, a.contact.phone, a.contact.email].filter(Boolean).join(' · ') || null },
  { key: 'field.features', read: (a) => a.features.join(', ') || null },
  { key: 'field.pictures', read: (a, w) => plain(Math.max(a.pictures.length, a.picturesRemote.length), w) },
  { key: 'property.createdAt', read: (a, w) => w.f.day(a.createdAt) },
  { key: 'property.updatedAt', read: (a, w) => w.f.day(a.updatedAt) },
  { key: 'field.expired', read: (a, w) => (a.expiredAt === null ? whether(a.expired, w) : w.f.day(a.expiredAt)) },
];

/** What a doubtful pair is compared by. */
export const pairFields: readonly Field<Schemas['DoubtfulAdvert']>[] = [
  { key: 'field.title', read: (a) => a.title },
  { key: 'field.propertyType', read: (a, w) => w.named('type', a.propertyType) },
  price,
  surface,
  landSurface,
  room,
  bedroom,
  floor,
  constructionYear,
  energy,
  greenHouseGas,
  { key: 'field.town', read: (a) => [a.zipcode, a.cityName].filter(Boolean).join(' ') || null },
  { key: 'property.createdAt', read: (a, w) => w.f.day(a.createdAt) },
  { key: 'field.lastSeen', read: (a, w) => w.f.day(a.lastCrawledAt) },
  { key: 'field.expired', read: (a, w) => (a.expiredAt === null ? null : w.f.day(a.expiredAt)) },
  { key: 'field.pictures', read: (a, w) => w.f.number(a.pictureCount) },
];
