// Generated from the OpenAPI document by `npm run generate:client`. Not to be edited.

export interface paths {
  '/api/blocked-ips': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listBlockedAddresses'];
    put: operations['replaceBlockedAddresses'];
    post: operations['blockAddress'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/blocked-ips/{ip_address}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getBlockedAddress'];
    put?: never;
    post?: never;
    delete: operations['unblockAddress'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/check/{ip_address}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['checkAddress'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/blocked-ips/batch': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['changeBlockedAddresses'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/blocked-ips/sync': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['syncBlockedAddresses'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trusted-ips': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listTrustedAddresses'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trusted-ips/{ip_address}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getTrustedAddress'];
    put: operations['trustAddress'];
    post?: never;
    delete: operations['distrustAddress'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sites': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listSites'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sites/{domain}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSite'];
    put: operations['setSite'];
    post?: never;
    delete: operations['removeSite'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sites/{domain}/servers': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listServers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/reload': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['reload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getConfig'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/validate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['validateConfig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/diff': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['diffConfig'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/reloads': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listReloads'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/reloads/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getReload'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/backups': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listBackups'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/config/backups/{id}/restore': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['restoreBackup'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/session': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSession'];
    put?: never;
    post: operations['signIn'];
    delete: operations['signOut'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listKeys'];
    put?: never;
    post: operations['createKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys/{name}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete: operations['revokeKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/audit': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listAudit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['streamEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listWebhooks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getWebhook'];
    put: operations['setWebhook'];
    post?: never;
    delete: operations['removeWebhook'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/livez': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getLiveness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getDescription'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getDocsPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}

export interface components {
  schemas: {
    /** One address or network a line. In a request `#` and `;` begin comments, and blank lines are nothing. */
    AddressLines: string;
    /** What an attached service sees of the configuration that HAProxy runs, and that others write. */
    Attached: {
      /** The files that HAProxy reads, in their order. */
      readonly files: readonly string[];
      /** As the current worker loaded them, as far as that is known. */
      readonly front_ends: readonly components['schemas']['FrontEnd'][];
      /** The files are not what the current worker loaded. */
      readonly changed_since_load: boolean;
      /** How the service reloads HAProxy: `master`, `never` or `systemd:UNIT`. */
      readonly reload_by: string;
    };
    /** A page of the audit. */
    AuditPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['AuditRecord'][];
      /** Ask for the next page with it; null on the last one. */
      readonly next_cursor: string | null;
    };
    /** Who did what, from where, with what outcome. */
    AuditRecord: {
      /** Counts up in the order of writing. */
      readonly id: number;
      /** When it was asked for. */
      readonly at: string;
      /** `block`, `unblock`, `batch`, `replace`, `sync`, `trust`, `distrust`, `set_site`, `remove_site`, `reload`, `restore_backup`, `create_key`, `revoke_key`, `set_webhook`, `remove_webhook`, `sign_in`, `sign_out`; by the service itself also `expire`, `expire_trust` and `import_map_file`; `read`: a look that was refused for want of a scope; `refusals` counts more than sixty a minute. */
      readonly operation: string;
      /** The name of the key; null: the service itself. */
      readonly key: string | null;
      /** The address of the peer, or `unix`; null: the service itself. */
      readonly source: string | null;
      /** The id of the request, as in `X-Request-Id`. */
      readonly request_id: string | null;
      /** The address or network, where it is about one. */
      readonly ip_address: string | null;
      /** What else it is about: a domain, the name of a key, an id. */
      readonly target: string | null;
      /** What was asked for, or what was there before; by the kind of operation. */
      readonly details: { readonly [name: string]: unknown } | null;
      /** `partly`: a sync whose running map does not match. `unknown`: not answered yet, or the service ended before it was told. */
      readonly outcome: 'done' | 'partly' | 'refused' | 'failed' | 'unknown';
      /** The HTTP status of the answer; null: nobody asked, or it is not known. */
      readonly status: number | null;
      /** The code of the problem document, where it was one. */
      readonly code: number | null;
      /** When it was answered. */
      readonly finished_at: string | null;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean | null;
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number | null;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean | null;
      /** Counts of the answer, and the id of its reload. */
      readonly result: { readonly [name: string]: unknown } | null;
    };
    /** A backup set. */
    Backup: {
      /** Its id. */
      readonly id: string;
      /** When it was made. */
      readonly created_at: string;
      /** SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
      /** Why it was made. */
      readonly reason: string;
      /** What was noted; null where nothing was. */
      readonly note: string | null;
      /** Who wrote its configuration; one of each that `other` wrote is never pruned. Null: a set of an older version. */
      readonly written_by: 'proxy-manager' | 'other' | null;
      /** Files that the configuration names; restored with it. */
      readonly files: readonly components['schemas']['BackupFile'][];
      /** Copies of map files, for reading only: a restore never brings them back. */
      readonly maps: readonly components['schemas']['BackupMap'][];
    };
    /** A file that the configuration names; restored with it. */
    BackupFile: {
      /** Its name in the set. */
      readonly name: string;
      /** Where it belongs. */
      readonly path: string;
      /** SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
    };
    /** A copy of a map file, for reading only. */
    BackupMap: {
      /** Its name in the set. */
      readonly name: string;
      /** What it is a copy of. */
      readonly path: string;
      /** Its length in bytes. */
      readonly bytes: number;
    };
    /** All backup sets. */
    Backups: {
      /** The entries. */
      readonly items: readonly components['schemas']['Backup'][];
    };
    /** What to block and what to unblock. */
    BatchRequest: {
      /** What to block. */
      readonly add?: readonly (string | components['schemas']['BlockRequest'])[];
      /** What to unblock. */
      readonly remove?: readonly (string | components['schemas']['UnblockRequest'])[];
    };
    /** What it has stored so far. The running map may lack of the one, and still hold the other, until it ends. */
    BigChange: {
      /** How many addresses are blocked by it so far. */
      readonly added: number;
      /** How many addresses are not blocked any more. */
      readonly removed: number;
    };
    /** The entry as it is now, and what was seen at the workers. */
    BlockAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why; null where nobody said. */
      readonly reason: string | null;
      /** Who or what blocked it; null where nobody said. */
      readonly blocked_by: string | null;
      /** Since when. */
      readonly blocked_at: string;
      /** Until when; null: for good. */
      readonly expires_at: string | null;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
      /** The special range that the entry lies in; absent where it lies in none. */
      readonly special?:
        | 'this-network'
        | 'private'
        | 'shared'
        | 'loopback'
        | 'link-local'
        | 'multicast'
        | 'unique-local';
      /** Trusted entries that win over this block; absent where there are none. */
      readonly overridden_by?: readonly string[];
      /** Trusted entries inside this network, the first 100; absent where there are none. */
      readonly trusted_inside?: readonly string[];
    };
    /** Why the entry is not blocked; which members are there depends on `code`. */
    BlockConflictMembers: {
      /** Trusted entries that hold the address (6007). */
      readonly overridden_by?: readonly string[];
      /** The wide network (6030). */
      readonly ip_address?: string;
      /** Special ranges that it contains whole (6030). */
      readonly contains?: readonly string[];
      /** How many entries there are. */
      readonly current_total?: number;
      /** How many there would have been (6031). */
      readonly would_be?: number;
      /** How many entries the set takes at most (6031). */
      readonly limit?: number;
    };
    /** What to block, why, and until when. */
    BlockRequest: {
      /** What to block. An IP address or network. */
      readonly ip_address: string;
      /** Why. One line of text of at most 500 characters, without control characters, or null. */
      readonly reason?: string | null;
      /** Who or what blocks it. One line of text of 1 to 100 characters, without control characters. */
      readonly blocked_by?: string;
      /** Until when. Excludes `duration_seconds`. A time with its zone such as 2030-01-31T12:00:00Z, or null for good. */
      readonly expires_at?: string | null;
      /** For how many seconds from now. Excludes `expires_at`. A whole number from 1 to 3155760000. */
      readonly duration_seconds?: number;
      /** Stores it although a trusted entry covers it. Needs the scope `admin`. True or false. */
      readonly force?: boolean;
      /** Blocks a network wider than /8 (IPv6: /16), or one that contains a whole special range. Needs the scope `admin`. True or false. */
      readonly allow_wide?: boolean;
    };
    /** An entry of the blocked set. */
    BlockedIp: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why; null where nobody said. */
      readonly reason: string | null;
      /** Who or what blocked it; null where nobody said. */
      readonly blocked_by: string | null;
      /** Since when. */
      readonly blocked_at: string;
      /** Until when; null: for good. */
      readonly expires_at: string | null;
    };
    /** An entry of the blocked set, and who holds it. */
    BlockedIpDetail: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why; null where nobody said. */
      readonly reason: string | null;
      /** Who or what blocked it; null where nobody said. */
      readonly blocked_by: string | null;
      /** Since when. */
      readonly blocked_at: string;
      /** Until when; null: for good. */
      readonly expires_at: string | null;
      /** Each live worker of the proxy. */
      readonly workers: readonly components['schemas']['WorkerHolding'][];
    };
    /** A page of the blocked set. */
    BlockedIpPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['BlockedIp'][];
      /** Ask for the next page with it; null on the last one. */
      readonly next_cursor: string | null;
      /** How many there are in all. */
      readonly total: number;
    };
    /** What a big change did, and what was seen at the workers. */
    BulkAnswer: {
      /** How many entries are new. */
      readonly added: number;
      /** How many entries existed and had a field changed. */
      readonly updated: number;
      /** How many entries are gone. */
      readonly removed: number;
      /** How many were left exactly as they were, or had no entry to be removed. */
      readonly unchanged: number;
      /** How many lines or elements were not applied. */
      readonly rejected_total: number;
      /** The first 1,000 of them. */
      readonly rejected: readonly components['schemas']['Rejection'][];
      /** Accepted entries inside a special range, the first 100; absent where there are none. */
      readonly special?: readonly components['schemas']['SpecialEntry'][];
      /** How many they are; absent where there are none. */
      readonly special_total?: number;
      /** Those of `remove` that had no entry of their own; absent where nothing was to be removed, and where they are only counted (`unchanged`), as with more than 1,000 at once. */
      readonly not_blocked?: readonly string[];
      /** Addresses of `remove` that a blocked network still covers, the first 100; absent where nothing was to be removed. */
      readonly still_blocked?: readonly components['schemas']['StillBlocked'][];
      /** How many they are; absent where nothing was to be removed. */
      readonly still_blocked_total?: number;
      /** Nothing was changed: the counts are what the request would do now. */
      readonly dry_run?: true;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
    };
    /** What happens to a client with this address. */
    CheckAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** What happens to the client: `blocked` is 403, `trusted` is never denied. `partly`: a network that no entry covers whole, with blocked entries inside. */
      readonly verdict: 'blocked' | 'trusted' | 'allowed' | 'partly';
      /** The entry that decides; null where none does. */
      readonly by: string | null;
      /** What that entry says about itself. */
      readonly reason: string | null;
      /** When that entry ends; null: never, or there is none. */
      readonly expires_at: string | null;
      /** Every live worker was seen to say the same; false: one says otherwise; null: none could be asked, or the verdict is `partly`. */
      readonly enforced: boolean | null;
      /** Blocked entries inside a network that no entry covers, the first 100 in the order of addresses. */
      readonly blocked_inside: readonly string[];
      /** How many they are. */
      readonly blocked_inside_total: number;
      /** Each worker that could be asked. */
      readonly workers: readonly components['schemas']['WorkerVerdict'][];
    };
    /** Entries of this request that are stored in database and map file. */
    CommittedCounts: {
      /** How many entries are new. */
      readonly added: number;
      /** How many entries had a field changed. */
      readonly updated: number;
      /** How many entries are gone. */
      readonly removed: number;
    };
    /** What of a change that failed is durable; absent where nothing is and the cause is known. */
    CommittedMembers: {
      /** What of the request is durable. */
      readonly committed?: components['schemas']['CommittedCounts'];
    };
    /** What a reload would change. */
    ConfigDiff: {
      /** There is a difference. */
      readonly changed: boolean;
      /** A unified diff. */
      readonly diff: string;
      /** Who wrote the live text: `rendered` from the template, `restored` from a backup, or `other`: written or edited by hand; null: there is none yet. */
      readonly live: 'rendered' | 'restored' | 'other' | null;
      /** A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`. */
      readonly needs_replace_configuration: boolean;
    };
    /** Whether the live configuration is what sites, settings and template give now. It does not degrade the status: blocking is enforced all the same. */
    ConfigurationDrift: {
      /** `drift`: they differ, and `GET /api/config/diff` says how; `unknown`: it could not be rendered or read. */
      readonly status: 'none' | 'drift' | 'unknown';
      /** Who wrote the live text: `rendered` from the template; `restored` from a backup; `other`: written or edited by hand. The last two are replaced only with `replace_configuration=true`. Null: there is none, or it is not known. */
      readonly live: 'rendered' | 'restored' | 'other' | null;
      /** The id of the backup that was restored; null: none was. */
      readonly backup: string | null;
      /** How many lines a reload would add; null: not known. */
      readonly added: number | null;
      /** How many lines a reload would remove; null: not known. */
      readonly removed: number | null;
      /** Why it is not known; the full text is for `admin` keys. */
      readonly reason: string | null;
    };
    /** What covers an address that has no entry of its own. */
    CoveredMembers: {
      /** Networks of the blocked set that hold the address. */
      readonly covered_by: readonly string[];
    };
    /** The live configuration. */
    CurrentConfig: {
      /** The text. */
      readonly text: string;
      /** SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
      /** The path of the file. */
      readonly path: string;
    };
    /** The database. */
    DatabaseHealth: {
      /** Whether it was read and written; `unknown`: it did not answer in time. */
      readonly status: 'ok' | 'down' | 'unknown';
      /** Why not; null when all is well. */
      readonly reason: string | null;
    };
    /** What was taken out, and what was seen at the workers. */
    DistrustAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
    };
    /** A worker that only finishes what it has begun. */
    DrainingWorkerSync: {
      /** The process id of the worker. */
      readonly pid: number;
      /** It was seen to hold what the database holds. */
      readonly synced: boolean;
      /** Why not; absent where it does. */
      readonly reason?: string;
    };
    /** The session that has ended. */
    EndedSession: {
      /** How log lines name its key. */
      readonly name: string;
    };
    /** Server-sent events. The data of each is JSON on one line: `id`, `type`, `at`, and `data` by the type; docs/events.md of the project has them all. */
    EventStream: string;
    /** One field of the request and what is wrong with it. */
    FieldError: {
      /** The field, such as `servers[0].port`. */
      readonly name: string;
      /** What is wrong with it, and what would be right. */
      readonly description: string;
    };
    /** A frontend or listen section that binds an address. */
    FrontEnd: {
      /** Its name. */
      readonly name: string;
      /** File and line of its section. */
      readonly place: string;
      /** HAProxy's word for it: `http`, `tcp` and others. */
      readonly mode: string;
      /** It denies what the blocked map holds. One without a rule that is not open degrades the status. */
      readonly has_rule: boolean;
      /** File and line of what may answer requests before that; null: nothing does. With `has_rule: false` it keeps a rule that is there from counting; with `has_rule: true` it does not degrade the status. */
      readonly answered_before: string | null;
      /** It is to have no rule: `PROXY_MANAGER_OPEN_FRONT_ENDS` names it. */
      readonly open: boolean;
    };
    /** The truth about the whole. */
    Health: {
      /** `ok`; `degraded`: blocking may not be enforced somewhere, or something could not be looked at in time; `down`: no database, or no worker. */
      readonly status: 'ok' | 'degraded' | 'down';
      /** What is wrong, a sentence each; empty when all is well. */
      readonly reasons: readonly string[];
      /** The database. */
      readonly database: components['schemas']['DatabaseHealth'];
      /** The master socket of the proxy. */
      readonly master_socket: components['schemas']['MasterSocketHealth'];
      /** The workers of the proxy. */
      readonly workers: components['schemas']['WorkersHealth'];
      /** The map files. */
      readonly map_file: components['schemas']['MapFileHealth'];
      /** The current worker's map of blocked addresses. */
      readonly runtime_map: components['schemas']['RuntimeMapHealth'];
      /** The last reload since the service started; null: there was none. */
      readonly last_reload: components['schemas']['LastReload'] | null;
      /** Whether the live configuration is what sites, settings and template give now; null: the service is attached. */
      readonly configuration_drift: components['schemas']['ConfigurationDrift'] | null;
      /** The configuration that others write, where the service is attached; null: it is not. */
      readonly attached: components['schemas']['Attached'] | null;
      /** The map of trusted addresses. */
      readonly trusted_map: components['schemas']['TrustedMapHealth'];
      /** The reload that follows by itself; null: none does. */
      readonly scheduled_reload: components['schemas']['ScheduledReload'] | null;
      /** Versions. */
      readonly versions: components['schemas']['Versions'];
    };
    /** A key, without the key itself. */
    Key: {
      /** How log lines name it. */
      readonly name: string;
      /** What it may do; `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** When it was made. */
      readonly created_at: string;
      /** Until when it is valid; null: for good. */
      readonly expires_at: string | null;
      /** When it was revoked; null: it was not. */
      readonly revoked_at: string | null;
      /** When it was last used, to within a minute; null: never. */
      readonly last_used_at: string | null;
    };
    /** The key to make. */
    KeyRequest: {
      /** How lists and log lines name it. A name of 1 to 64 letters, digits, points, dashes and underscores, beginning with a letter or digit. */
      readonly name: string;
      /** What it may do; absent: `["admin"]`. A list of different scopes of read, block, admin. */
      readonly scopes?: readonly ('read' | 'block' | 'admin')[];
      /** Until when it is valid. A time with its zone such as 2030-01-31T12:00:00Z, or null for never. */
      readonly expires_at?: string | null;
    };
    /** All keys. */
    Keys: {
      /** The entries. */
      readonly items: readonly components['schemas']['Key'][];
    };
    /** The last reload since the service started. */
    LastReload: {
      /** Its id in the history. */
      readonly id: string;
      /** What came of it. */
      readonly status: 'completed' | 'refused' | 'failed';
      /** When it ended. */
      readonly finished_at: string;
      /** Why it did not complete; null where it did, and for a key below `admin`. */
      readonly error: string | null;
      /** The code of the error; null where it completed. */
      readonly error_code: number | null;
    };
    /** The map files. */
    MapFileHealth: {
      /** `behind`: not what was written, or not what it should be; `unknown`: it could not be looked at in time. */
      readonly status: 'ok' | 'behind' | 'unknown';
      /** What is wrong; null when all is well. */
      readonly reason: string | null;
      /** How many addresses the map file of the blocked ones holds. */
      readonly entries: number;
    };
    /** The master socket of the proxy. */
    MasterSocketHealth: {
      /** Whether it answered; `unknown`: it could not be asked in time. */
      readonly status: 'ok' | 'down' | 'unknown';
      /** Why not; null when all is well. */
      readonly reason: string | null;
      /** Since when it counts as down; null when it does not. */
      readonly since: string | null;
    };
    /** A new key. */
    NewKey: {
      /** How log lines name it. */
      readonly name: string;
      /** What it may do; `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** When it was made. */
      readonly created_at: string;
      /** Until when it is valid; null: for good. */
      readonly expires_at: string | null;
      /** When it was revoked; null: it was not. */
      readonly revoked_at: string | null;
      /** When it was last used, to within a minute; null: never. */
      readonly last_used_at: string | null;
      /** The key itself. It is not kept, and cannot be shown again. */
      readonly key: string;
    };
    /** A new session. */
    NewSession: {
      /** How log lines name the key. */
      readonly name: string;
      /** What it may do; `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** Until when the key is valid; null: for good. */
      readonly expires_at: string | null;
      /** Where the request came from; null: over a unix socket. */
      readonly client_address: string | null;
      /** The same, where trusting it trusts this client alone as far as the service can know; null for loopback, an address of the machine itself, and a request that a proxy has passed on. */
      readonly trustable_address: string | null;
      /** When the session ends at the latest; null: the request has a key and no session. */
      readonly session_ends_at: string | null;
      /** The bearer token of the session. It is not kept, and cannot be shown again. */
      readonly token: string;
    };
    /** An OpenAPI 3.1 document. */
    OpenApiDocument: { readonly [name: string]: unknown };
    /** The same as OpenMetrics: counters are named without `_total` in their heads, and the last line is `# EOF`. */
    OpenMetricsText: string;
    /** A page of HTML. */
    Page: string;
    /** An error (RFC 9457). Callers look at `code`; people read `detail`. Some have members of their own beside these, which the operation names. */
    Problem: {
      /** Names the code and nothing else, so it is stable; it cannot be fetched. */
      readonly type: string;
      /** The same words for every error of this code. */
      readonly title: string;
      /** The HTTP status. */
      readonly status: number;
      /** What happened to which thing, why, and what to do. */
      readonly detail: string;
      /** A number that names one kind and one message, for good. */
      readonly code:
        | 100
        | 101
        | 102
        | 103
        | 104
        | 105
        | 106
        | 107
        | 108
        | 401
        | 403
        | 404
        | 409
        | 500
        | 1000
        | 1002
        | 1100
        | 3000
        | 3001
        | 3002
        | 3003
        | 5000
        | 5001
        | 5002
        | 5003
        | 6000
        | 6001
        | 6002
        | 6003
        | 6004
        | 6005
        | 6006
        | 6007
        | 6008
        | 6009
        | 6010
        | 6011
        | 6012
        | 6013
        | 6014
        | 6015
        | 6020
        | 6030
        | 6031
        | 6032
        | 6033
        | 6034;
      /** The family of the code, one word. */
      readonly kind: string;
      /** The operation that failed. */
      readonly op: string;
      /** The fields of the request that were refused; empty where it is not about fields. */
      readonly errors: readonly components['schemas']['FieldError'][];
      /** The id of the request, as in `X-Request-Id`. */
      readonly request_id: string;
    };
    /** Lines of `name{label="value"} number`, with `# HELP` and `# TYPE` before each metric. */
    PrometheusText: string;
    /** The same error as `errors.v1.ApiError`, with `Accept: application/x-protobuf`; as `errors.v1.Err` with `Accept: application/x-protobuf; messageType="errors.v1.Err"`. The messages are in `proto/` of the project. */
    ProtobufError: string;
    /** A line or element that was not applied. */
    Rejection: {
      /** Of a text, counted from 1. */
      readonly line?: number;
      /** Of a batch: which of its lists. */
      readonly list?: 'add' | 'remove';
      /** Of a list, counted from 0. */
      readonly index?: number;
      /** What was sent, or its beginning. */
      readonly value: string;
      /** What is wrong with it, and what would be right. */
      readonly why: string;
      /** Of an element that is well formed: 6007, covered by trust (`force`), or 6030, a wide network (`allow_wide`). */
      readonly code?: number;
    };
    /** What a safe reload did. */
    ReloadAnswer: {
      /** Its id in the history. */
      readonly id: string;
      /** A reload that did not complete is a problem. */
      readonly status: 'completed';
      /** Why: who asked, or what made it necessary. */
      readonly reasons: readonly string[];
      /** The live configuration is another one than before. */
      readonly changed: boolean;
      /** The backup of what was live before, an older one where that is the same; null where there was nothing to back up. */
      readonly backup: string | null;
      /** The pid of the worker before; null when there was none. */
      readonly worker_before: number | null;
      /** The pid of the worker that the reload made; null when there was none. */
      readonly worker_after: number | null;
      /** How long it took, in milliseconds. */
      readonly duration_ms: number;
      /** What did not keep the reload from being made, and is worth a look. */
      readonly warnings: readonly string[];
    };
    /** What was done before the reload failed, and undone after it. */
    ReloadMembers: {
      /** The id of the reload in the history. */
      readonly id?: string;
      /** Why: who asked, or what made it necessary. */
      readonly reasons?: readonly string[];
      /** The backup that was made before; null when it did not come so far. */
      readonly backup?: string | null;
      /** The proxy's own messages, or the template's. */
      readonly output?: string;
      /** The line of the template. */
      readonly line?: number;
      /** The last known good configuration is back in force. */
      readonly restored?: boolean;
      /** Why it is not, when that is so. */
      readonly restore_failure?: string;
      /** The pid of the worker before; null when there was none. */
      readonly worker_before?: number | null;
      /** The pid of the worker that the reload made; null when there was none. */
      readonly worker_after?: number | null;
      /** How long it took, in milliseconds. */
      readonly duration_ms?: number;
    };
    /** A page of the history. */
    ReloadPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['ReloadRecord'][];
      /** Ask for the next page with it; null on the last one. */
      readonly next_cursor: string | null;
    };
    /** A reload of the history. */
    ReloadRecord: {
      /** Its id. */
      readonly id: string;
      /** What came of it; `refused`: by the template or by the check of the proxy; `failed`: it was not confirmed, or something else failed. */
      readonly status: 'completed' | 'refused' | 'failed';
      /** Why: who asked, or what made it necessary. */
      readonly reasons: readonly string[];
      /** The configuration differed from the live one; null: it never came so far. */
      readonly changed: boolean | null;
      /** The proxy's own messages, or the template's; null where there were none. */
      readonly validation_output: string | null;
      /** Why it did not complete; null where it did. */
      readonly error: string | null;
      /** The id of the backup that was made before; null where there was none. */
      readonly backup: string | null;
      /** The pid of the worker before; null when there was none. */
      readonly worker_before: number | null;
      /** The pid of the worker that the reload made; null when there was none. */
      readonly worker_after: number | null;
      /** What did not keep the reload from being made, and is worth a look. */
      readonly warnings: readonly string[];
      /** When it began. */
      readonly started_at: string;
      /** When it ended. */
      readonly finished_at: string | null;
    };
    /** What the refused change would have done; which members are there depends on `code`. */
    ReplaceConflictMembers: {
      /** How many entries would have gone (6006). */
      readonly would_remove?: number;
      /** How many entries there are. */
      readonly current_total?: number;
      /** How many there would have been (6031). */
      readonly would_be?: number;
      /** How many entries the set takes at most (6031). */
      readonly limit?: number;
    };
    /** One worker that was not seen to be right for one address. */
    RuntimeMapFailure: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The pid; null when none could be addressed. */
      readonly worker: number | null;
      /** The command that was sent. */
      readonly command: string;
      /** What the worker said, line for line. */
      readonly responses: readonly string[];
      /** What was wrong with it. */
      readonly reason: string;
    };
    /** The current worker's map of blocked addresses. */
    RuntimeMapHealth: {
      /** How many entries it should hold. */
      readonly expected: number;
      /** How many it holds; null when it could not be asked. */
      readonly seen: number | null;
      /** The list or large batch that is being applied; null: none is. */
      readonly big_change: components['schemas']['BigChange'] | null;
      /** When it was last seen to be right, entry by entry; null: not yet. */
      readonly last_verified_at: string | null;
    };
    /** A reload that follows by itself. */
    ScheduledReload: {
      /** Why: who asked, or what made it necessary. */
      readonly reasons: readonly string[];
      /** Since when. */
      readonly since: string;
      /** How often it was tried. */
      readonly attempts: number;
    };
    /** What the key lacks. */
    ScopeMembers: {
      /** The scope that the key needs. */
      readonly missing_scope?: 'read' | 'block' | 'admin';
    };
    /** One server of a site. */
    Server: {
      /** A host name or an IP address. */
      readonly address: string;
      /** The TCP port. */
      readonly port: number;
      /** How the proxy treats it; absent: as the defaults say. */
      readonly options?: components['schemas']['ServerOptions'];
    };
    /** How the proxy treats a server. */
    ServerOptions: {
      /** Share of the requests against the others; 0 takes none. */
      readonly weight?: number;
      /** Used only when every other server is down. */
      readonly backup?: boolean;
      /** How many connections it takes at once. */
      readonly max_connections?: number;
      /** Whether its health is checked; true where nobody said. */
      readonly check?: boolean;
      /** TLS to the server: `none`, with its certificate verified, or with any certificate (`insecure`). */
      readonly ssl?: 'none' | 'verify' | 'insecure';
    };
    /** How the proxy treats a server. */
    ServerOptionsRequest: {
      /** Share of the requests against the others; 0 takes none. */
      readonly weight?: number;
      /** Used only when every other server is down. */
      readonly backup?: boolean;
      /** How many connections it takes at once. */
      readonly max_connections?: number;
      /** Whether its health is checked; true where nobody said. */
      readonly check?: boolean;
      /** TLS to the server: `none`, with its certificate verified, or with any certificate (`insecure`). */
      readonly ssl?: 'none' | 'verify' | 'insecure';
    };
    /** One server of a site. */
    ServerRequest: {
      /** A host name or an IP address. A host name or an IP address. */
      readonly address: string;
      /** The TCP port. A whole number from 1 to 65535. */
      readonly port: number;
      /** How the proxy treats it; absent: as the defaults say. An object of server options. */
      readonly options?: components['schemas']['ServerOptionsRequest'];
    };
    /** One server as the proxy sees it. */
    ServerState: {
      /** A host name or an IP address. */
      readonly address: string;
      /** The TCP port. */
      readonly port: number;
      /** The proxy's own word (`UP`, `DOWN`, `MAINT`, `no check`, …); null when the proxy could not be asked. */
      readonly status: string | null;
      /** What the last health check said (`L4OK`, `L4CON`, …); null without checks. */
      readonly check: string | null;
      /** Address and port in use; null while a name is not resolved. */
      readonly resolved_address: string | null;
    };
    /** The servers of a site as the proxy sees them. */
    ServerStates: {
      /** The entries. */
      readonly items: readonly components['schemas']['ServerState'][];
    };
    /** The key of the request. */
    Session: {
      /** How log lines name it. */
      readonly name: string;
      /** What it may do; `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** Until when the key is valid; null: for good. */
      readonly expires_at: string | null;
      /** Where the request came from; null: over a unix socket. */
      readonly client_address: string | null;
      /** The same, where trusting it trusts this client alone as far as the service can know; null for loopback, an address of the machine itself, and a request that a proxy has passed on. */
      readonly trustable_address: string | null;
      /** When the session ends at the latest; null: the request has a key and no session. */
      readonly session_ends_at: string | null;
    };
    /** The size of the set and its maximum. */
    SetFullMembers: {
      /** How many entries there are. */
      readonly current_total?: number;
      /** How many there would have been (6031). */
      readonly would_be?: number;
      /** How many entries the set takes at most (6031). */
      readonly limit?: number;
    };
    /** A site as it is stored. */
    Site: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The servers, at least one. Two never have the same address and port. */
      readonly servers: readonly components['schemas']['Server'][];
      /** When it was made. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
    };
    /** The site as it is now, and the reload that made it live. */
    SiteAnswer: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The servers, at least one. Two never have the same address and port. */
      readonly servers: readonly components['schemas']['Server'][];
      /** When it was made. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** The configuration in force has something for the site; false: it is stored, and the template does not use the sites. */
      readonly served: boolean;
      /** The safe reload that made it live. */
      readonly reload: components['schemas']['ReloadAnswer'];
    };
    /** The name of the site, and the reload that took it away. */
    SiteRemoved: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The safe reload that made it live. */
      readonly reload: components['schemas']['ReloadAnswer'];
    };
    /** What the proxy is to serve under this name. */
    SiteRequest: {
      /** The servers, at least one. Two never have the same address and port. A list of 1 to 100 servers. */
      readonly servers: readonly components['schemas']['ServerRequest'][];
    };
    /** All sites. */
    Sites: {
      /** The entries. */
      readonly items: readonly components['schemas']['Site'][];
      /** How many there are in all. */
      readonly total: number;
    };
    /** An entry inside a range that is not part of the public internet. */
    SpecialEntry: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The special range that the entry lies in; absent where it lies in none. */
      readonly special:
        | 'this-network'
        | 'private'
        | 'shared'
        | 'loopback'
        | 'link-local'
        | 'multicast'
        | 'unique-local';
    };
    /** An address without an entry of its own that is blocked all the same. */
    StillBlocked: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The narrowest blocked network that covers it. */
      readonly by: string;
    };
    /** What was compared, repaired and is still wrong. */
    SyncAnswer: {
      /** The current worker was seen to hold what the database holds, and no other one was starting to take its place. */
      readonly runtime_map_synced: boolean;
      /** How many entries the database holds. */
      readonly total_ips: number;
      /** How many were missing in the current worker and were put in. */
      readonly added: number;
      /** How many were too many in the current worker and were taken out. */
      readonly removed: number;
      /** What is still missing, the first 100. */
      readonly missing_ips: readonly string[];
      /** What is still too many, the first 100. */
      readonly unexpected_ips: readonly string[];
      /** What still has another value than 1, the first 100. */
      readonly wrong_value_ips: readonly string[];
      /** What still appears twice, the first 100. */
      readonly duplicate_ips: readonly string[];
      /** The workers that only finish what they have begun. */
      readonly draining_workers: readonly components['schemas']['DrainingWorkerSync'][];
      /** The map file was written. */
      readonly map_file_updated: boolean;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
      /** How long it took, in milliseconds. */
      readonly duration_ms: number;
      /** Why the running map could not be read or repaired; absent where it could. */
      readonly reason?: string;
    };
    /** The entry as it is now, and what was seen at the workers. */
    TrustAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** What was noted; null where nothing was. */
      readonly note: string | null;
      /** Since when. */
      readonly added_at: string;
      /** Until when; null: for good. */
      readonly expires_at: string | null;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
    };
    /** The note and expiry of a trusted address. */
    TrustRequest: {
      /** Why it is trusted. One line of text of at most 500 characters, without control characters, or null. */
      readonly note?: string | null;
      /** When it expires; null: never. Excludes `duration_seconds`. A time with its zone such as 2030-01-31T12:00:00Z, or null for good. */
      readonly expires_at?: string | null;
      /** For how many seconds from now. Excludes `expires_at`. A whole number from 1 to 3155760000. */
      readonly duration_seconds?: number;
    };
    /** A trusted address or network. */
    TrustedIp: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** What was noted; null where nothing was. */
      readonly note: string | null;
      /** Since when. */
      readonly added_at: string;
      /** Until when; null: for good. */
      readonly expires_at: string | null;
    };
    /** All that is trusted. */
    TrustedIps: {
      /** The entries. */
      readonly items: readonly components['schemas']['TrustedIp'][];
      /** How many there are in all. */
      readonly total: number;
    };
    /** The map of trusted addresses. */
    TrustedMapHealth: {
      /** Every rule of the live configuration that denies blocked addresses makes an exception for it; false: trusted addresses are denied like others; null: not known, the configuration could not be read or has no such rule. */
      readonly used: boolean | null;
      /** How many addresses and networks are trusted. */
      readonly entries: number;
    };
    /** What was taken out, and what was seen at the workers. */
    UnblockAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Networks of the blocked set that cover it still. */
      readonly still_blocked_by: readonly string[];
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled: boolean;
    };
    /** What was found of an address that has no entry of its own. */
    UnblockMembers: {
      /** Networks of the blocked set that hold the address. */
      readonly covered_by?: readonly string[];
      /** A stray entry of it was found in a map, and removed. */
      readonly stray_removed?: boolean;
      /** Every live worker, draining ones too, was seen to be right. */
      readonly runtime_map_updated?: boolean;
      /** Which worker was not seen to be right for which address; the first 100. */
      readonly runtime_map_failures?: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total?: number;
      /** A reload follows by itself and enforces what was not seen. */
      readonly reload_scheduled?: boolean;
    };
    /** What to unblock. */
    UnblockRequest: {
      /** What to unblock. An IP address or network. */
      readonly ip_address: string;
    };
    /** What a dry run said. */
    ValidationAnswer: {
      /** The proxy takes it. */
      readonly valid: boolean;
      /** The proxy's own messages, or the template's. */
      readonly output: string;
      /** Of what was rendered, in lower-case hexadecimal digits; empty where it could not be. */
      readonly sha256: string;
      /** All that a reload would warn of before it begins, the warnings of HAProxy included. */
      readonly warnings: readonly string[];
      /** A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`. */
      readonly needs_replace_configuration: boolean;
    };
    /** Versions. */
    Versions: {
      /** Of this service. */
      readonly service: string;
      /** Of the proxy, as it prints it. */
      readonly proxy: string;
      /** A sentence when the version of the proxy is not one that the service is tested with; null otherwise. It does not degrade the status. */
      readonly untested: string | null;
    };
    /** A webhook, without its secret. */
    Webhook: {
      /** Its name. */
      readonly id: string;
      /** Where it is delivered to. */
      readonly url: string;
      /** The types of events it gets; null: all. */
      readonly events: readonly string[] | null;
      /** Whether it gets anything. */
      readonly enabled: boolean;
      /** When it was made. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When a delivery was received last; null: never yet. */
      readonly last_success_at: string | null;
      /** Why a delivery failed last; null: none did. */
      readonly last_error: string | null;
      /** When that was. */
      readonly last_error_at: string | null;
      /** When the delivery under way is tried again; null: it has not failed. */
      readonly next_attempt_at: string | null;
      /** Since when the delivery under way fails, or, after one was given up, since then; null: it has not failed. */
      readonly failing_since: string | null;
      /** How many events wait. */
      readonly pending: number;
      /** How many were given up or dropped; the next delivery tells its receiver so. Dropped ones are of any type. */
      readonly missed: number;
    };
    /** The webhook, with its secret when one was made. */
    WebhookAnswer: {
      /** Its name. */
      readonly id: string;
      /** Where it is delivered to. */
      readonly url: string;
      /** The types of events it gets; null: all. */
      readonly events: readonly string[] | null;
      /** Whether it gets anything. */
      readonly enabled: boolean;
      /** When it was made. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When a delivery was received last; null: never yet. */
      readonly last_success_at: string | null;
      /** Why a delivery failed last; null: none did. */
      readonly last_error: string | null;
      /** When that was. */
      readonly last_error_at: string | null;
      /** When the delivery under way is tried again; null: it has not failed. */
      readonly next_attempt_at: string | null;
      /** Since when the delivery under way fails, or, after one was given up, since then; null: it has not failed. */
      readonly failing_since: string | null;
      /** How many events wait. */
      readonly pending: number;
      /** How many were given up or dropped; the next delivery tells its receiver so. Dropped ones are of any type. */
      readonly missed: number;
      /** The secret that was made, shown this once; null: it had one, or it was given. */
      readonly secret: string | null;
    };
    /** The webhook that is gone. */
    WebhookRemoved: {
      /** Its name. */
      readonly id: string;
    };
    /** The webhook to set. */
    WebhookRequest: {
      /** Where it is delivered to. No user and no password in it; redirects are not followed. A URL of http or https. */
      readonly url: string;
      /** The types of events it gets; absent or null: all. A list of different types of events, or null for all. */
      readonly events?: readonly string[] | null;
      /** What deliveries are signed with. A secret such as whsec_ and 32 bytes in base64. */
      readonly secret?: string;
      /** Absent: true. While it is not, nothing is kept for it. True or false. */
      readonly enabled?: boolean;
    };
    /** All webhooks. */
    Webhooks: {
      /** The entries. */
      readonly items: readonly components['schemas']['Webhook'][];
    };
    /** Everything that is to be blocked. */
    WholeSet: readonly (string | components['schemas']['BlockRequest'])[];
    /** One worker of the proxy. */
    WorkerHealth: {
      /** The process id of the worker. */
      readonly pid: number;
      /** Both of its maps were seen to be right. */
      readonly whole: boolean;
      /** What they lack; null when they are right. */
      readonly reason: string | null;
    };
    /** Whether one worker holds the entry. */
    WorkerHolding: {
      /** The process id of the worker. */
      readonly pid: number;
      /** It only finishes what it has begun. */
      readonly draining: boolean;
      /** It holds the entry; null: it could not be asked. */
      readonly holds: boolean | null;
    };
    /** What one worker does with this address. */
    WorkerVerdict: {
      /** The process id of the worker. */
      readonly pid: number;
      /** What it does with this address. */
      readonly verdict: 'blocked' | 'trusted' | 'allowed';
    };
    /** The workers of the proxy. */
    WorkersHealth: {
      /** The one that takes new connections; null when there is none. */
      readonly current: components['schemas']['WorkerHealth'] | null;
      /** Those that only finish what they have begun. */
      readonly draining: readonly components['schemas']['WorkerHealth'][];
    };
  };
  responses: {
    Unauthorized: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 401;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    Forbidden: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] &
          components['schemas']['ScopeMembers'] & {
            readonly code?: 403;
          };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    RequestTimeout: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6013;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    TooLarge: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6000;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    TooManyFailedKeys: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6001;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    Internal: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 500;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    UnsupportedMediaType: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6009;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    NotFound: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 1100;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    Attached: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6034;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    NotUnique: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 1002;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    Conflict: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 409;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    TooMuchAtOnce: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6015;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
  };
}

export interface operations {
  /** List what is blocked */
  listBlockedAddresses: {
    parameters: {
      query?: { limit?: number; cursor?: string; q?: string; text?: string; offset?: number; expiring?: boolean };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['BlockedIpPage'];
          'text/plain': components['schemas']['AddressLines'];
        };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 107 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Block an address or network */
  blockAddress: {
    parameters: { query?: { allow_wide?: boolean }; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['BlockRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BlockAnswer'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BlockAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 102 | 103 | 104;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['BlockConflictMembers'] & {
              readonly code?: 6007 | 6030 | 6031;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 500 | 6032;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 6002 | 6003 | 6004 | 6015;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Replace the whole set */
  replaceBlockedAddresses: {
    parameters: {
      query?: { allow_shrink?: boolean; allow_wide?: boolean; dry_run?: boolean };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'text/plain': components['schemas']['AddressLines'];
        'application/json': components['schemas']['WholeSet'];
      };
    };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BulkAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReplaceConflictMembers'] & {
              readonly code?: 6006 | 6031;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 500 | 6032;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 6002 | 6003 | 6004 | 6015;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Look at one blocked address or network */
  getBlockedAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BlockedIpDetail'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CoveredMembers'] & {
              readonly code?: 1100;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Unblock an address or network */
  unblockAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UnblockAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['UnblockMembers'] & {
              readonly code?: 1100;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 500 | 6032;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 6002 | 6003 | 6004 | 6015;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Say whether a client is let in, and why */
  checkAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CheckAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Block and unblock many at once */
  changeBlockedAddresses: {
    parameters: { query?: { allow_wide?: boolean; dry_run?: boolean }; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['BatchRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BulkAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['SetFullMembers'] & {
              readonly code?: 6031;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 500 | 6032;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CommittedMembers'] & {
              readonly code?: 6002 | 6003 | 6004 | 6015;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Bring map file and running maps in line with the database */
  syncBlockedAddresses: {
    parameters: { query?: { accept_map_file?: boolean }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SyncAnswer'] };
      };
      207: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SyncAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6006 | 6008;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6004 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List what is trusted */
  listTrustedAddresses: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TrustedIps'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Look at one trusted address or network */
  getTrustedAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TrustedIp'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 1100;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Trust an address or network */
  trustAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: { content: { 'application/json': components['schemas']['TrustRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TrustAnswer'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TrustAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 102 | 103 | 104;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6004 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Trust an address or network no longer */
  distrustAddress: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DistrustAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6004 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the sites */
  listSites: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Sites'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Attached'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Look at one site */
  getSite: {
    parameters: { query?: never; header?: never; path: { domain: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Site'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 105 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Attached'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Set a site */
  setSite: {
    parameters: {
      query?: { replace_configuration?: boolean };
      header?: never;
      path: { domain: string };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SiteRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SiteAnswer'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SiteAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103 | 105 | 106;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 409 | 6006 | 6008 | 6020 | 6034;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 5001 | 5002 | 5003;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 3000 | 3002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Remove a site */
  removeSite: {
    parameters: {
      query?: { replace_configuration?: boolean };
      header?: never;
      path: { domain: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SiteRemoved'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 105 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 409 | 6006 | 6008 | 6020 | 6034;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      422: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 5001 | 5002 | 5003;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 3000 | 3002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Tell each server's live state */
  listServers: {
    parameters: { query?: never; header?: never; path: { domain: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ServerStates'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 105 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Attached'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Reload the proxy safely */
  reload: {
    parameters: { query?: { replace_configuration?: boolean }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReloadAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 409 | 6006 | 6008 | 6020 | 6034;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      422: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 5001 | 5002 | 5003;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 3000 | 3002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Show the live configuration */
  getConfig: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CurrentConfig'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Attached'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6014 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Try the configuration out */
  validateConfig: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ValidationAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 3000 | 6003 | 6014 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Show what a reload or a restore would change */
  diffConfig: {
    parameters: { query?: { backup?: string }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ConfigDiff'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 1000 | 6034;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      422: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 5001 | 5003;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6014 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the reloads */
  listReloads: {
    parameters: { query?: { limit?: number; cursor?: string }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReloadPage'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 107 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Look at one reload */
  getReload: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReloadRecord'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the backups */
  listBackups: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Backups'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Attached'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Restore a backup */
  restoreBackup: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReloadAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 409 | 1000 | 6006 | 6008 | 6020 | 6034;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      422: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 5001 | 5002 | 5003;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['ReloadMembers'] & {
              readonly code?: 3000 | 3002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Whose key this is */
  getSession: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Session'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Exchange a key for a session token */
  signIn: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['NewSession'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** End the session */
  signOut: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['EndedSession'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the keys */
  listKeys: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Keys'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Make a key */
  createKey: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['KeyRequest'] } };
    responses: {
      201: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['NewKey'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103 | 104;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['NotUnique'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Revoke a key */
  revokeKey: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Key'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List who did what */
  listAudit: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        operation?: string;
        key?: string;
        ip_address?: string;
        since?: string;
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AuditPage'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 103 | 104 | 107 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Stream what happens */
  streamEvents: {
    parameters: { query?: { types?: string; last_event_id?: string }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'text/event-stream': components['schemas']['EventStream'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the webhooks */
  listWebhooks: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Webhooks'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Look at a webhook */
  getWebhook: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Webhook'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Set a webhook */
  setWebhook: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['WebhookRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['WebhookAnswer'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['WebhookAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Remove a webhook */
  removeWebhook: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['WebhookRemoved'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Say whether blocking is enforced, and if not, why */
  getHealth: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Health'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Health'];
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Say that the process answers */
  getLiveness: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'text/plain': 'alive' } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      500: components['responses']['Internal'];
      503: components['responses']['TooMuchAtOnce'];
    };
  };
  /** Say whether the service serves */
  getReadiness: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'text/plain': 'ready' } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain': 'unready';
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Tell Prometheus everything that is counted */
  getMetrics: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain': components['schemas']['PrometheusText'];
          'application/openmetrics-text': components['schemas']['OpenMetricsText'];
        };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** This description, for programs */
  getDescription: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['OpenApiDocument'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      500: components['responses']['Internal'];
      503: components['responses']['TooMuchAtOnce'];
    };
  };
  /** This description, for people */
  getDocsPage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'text/html': components['schemas']['Page'] } };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      408: components['responses']['RequestTimeout'];
      413: components['responses']['TooLarge'];
      500: components['responses']['Internal'];
      503: components['responses']['TooMuchAtOnce'];
    };
  };
}
