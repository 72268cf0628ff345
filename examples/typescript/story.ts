// The whole story of a client of Vigie: send adverts, search, save a search, receive its webhook. Needs only Node.js.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import type { components } from "./vigie.js";

type AdvertDraft = components["schemas"]["AdvertDraft"];
type AdvertReceipt = components["schemas"]["AdvertReceipt"];
type Match = components["schemas"]["Match"];
type PropertyDocument = components["schemas"]["PropertyDocument"];
type Search = components["schemas"]["Search"];
type SearchDraft = components["schemas"]["SearchDraft"];
type WebhookSecret = components["schemas"]["WebhookSecret"];

interface Collection<Member> {
  "hydra:member": Member[];
  "hydra:view"?: { "hydra:next"?: string };
}

const { API_URL = "http://127.0.0.1:8080", API_KEY = "" } = process.env;
// The receiver: where Vigie reaches it, and the certificate for it.
const { RECEIVER_PORT = "8443", RECEIVER_CERTIFICATE = "certificate.pem", RECEIVER_KEY = "key.pem" } = process.env;
// An older message may be a replay of a recorded one.
const TOLERANCE_SECONDS = 300;

/** Sends a request and returns the body of the response. An error of the API is thrown with its description. */
async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { "X-API-KEY": API_KEY, "Content-Type": "application/json" };
  const response = await fetch(API_URL + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  const answer = text === "" ? null : JSON.parse(text);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer["hydra:description"]}`);
  return answer;
}

/** An apartment for sale in Tours. */
function advert(reference: string, fields: Partial<AdvertDraft>): AdvertDraft {
  const common = { site: "mon-agence.example", transactionType: 0, propertyType: 0, zipcode: "37000", cityName: "Tours" } as const;
  return { ...common, reference, ...fields };
}

/** Yields every member of a collection, page by page. */
async function* pages<Member>(first: string, parameters: Record<string, string>): AsyncGenerator<Member> {
  let path: string | undefined = `${first}?${new URLSearchParams(parameters)}`;
  while (path) {
    const page: Collection<Member> = await call("GET", path);
    yield* page["hydra:member"];
    path = page["hydra:view"]?.["hydra:next"];
  }
}

/** Returns whether Vigie sent this recently. The signature covers id, timestamp and the body exactly as received. */
function isGenuine(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const header = (name: string) => String(headers[name] ?? "");
  const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
  const late = Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS;
  if (!/^\d+$/.test(timestamp) || late) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  // There are two signatures while the secret is rotated.
  return header("webhook-signature").split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Starts a receiver of webhooks. Returns its address and the first genuine message. */
async function receive(secret: string) {
  let keep: (match: Match) => void;
  const first = new Promise<Match>((resolve) => { keep = resolve; });
  const certificate = { cert: readFileSync(RECEIVER_CERTIFICATE), key: readFileSync(RECEIVER_KEY) };
  const server = createServer(certificate, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const genuine = isGenuine(secret, request.headers, body);
    response.writeHead(genuine ? 200 : 401).end();
    if (genuine) keep(JSON.parse(body.toString()));
  });
  await new Promise<void>((resolve) => server.listen(Number(RECEIVER_PORT), "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, endpoint: `https://127.0.0.1:${port}/matches`, first };
}

const run = Date.now().toString(16);
const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
const adverts = numbers.map((number) => advert(`${run}-${number}`, {
  title: `Appartement avec balcon, ${number}e étage`, floor: number,
  price: 180_000 + 5_000 * number, surface: 50 + number, room: 2,
}));
const { "hydra:member": receipts } = await call<Collection<AdvertReceipt>>("POST", "/adverts", adverts);
console.log("sent", receipts.length, "adverts:", [...new Set(receipts.map((receipt) => receipt.outcome))].join(", "));

const found: PropertyDocument[] = [];
const wanted = {
  transactionType: "0", budgetMax: "300000", "includedCities[]": "/cities/37261", "expressions[]": "balcon",
  "order[price]": "asc", itemsPerPage: "5",
};
for await (const property of pages<PropertyDocument>("/documents/properties", wanted)) found.push(property);
console.log("found", found.length, "properties, the cheapest for", found[0]?.price, "€");

const { secret } = await call<WebhookSecret>("GET", "/webhook-secret");
const { server, endpoint, first } = await receive(secret);
const draft: SearchDraft = {
  title: "Tours avec balcon", transactionType: 0, propertyTypes: [0], budgetMax: 300_000,
  includedCities: ["/cities/37261"], expressions: ["balcon"], notificationEnabled: true, endpointRecipient: endpoint,
};
const search = await call<Search>("POST", "/searches", draft);
console.log("saved the search", search["@id"]);

// Only properties that are new or changed from now on match.
const last = advert(`${run}-13`, { title: "Deux pièces, balcon plein sud", price: 175_000, surface: 45, room: 2 });
const receipt = await call<AdvertReceipt>("POST", "/adverts", last);
const match = await first;
if (match.search !== search["@id"] || match.property !== receipt.property) throw new Error("another match");
console.log("received a match:", match.propertyDocument.title);
server.close();
server.closeAllConnections();

await call("DELETE", search["@id"]);
for (const { "@id": sent } of [...receipts, receipt]) if (sent) await call("DELETE", sent);
console.log("deleted the search and the adverts");
