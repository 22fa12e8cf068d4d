import type { Webhook } from '../../api/types.ts';

/** `untried`: nothing was received since it is what it is now, so nothing is known of it. */
export type WebhookState = 'off' | 'failing' | 'untried' | 'delivers';

export function webhookState(hook: Webhook): WebhookState {
  const { enabled, failing_since: failing, next_attempt_at: next } = hook;
  if (!enabled) return 'off';
  if (failing !== null || next !== null) return 'failing';
  const success = time(hook.last_success_at);
  if (success < time(hook.updated_at)) return 'untried';
  return success < time(hook.last_error_at) ? 'failing' : 'delivers';
}

/** The last failure, where nothing was received after it; null: there is none. */
export function lastFailure({ last_error: why, last_error_at: at, last_success_at: success }: Webhook): string | null {
  return why !== null && time(success) < time(at) ? why : null;
}

function time(text: string | null): number {
  return text === null ? Number.NEGATIVE_INFINITY : Date.parse(text);
}

/** "Everything", or the first few types and how many more. */
export function eventsWords(types: readonly string[] | null): string {
  if (types === null) return 'Everything';
  const shown = types.length <= 4 ? types : types.slice(0, 3);
  const more = types.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A URL without what may be a secret in it: whoever looks over a shoulder, or at a picture, sees where and no more. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname === '/' && search === '' ? '' : '/…'}`;
}
