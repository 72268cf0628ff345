// Decisions of a person about two adverts, and the way back.

import { idOf, send, type Schemas } from '../api/client';
import { toasts } from '../toast.svelte';
import { t, type Key } from '../words/index.svelte';

export type Verdict = 'same' | 'different';
type Decision = Schemas['GroupingDecision'];

const decide = (adverts: readonly string[], verdict: Verdict) => send('post', '/grouping/decisions', { body: { adverts, verdict } });

/** Moves back what a decision moved. One that moved nothing stays until there is another about the same adverts. */
async function takeBack({ action, adverts, properties, moved }: Decision): Promise<void> {
  // All adverts of the merged property, and not only the one that was decided about.
  if (action === 'merged') await send('post', '/properties/{id}/split', { at: { id: idOf(properties[0]!) }, body: { adverts: moved } });
  else if (action === 'split') await decide(adverts, 'same');
}

/** Decides about two adverts and says what followed. `undone` is called after the decision was taken back. Tells whether it worked. */
export async function decidePair(adverts: readonly string[], verdict: Verdict, undone: () => void): Promise<boolean> {
  try {
    const decision = await decide(adverts, verdict);
    const undo = async () => {
      try {
        await takeBack(decision);
        undone();
        if (decision.moved.length > 0) toasts.show(t('pairs.undone'));
      } catch (error) {
        toasts.show(t('frame.failed'), { error });
      }
    };
    toasts.show(t(`pairs.${decision.action}` as Key), { undo: () => void undo() });
    return true;
  } catch (error) {
    toasts.show(t('frame.failed'), { error });
    return false;
  }
}
