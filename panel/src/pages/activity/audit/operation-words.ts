import type { AuditRecord } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';

/** What the audit calls an operation, as the end of a sentence that begins with who did it. */
const operations: Readonly<Record<string, string>> = {
  block: 'blocked',
  unblock: 'unblocked',
  batch: 'changed many entries at once',
  replace: 'replaced the whole list',
  sync: 'compared the proxy with the database',
  trust: 'trusted',
  distrust: 'stopped trusting',
  set_site: 'set the site',
  remove_site: 'removed the site',
  reload: 'reloaded the proxy',
  restore_backup: 'rolled back to',
  create_key: 'made the key',
  revoke_key: 'revoked the key',
  set_webhook: 'set the webhook',
  remove_webhook: 'removed the webhook',
  sign_in: 'signed in to the panel',
  sign_out: 'signed out of the panel',
  expire: 'ended blocks that were over',
  expire_trust: 'ended the expired trust of',
  import_map_file: 'took over the map file that was there',
  read: 'was refused a look at',
  refusals: 'was refused more often than is listed one by one',
};

export const operationNames = Object.keys(operations);

/** For a list of operations to choose from. */
export function operationLabel(name: string): string {
  const words = operations[name] ?? name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What `ends` a sentence about what was tried and not done: "tried: unblocked" would say that it was. */
const attempts: Readonly<Record<string, string>> = {
  block: 'tried to block',
  unblock: 'tried to unblock',
  batch: 'tried to change many entries at once',
  replace: 'tried to replace the whole list',
  sync: 'tried to compare the proxy with the database',
  trust: 'tried to trust',
  distrust: 'tried to stop trusting',
  set_site: 'tried to set the site',
  remove_site: 'tried to remove the site',
  reload: 'tried to reload the proxy',
  restore_backup: 'tried to roll back to',
  create_key: 'tried to make the key',
  revoke_key: 'tried to revoke the key',
  set_webhook: 'tried to set the webhook',
  remove_webhook: 'tried to remove the webhook',
  sign_in: 'tried to sign in to the panel',
  sign_out: 'tried to sign out of the panel',
};

/** Who did what, to what; of what was refused or failed, who tried. */
export function auditWords({ operation, key, ip_address: address, target, outcome, result }: AuditRecord): string {
  const tried = outcome === 'refused' || outcome === 'failed' ? attempts[operation] : undefined;
  // A batch of one is about this one.
  const single = operation === 'batch' && address !== null ? oneOfBatch(result) : null;
  const what = tried ?? single ?? operations[operation] ?? operation;
  const about = address ?? target;
  return `${key ?? 'The service'} ${what}${about === null ? '' : ` ${about}`}`;
}

function oneOfBatch(result: AuditRecord['result']): string {
  const counts = (result ?? {}) as { readonly added?: number; readonly removed?: number };
  if ((counts.removed ?? 0) > 0) return 'unblocked';
  return (counts.added ?? 0) > 0 ? 'blocked' : 'changed the entry of';
}

/** As they began, the newest first: records are numbered as they are written, which may be otherwise. */
export function inOrder(records: readonly AuditRecord[]): AuditRecord[] {
  return [...records].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

const outcomes: Readonly<Record<AuditRecord['outcome'], { readonly tone: Tone; readonly words: string }>> = {
  done: { tone: 'good', words: 'Done' },
  partly: { tone: 'warn', words: 'Partly' },
  refused: { tone: 'bad', words: 'Refused' },
  failed: { tone: 'bad', words: 'Failed' },
  unknown: { tone: 'unknown', words: 'Not known: no answer was recorded' },
};

export function outcomeWords(record: AuditRecord): { readonly tone: Tone; readonly words: string } {
  if (record.outcome === 'done' && record.runtime_map_updated === false) {
    return { tone: 'warn', words: 'Done, but not seen in every worker then' };
  }
  return outcomes[record.outcome];
}
