import type { AuditRecord } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';

/** The operations of the audit log, as the end of a sentence that starts with the key's name. */
const operations: Readonly<Record<string, string>> = {
  block: 'blocked',
  unblock: 'unblocked',
  batch: 'changed several entries',
  unblock_selected: 'unblocked by source or reason',
  undo: 'undid an operation',
  replace: 'replaced the blocked set',
  sync: 'verified the entries',
  trust: 'trusted',
  distrust: 'stopped trusting',
  set_site: 'saved site',
  set_site_tls: 'saved the TLS settings of site',
  remove_site: 'removed site',
  set_certificate: 'uploaded certificate',
  remove_certificate: 'removed certificate',
  verify_certificate: 'verified certificate',
  request_certificate: 'ordered certificate',
  renew_certificate: 'ordered renewal of certificate',
  stop_renewal: 'stopped renewal of certificate',
  set_upstream: 'saved upstream',
  remove_upstream: 'removed upstream',
  reload: 'reloaded HAProxy',
  restore_backup: 'restored backup',
  create_key: 'created key',
  bind_key: 'bound key',
  set_source: 'saved source',
  release: 'released source',
  keep: 'kept source',
  remove_source: 'removed source',
  revoke_key: 'revoked key',
  set_webhook: 'saved webhook',
  remove_webhook: 'removed webhook',
  set_view: 'saved view',
  remove_view: 'removed view',
  ignore_candidate: 'ignored client',
  set_limits: 'set the limits of candidates and attacks',
  sign_in: 'signed in to the panel',
  sign_out: 'signed out of the panel',
  expire: 'removed expired blocks',
  expire_trust: 'removed the expired trust of',
  drop_released: 'dropped the released claims of source',
  import_map_file: 'imported the existing map file',
  read: 'was denied access to',
  refusals: 'had repeated requests rejected',
};

export const operationNames = Object.keys(operations);

/** Where the end of a sentence is no label. */
const labels: Readonly<Record<string, string>> = {
  distrust: 'Stopped trusting an address',
  restore_backup: 'Restored a backup',
  expire_trust: 'Removed expired trust',
  read: 'Was denied access',
  refusals: 'Repeated rejections',
};

export function operationLabel(name: string): string {
  const words = labels[name] ?? operations[name] ?? name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const attempts: Readonly<Record<string, string>> = {
  block: 'tried to block',
  unblock: 'tried to unblock',
  batch: 'tried to change several entries',
  unblock_selected: 'tried to unblock by source or reason',
  undo: 'tried to undo an operation',
  replace: 'tried to replace the blocked set',
  sync: 'tried to verify the entries',
  trust: 'tried to trust',
  distrust: 'tried to stop trusting',
  set_site: 'tried to save site',
  set_site_tls: 'tried to save the TLS settings of site',
  remove_site: 'tried to remove site',
  set_certificate: 'tried to upload certificate',
  remove_certificate: 'tried to remove certificate',
  verify_certificate: 'tried to verify certificate',
  request_certificate: 'tried to order certificate',
  renew_certificate: 'tried to order renewal of certificate',
  stop_renewal: 'tried to stop renewal of certificate',
  set_upstream: 'tried to save upstream',
  remove_upstream: 'tried to remove upstream',
  reload: 'tried to reload HAProxy',
  restore_backup: 'tried to restore backup',
  create_key: 'tried to create key',
  bind_key: 'tried to bind key',
  set_source: 'tried to save source',
  release: 'tried to release source',
  keep: 'tried to keep source',
  remove_source: 'tried to remove source',
  revoke_key: 'tried to revoke key',
  set_webhook: 'tried to save webhook',
  remove_webhook: 'tried to remove webhook',
  set_view: 'tried to save view',
  remove_view: 'tried to remove view',
  ignore_candidate: 'tried to ignore client',
  set_limits: 'tried to set the limits of candidates and attacks',
  sign_in: 'tried to sign in to the panel',
  sign_out: 'tried to sign out of the panel',
};

export function auditWords({ operation, key, ip_address: address, target, outcome, result }: AuditRecord): string {
  const tried = outcome === 'refused' || outcome === 'failed' ? attempts[operation] : undefined;
  // A batch of a single entry has its address.
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

/** Newest first by start time, which may differ from the order of record numbers. */
export function inOrder(records: readonly AuditRecord[]): AuditRecord[] {
  return [...records].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

const outcomes: Readonly<Record<AuditRecord['outcome'], { readonly tone: Tone; readonly words: string }>> = {
  done: { tone: 'good', words: 'Done' },
  partly: { tone: 'warn', words: 'Partly done' },
  refused: { tone: 'bad', words: 'Rejected' },
  failed: { tone: 'bad', words: 'Failed' },
  unknown: { tone: 'unknown', words: 'Unknown: no outcome recorded' },
};

export function outcomeWords(record: AuditRecord): { readonly tone: Tone; readonly words: string } {
  if (record.outcome === 'done' && record.runtime_map_updated === false) {
    return { tone: 'warn', words: 'Done, not verified in every worker' };
  }
  return outcomes[record.outcome];
}
