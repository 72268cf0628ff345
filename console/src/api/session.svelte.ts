// Who is signed in. The key is sent once and not kept: the browser holds a cookie that scripts cannot read.

import { ApiError, exchange, signedOut } from './client';

export interface Session {
  user: string;
  label: string | null;
  scopes: string[];
  expiresAt: string;
}

/** `undefined` until the server was asked. */
let current = $state<Session | null | undefined>(undefined);

export const session = {
  get current() {
    return current;
  },
  may(scope: string): boolean {
    return current?.scopes.includes(scope) ?? false;
  },
};

signedOut.addEventListener('change', () => (current = null));

export async function resume(): Promise<void> {
  try {
    current = (await exchange('get', '/console/session')) as Session;
  } catch (error) {
    current = null;
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
}

export async function signIn(key: string): Promise<void> {
  current = (await exchange('post', '/console/session', { body: { key } })) as Session;
}

export async function signOut(): Promise<void> {
  await exchange('delete', '/console/session');
  current = null;
}
