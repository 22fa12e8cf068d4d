import type { Webhook } from '../../api/types.ts';

/** `untried`: nothing delivered since its last change. */
type WebhookState = 'disabled' | 'failing' | 'untried' | 'delivering';

export function webhookState(hook: Webhook): WebhookState {
  const { enabled, failing_since: failing, next_attempt_at: next } = hook;
  if (!enabled) return 'disabled';
  if (failing !== null || next !== null) return 'failing';
  const success = time(hook.last_success_at);
  if (success < time(hook.updated_at)) return 'untried';
  return success < time(hook.last_error_at) ? 'failing' : 'delivering';
}

export function lastFailure({ last_error: why, last_error_at: at, last_success_at: success }: Webhook): string | null {
  return why !== null && time(success) < time(at) ? why : null;
}

function time(text: string | null): number {
  return text === null ? Number.NEGATIVE_INFINITY : Date.parse(text);
}

export function eventsWords(types: readonly string[] | null): string {
  if (types === null) return 'All events';
  const shown = types.length <= 4 ? types : types.slice(0, 3);
  const more = types.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Origin of the URL only: path and query may contain a secret. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname === '/' && search === '' ? '' : '/…'}`;
}
