import type { Transaction } from 'kysely';
import { type IpEntry, parseIp, sortKey } from '../domain/ip.ts';
import type { Upstream } from '../domain/upstream.ts';
import { type InvalidAction, invalidActions, type UpstreamHeader, upstreamHeaders } from '../domain/upstream-modes.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { Schema, UpstreamsTable } from './schema.ts';

export interface StoredUpstream extends Upstream {
  readonly preset: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When its networks were last given. */
  readonly networksAt: string;
}

/** The tables `upstreams` and `upstream_networks`: maintained by hand, so they are short. */
export class UpstreamsStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** In order of names. */
  async all(): Promise<StoredUpstream[]> {
    const rows = await this.#database.read.selectFrom('upstreams').selectAll().orderBy('name').execute();
    if (rows.length === 0) return [];
    const networks = await this.#database.read
      .selectFrom('upstream_networks')
      .select(['network', 'upstream'])
      .orderBy('sort_key')
      .execute();
    const byName = Map.groupBy(networks, ({ upstream }) => upstream);
    return rows.map((row) =>
      toUpstream(
        row,
        (byName.get(row.name) ?? []).map(({ network }) => network),
      ),
    );
  }

  async count(): Promise<number> {
    const { total } = await this.#database.read
      .selectFrom('upstreams')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  async put(upstream: StoredUpstream, now: Date, audited?: AuditedChange): Promise<void> {
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      await removeRows(transaction, upstream.name);
      await insert(transaction, upstream);
      return true;
    });
  }

  async remove(name: string, now: Date, audited?: AuditedChange): Promise<void> {
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      await removeRows(transaction, name);
      return true;
    });
  }
}

async function removeRows(transaction: Transaction<Schema>, name: string): Promise<void> {
  await transaction.deleteFrom('upstream_networks').where('upstream', '=', name).execute();
  await transaction.deleteFrom('upstreams').where('name', '=', name).execute();
}

async function insert(transaction: Transaction<Schema>, upstream: StoredUpstream): Promise<void> {
  const { name, preset, header, onInvalid, note, createdAt, updatedAt, networksAt, networks } = upstream;
  await transaction
    .insertInto('upstreams')
    .values({
      name,
      preset,
      header,
      chain: Number(upstream.chain),
      proxy_protocol: Number(upstream.proxyProtocol),
      on_invalid: onInvalid,
      note,
      created_at: createdAt,
      updated_at: updatedAt,
      networks_at: networksAt,
    })
    .execute();
  if (networks.length === 0) return;
  await transaction
    .insertInto('upstream_networks')
    .values(networks.map((entry) => ({ network: entry.text, sort_key: sortKey(entry), upstream: name })))
    .execute();
}

function toUpstream(row: UpstreamsTable, networks: readonly string[]): StoredUpstream {
  return {
    name: row.name,
    preset: row.preset,
    // A row that another program damaged makes no peer an upstream.
    networks: isReadable(row) ? networks.flatMap(readNetwork) : [],
    header: row.header as UpstreamHeader | null,
    chain: row.chain === 1,
    proxyProtocol: row.proxy_protocol === 1,
    onInvalid: row.on_invalid as InvalidAction,
    note: row.note,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    networksAt: row.networks_at,
  };
}

function readNetwork(text: string): IpEntry[] {
  const parsed = parseIp(text);
  return parsed.ok && parsed.entry.text === text ? [parsed.entry] : [];
}

function isReadable({ header, chain, proxy_protocol: proxyProtocol, on_invalid: onInvalid }: UpstreamsTable): boolean {
  if (!invalidActions.some((action) => action === onInvalid)) return false;
  if (header === null) return proxyProtocol === 1 && chain === 0 && onInvalid === 'reject';
  return upstreamHeaders.some((known) => known === header) && (chain === 0 || header === 'x-forwarded-for');
}
