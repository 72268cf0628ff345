// What a card says of a property, worked out from its document.

import type { Schemas } from '../api/client';

export type Document = Schemas['PropertyDocument'];
export type Advert = Schemas['AdvertInProperty'];

export interface PriceChange {
  percent: number;
  at: string;
}

/** The reference advert: the one that the property takes its values from. */
export function reference(property: Document): Advert | undefined {
  return property.adverts.find((advert) => advert.uuid === property.lastCrawledAdvert) ?? property.adverts[0];
}

/** The latest change of a price among all adverts. */
export function lastPriceChange(property: Document): PriceChange | null {
  let last: PriceChange | null = null;
  for (const advert of property.adverts) {
    for (const event of advert.events) {
      if (event.fieldName !== 'price' || event.percentVariation === null) continue;
      if (!last || event.createdAt > last.at) last = { percent: event.percentVariation, at: event.createdAt };
    }
  }
  return last;
}

/** What a rent is paid for; `null` if the property is for sale, or if no advert says it. */
export function rentPeriod(property: Document): NonNullable<Advert['rentPeriod']> | null {
  if (property.transactionType !== 1) return null;
  return reference(property)?.rentPeriod ?? property.adverts.map((advert) => advert.rentPeriod).find((period) => period) ?? null;
}

/** Pictures of an advert, whichever of its lists has them. */
export function pictureCount(advert: Advert): number {
  return advert.pictures.length > 0 ? advert.pictures.length : advert.picturesRemote.length;
}

/** Paths of pictures on this server, those of the reference advert first. */
export function pictures(property: Document, most = 48): string[] {
  const first = reference(property);
  const adverts = first ? [first, ...property.adverts.filter((advert) => advert !== first)] : [];
  const seen = new Set<string>();
  const paths: string[] = [];
  for (const advert of adverts) {
    const sources = advert.pictures.length > 0 ? advert.pictures : advert.picturesRemote;
    sources.forEach((source, number) => {
      if (seen.has(source) || paths.length >= most) return;
      seen.add(source);
      paths.push(`/adverts/${advert.uuid}/pictures/${number}`);
    });
  }
  return paths;
}

export function siteCount(property: Document): number {
  return new Set(property.adverts.map((advert) => advert.site)).size;
}

export function energyClass(property: Document): string | null {
  return property.adverts.map((advert) => advert.energy.category).find((category) => category) ?? null;
}
