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

/** Who did what, to what. */
export function auditWords({ operation, key, ip_address: address, target }: AuditRecord): string {
  const what = operations[operation] ?? operation;
  const about = address ?? target;
  return `${key ?? 'The service'} ${what}${about === null ? '' : ` ${about}`}`;
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
