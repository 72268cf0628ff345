// What one does to a saved search, each with its way back where there is one.

import { get, idOf, send, type Schemas } from '../api/client';
import { fromSearch, toCriteria } from '../market/filters';
import { toasts } from '../toast.svelte';
import { t } from '../words/index.svelte';

export type Search = Schemas['Search'];
type Draft = Schemas['SearchDraft'];

export const searchId = (search: Search): string => idOf(search['@id'] ?? '');

/** The body that makes the same search again. */
export function draftOf(search: Search): Draft {
  return {
    ...(toCriteria(fromSearch(search)).criteria as unknown as Draft),
    title: search.title,
    notificationEnabled: search.notificationEnabled,
    endpointRecipient: search.endpointRecipient,
    eventEndpoint: search.eventEndpoint,
    notificationRecipient: search.notificationRecipient,
    subscribedEvents: search.subscribedEvents,
    hidePropertyContact: search.hidePropertyContact,
  } as Draft;
}

/** Changes nothing but the switch: absent fields keep their values, and those that an update must have are read just before. */
async function putEnabled(id: string, enabled: boolean): Promise<void> {
  const { title, transactionType, propertyTypes } = (await get('/searches/{id}', { at: { id } })) as Search;
  await send('put', '/searches/{id}', { at: { id }, body: { title, transactionType, propertyTypes, notificationEnabled: enabled } });
}

export async function setEnabled(search: Search, enabled: boolean, changed: () => void): Promise<boolean> {
  const put = (value: boolean) => putEnabled(searchId(search), value);
  try {
    await put(enabled);
    changed();
    toasts.show(t(enabled ? 'search.turnedOn' : 'search.turnedOff', { title: search.title }), {
      undo: () => void put(!enabled).then(changed, (error: unknown) => toasts.show(t('frame.failed'), { error })),
    });
    return true;
  } catch (error) {
    toasts.show(t('frame.failed'), { error });
    return false;
  }
}

/** For a switch: it goes back if the server refuses. */
export async function switched(event: Event & { currentTarget: HTMLInputElement }, search: Search, changed: () => void): Promise<void> {
  const box = event.currentTarget;
  if (!(await setEnabled(search, box.checked, changed))) box.checked = !box.checked;
}

export async function copySearch(search: Search): Promise<Search> {
  return (await send('post', '/searches', { body: { ...draftOf(search), title: t('search.copyOf', { title: search.title }), notificationEnabled: false } })) as Search;
}

/** Deletes at once. *Undo* saves the same criteria again: matches and deliveries of the old one do not come back. */
export async function deleteSearch(search: Search, changed: () => void): Promise<void> {
  await send('delete', '/searches/{id}', { at: { id: searchId(search) } });
  changed();
  toasts.show(t('search.deleted', { title: search.title }), {
    undo: () =>
      void send('post', '/searches', { body: draftOf(search) }).then(
        () => {
          toasts.show(t('search.restored'));
          changed();
        },
        (error: unknown) => toasts.show(t('frame.failed'), { error }),
      ),
  });
}
