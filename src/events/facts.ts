// What happens in the service. A part emits each fact once; the log, the event stream, the webhooks, the audit log and
// the metrics listen. A part knows no listener, never waits for one and never fails because of one.

import type { SyncAnswer } from '../api/blocked-ips-bulk.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { ReloadRecord } from '../api/configuration.ts';
import type { EndedOperation } from '../api/ended-operation.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { BulkOperation, PlainEvents } from './event-types.ts';

interface Requester {
  readonly keyName: string;
  readonly requestId: string;
}

/** `operation`: the verb of the audit log. `subject`: what it was about, in the field names of the log. */
interface Done<Verb extends string, Subject = object> {
  readonly operation: Verb;
  readonly caller: Requester;
  readonly subject: Subject;
}

/** An operation of the service itself, with its audit rows. */
interface OwnDone<Verb extends string, Subject = object> extends Omit<Done<Verb, Subject>, 'caller'> {
  readonly caller: null;
  readonly auditRows: readonly number[];
}

type Address = { readonly ip_address: string };
type ReadBack = { readonly report: RuntimeReport };
/** Whether every current worker was read back; null: not known. */
type ServedOutcome = { readonly runtime_updated: boolean | null };

export type EntryEffect =
  | {
      readonly op: 'add';
      readonly created: boolean;
      readonly row: Address & {
        readonly reason: string | null;
        readonly blocked_by: string | null;
        readonly expires_at: string | null;
      };
    }
  | {
      readonly op: 'remove' | 'expire';
      readonly removed: Address | null;
      /** Present: other claims keep the address blocked. */
      readonly stillClaimedBy?: readonly object[];
    };

export interface EntryTotals {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Addresses that lost a claim and are still blocked by others. Absent: none. */
  readonly still_claimed_total?: number;
}

/** An operation whose change is durable. */
export type DoneOperation =
  | (Done<'block' | 'unblock', Address> & ReadBack & { readonly effects: readonly EntryEffect[] })
  | (Done<BulkOperation, EntryTotals & { readonly rejected_total: number }> &
      ReadBack & {
        /** Absent: they were only counted. */
        readonly effects?: readonly EntryEffect[] | undefined;
      })
  | (OwnDone<'expire', { readonly count: number }> & ReadBack & { readonly ip_addresses: readonly string[] })
  | (Done<'sync'> & { readonly answer: SyncAnswer })
  | (Done<'trust', Address> &
      ReadBack & { readonly created: boolean; readonly note: string | null; readonly expires_at: string | null })
  | (Done<'distrust', Address> & ReadBack)
  | (OwnDone<'expire_trust', Address> & ReadBack)
  | (Done<'set_site', { readonly domain: string }> & { readonly created: boolean })
  | Done<'remove_site' | 'set_site_tls', { readonly domain: string }>
  | (Done<'set_certificate', { readonly certificate: string }> &
      ServedOutcome & {
        readonly created: boolean;
        readonly names: readonly string[];
        readonly not_after: string;
        readonly sha256: string;
      })
  | (Done<'remove_certificate', { readonly certificate: string }> &
      ServedOutcome & { readonly names: readonly string[] })
  | (Done<'verify_certificate', { readonly certificate: string }> & ServedOutcome)
  | Done<'request_certificate' | 'renew_certificate' | 'stop_renewal', { readonly certificate: string }>
  | (Done<'set_upstream', { readonly upstream: string }> &
      ReadBack & { readonly created: boolean; readonly networks: number })
  | (Done<'remove_upstream', { readonly upstream: string }> & ReadBack)
  | Done<
      'create_key',
      { readonly name: string; readonly scopes: readonly string[]; readonly expires_at: string | null }
    >
  | Done<'bind_key', { readonly name: string; readonly source: string }>
  | Done<'set_source' | 'release' | 'keep', { readonly source: string }>
  | (Done<'remove_source', { readonly source: string; readonly removed: number }> & ReadBack)
  | (OwnDone<'drop_released', { readonly source: string; readonly removed: number }> & ReadBack)
  | Done<'revoke_key', { readonly name: string }>
  | (Done<'set_webhook', { readonly webhook: string }> & { readonly enabled: boolean })
  | Done<'remove_webhook', { readonly webhook: string }>
  | Done<'set_view' | 'remove_view', { readonly view: string }>
  | Done<'ignore_candidate', Address>
  | Done<'set_limits'>
  | (Done<'reload'> & { readonly reload: string })
  | (Done<'restore_backup', { readonly backup: string }> & { readonly reload: string })
  | Done<'sign_in' | 'sign_out', { readonly from: string }>;

export type ReloadPurpose = 'requested' | 'site' | 'upstream' | 'restore' | 'scheduled';

export interface Facts extends PlainEvents {
  /** Emitted in the order of the changes. */
  'operation.done': DoneOperation;
  /** The response to an operation is sent, also if it was refused or failed; not to a successful read or dry run. */
  'operation.answered': EndedOperation;
  /** Also a refused or failed one; not one that first needs consent. */
  'reload.ended': {
    readonly status: ReloadRecord['status'];
    readonly purpose: ReloadPurpose;
    readonly milliseconds: number;
  };
}

export type FactType = keyof Facts;
type Fact = { readonly [Type in FactType]: { readonly type: Type; readonly data: Facts[Type] } }[FactType];
/** Never throws, returns at once. */
export type Emit = <Type extends FactType>(type: Type, data: Facts[Type]) => void;
/** Returns at once. */
export type FactListener = (fact: Fact) => void;

export class FactBus {
  readonly #log: Log;
  readonly #listeners: FactListener[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  listen(listener: FactListener): void {
    this.#listeners.push(listener);
  }

  readonly emit: Emit = (type, data) => {
    for (const listener of this.#listeners) {
      try {
        listener({ type, data } as Fact);
      } catch (error) {
        this.#log.error('A listener of facts failed', { type, cause: causeText(error) });
      }
    }
  };
}
