// Requests to the API of the server that the console came from. The session cookie is sent by the browser.

import type { components, paths } from './schema';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'put' | 'delete';
type Content<A> = A extends { content: { 'application/ld+json': infer Body } } ? Body : unknown;
type Success<R> = R extends { 200: infer A } ? A : R extends { 201: infer A } ? A : R extends { 202: infer A } ? A : unknown;
/** The body of a successful answer, as the OpenAPI document describes it. */
export type Answer<P extends keyof paths, M extends Method = 'get'> = paths[P][M] extends { responses: infer R } ? Content<Success<R>> : unknown;

export type Query = Iterable<readonly [string, string]>;

interface Options {
  /** Values for the names in braces of the path. */
  at?: Record<string, string>;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** What the server refused, in its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    readonly body: Partial<Schemas['Error']> | null,
  ) {
    super(message);
  }
}

/** The key was revoked or the session has ended: the frame shows the page for signing in. */
export const signedOut = new EventTarget();

export async function send<P extends keyof paths, M extends Method>(method: M, path: P, options: Options = {}): Promise<Answer<P, M>> {
  return (await timed(method, path, options)).body;
}

export function get<P extends keyof paths>(path: P, options: Options = {}): Promise<Answer<P>> {
  return send('get', path, options);
}

/** The answer, and the milliseconds that the server needed for it. */
export async function timed<P extends keyof paths, M extends Method>(method: M, path: P, options: Options = {}): Promise<{ body: Answer<P, M>; took: number }> {
  const { signal = new AbortController().signal } = options;
  const body = await exchange(method, fill(path, options.at), { ...options, signal });
  return { body: body as Answer<P, M>, took: serverTime(signal) };
}

/** The longest of the requests made with a signal: a view that needs several sends them at once. */
const serverTimes = new WeakMap<AbortSignal, number>();

/** The milliseconds that the server needed for what was requested with this signal. */
export function serverTime(signal: AbortSignal): number {
  return serverTimes.get(signal) ?? 0;
}

/** For paths that answers name, such as the next page. */
export async function exchange(method: Method, path: string, { query, body, signal }: Options = {}): Promise<unknown> {
  const search = query ? new URLSearchParams([...query].map(([name, value]) => [name, value])).toString() : '';
  const address = search ? `${path}${path.includes('?') ? '&' : '?'}${search}` : path;
  const headers: Record<string, string> = { Accept: 'application/ld+json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const duration = Number(/;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1] ?? 0);
  if (signal) serverTimes.set(signal, Math.max(serverTime(signal), duration));
  const text = await response.text();
  const parsed = text && response.headers.get('Content-Type')?.includes('json') ? (JSON.parse(text) as unknown) : null;
  if (response.ok) return parsed;
  if (response.status === 401 && path !== '/console/session') signedOut.dispatchEvent(new Event('change'));
  const error = parsed as Partial<Schemas['Error']> | null;
  const message = error?.['hydra:description'] ?? error?.detail ?? `${response.status} ${response.statusText}`;
  throw new ApiError(response.status, message, response.headers.get('X-Request-Id'), error);
}

function fill(path: string, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** The last part of a path such as `/properties/0190…`, which other requests take as an id. */
export function idOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
