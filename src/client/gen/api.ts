// Generated from the OpenAPI document by `npm run generate:client`. Not to be edited.

export interface paths {
  '/api/blocked-ips': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listBlockedAddresses'];
    put: operations['replaceBlockedAddresses'];
    post: operations['blockAddress'];
    delete: operations['unblockSelected'];
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
  '/api/insight/map': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getEntryMap'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getInsight'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/series': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSeries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/knocking': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listKnocking'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/sources': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listSourceEffects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/sites': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listSiteTraffic'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/candidates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listCandidates'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/candidates/{ip_address}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put: operations['ignoreCandidate'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/limits': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getLimits'];
    put: operations['setLimits'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/attacks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listAttacks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/insight/attacks/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getAttack'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sources': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listSources'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sources/{name}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSource'];
    put: operations['setSource'];
    post?: never;
    delete: operations['removeSource'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sources/{name}/release': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['releaseSource'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sources/{name}/keep': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['keepSource'];
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
  '/api/upstreams': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listUpstreams'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/upstreams/{name}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getUpstream'];
    put: operations['setUpstream'];
    post?: never;
    delete: operations['removeUpstream'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/client-address': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['explainClientAddress'];
    delete?: never;
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
  '/api/certificates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listCertificates'];
    put?: never;
    post: operations['addCertificate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/certificates/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getCertificate'];
    put: operations['replaceCertificate'];
    post?: never;
    delete: operations['removeCertificate'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/certificates/{id}/chain': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getCertificateChain'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/certificates/{id}/verify': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['verifyCertificate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/acme': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getAcme'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/acme/certificates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['requestCertificate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/acme/certificates/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getAcmeCertificate'];
    put?: never;
    post?: never;
    delete: operations['stopRenewal'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/acme/certificates/{id}/renew': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['renewCertificate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sites/{domain}/tls': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSiteTls'];
    put: operations['setSiteTls'];
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
  '/api/keys/{name}/source': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put: operations['bindKey'];
    post?: never;
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
  '/api/audit/{id}/undo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['undoOperation'];
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
  '/api/notices': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listNotices'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notices/read': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put: operations['readNotices'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/views': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listViews'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/views/{name}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getView'];
    put: operations['setView'];
    post?: never;
    delete: operations['removeView'];
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
    /** One order. */
    AcmeAttempt: {
      /** `planned`, `created`: at the authority. `showing`, `told`: HAProxy answers the challenges. `finalizing`: the certificate is asked for. `issued`: it is fetched. `stored`: done. */
      readonly state: 'planned' | 'created' | 'showing' | 'told' | 'finalizing' | 'issued' | 'stored' | 'failed';
      /** The URL of the authority. */
      readonly directory: string;
      /** When the order began. */
      readonly began_at: string;
      /** When it ended; null: it is open. */
      readonly ended_at: string | null;
      /** Why it failed, or what it waits for; null: nothing is wrong. */
      readonly problem: components['schemas']['AcmeProblem'] | null;
    };
    /** A certificate that an authority issues and renews. */
    AcmeCertificate: {
      /** The id; that of the certificate, once it is issued. */
      readonly id: string;
      /** What it is for. */
      readonly names: readonly string[];
      /** How the names are validated. */
      readonly challenge: 'http-01' | 'dns-01';
      /** The profile that was asked for; null: that of the settings. */
      readonly profile: string | null;
      /** The URL of the authority of the last version, or of the first order. */
      readonly directory: string;
      /** When the certificate expires; null: none was issued yet. */
      readonly not_after: string | null;
      /** When the next order is due. */
      readonly due_at: string;
      /** Why then: it was requested, the age of the certificate, the time that the authority named, a failure, or a limit. */
      readonly due_by: 'request' | 'age' | 'ari' | 'retry' | 'limit';
      /** How many orders failed in succession. */
      readonly failures: number;
      /** Why it is not issued; null: nothing is wrong. */
      readonly problem: components['schemas']['AcmeProblem'] | null;
      /** The last orders, the newest first, at most 20. */
      readonly attempts: readonly components['schemas']['AcmeAttempt'][];
    };
    /** Why nothing is ordered; the members depend on `code`. */
    AcmeConflictMembers: {
      /** The setting that is missing (6043, 6053, 6058). */
      readonly setting?: string;
      /** Names that have a certificate (6042), or for which one is ordered (6060). */
      readonly owned?: readonly components['schemas']['OwnedName'][];
      /** The id under which these names are ordered (6059). */
      readonly certificate?: string;
    };
    /** What the authority is not asked for. */
    AcmePause: {
      /** The URL of the authority. */
      readonly directory: string;
      /** `orders`: new ones. `requests`: anything. */
      readonly scope: 'orders' | 'requests';
      /** Until when. */
      readonly until: string;
      /** Why. */
      readonly problem: components['schemas']['AcmeProblem'];
    };
    /** Why a certificate is not issued. */
    AcmeProblem: {
      /** `will retry`: the order is repeated after 10 minutes to 24 hours. `needs attention`: correct something first; it is repeated every 24 hours, more often when the certificate expires soon, and after a restart with other settings. `limited`: not before a time. */
      readonly class: 'will retry' | 'needs attention' | 'limited';
      /** An ACME error without `urn:ietf:params:acme:error:`, or `unreachable`, `limit`, `wait`, `challenge`, `clock`, `key`, `certificate` or `internal`. */
      readonly type: string;
      /** In the words of the authority, if it is its problem. */
      readonly detail: string;
      /** Of single names. */
      readonly subproblems: readonly components['schemas']['AcmeSubproblem'][];
      /** What to do; null: nothing is known. */
      readonly advice: string | null;
      /** When it was seen. */
      readonly at: string;
    };
    /** What is not ordered any more. */
    AcmeRemoved: {
      /** The id. */
      readonly id: string;
    };
    /** The names that a certificate is to be for. */
    AcmeRequest: {
      /** Host names, each once; the first names the certificate. 1 to 100 host names. */
      readonly names: readonly string[];
      /** How the names are validated. Default: `dns-01` if one is a wildcard, otherwise `http-01`. By `dns-01` a hook creates TXT records (`PROXY_MANAGER_ACME_DNS_HOOK`), and the names need not lead to this HAProxy. */
      readonly challenge?: 'http-01' | 'dns-01';
      /** A profile of the authority. Default: that of the settings. A name of 1 to 64 letters, digits, dots, dashes and underscores that starts with a letter or digit. */
      readonly profile?: string;
    };
    /** The authority, and what is due. */
    AcmeStatus: {
      /** The URL of the authority for new orders. */
      readonly directory: string;
      /** The URL of the account; null: it is made with the first order. */
      readonly account: string | null;
      /** Those in force. */
      readonly pauses: readonly components['schemas']['AcmePause'][];
      /** How many certificates the service orders and renews. */
      readonly total: number;
      /** How many of these have a problem. */
      readonly failing: number;
      /** Those that are due first, at most 100, without their orders. */
      readonly next: readonly components['schemas']['AcmeCertificate'][];
    };
    /** A problem of one name. */
    AcmeSubproblem: {
      /** The name; null: none was stated. */
      readonly name: string | null;
      /** As `type` of the problem. */
      readonly type: string;
      /** In the words of the authority. */
      readonly detail: string;
    };
    /** One address or network per line. In a request `#` and `;` start comments, and blank lines are ignored. */
    AddressLines: string;
    /** An address that was read. */
    AddressStep: {
      /** The address. */
      readonly address: string;
      /** The header that names it; null: it is the peer. */
      readonly header: string | null;
      /** The upstream to which it belongs, if its headers are read; null: it is none, or the setting of the upstream before it ends the walk. */
      readonly upstream: string | null;
    };
    /** The configuration of HAProxy as an attached service sees it. The service does not write it. */
    Attached: {
      /** The files that HAProxy reads, in order. */
      readonly files: readonly string[];
      /** The front ends that the current worker loaded, as far as known. */
      readonly front_ends: readonly components['schemas']['FrontEnd'][];
      /** The files have changed since the current worker loaded them. Null: not known; they could not be read, or the worker does not answer. */
      readonly changed_since_load: boolean | null;
      /** How the service reloads HAProxy: `master`, `never` or `systemd:UNIT`. */
      readonly reload_by: string;
    };
    /** A rise of denied requests far above the usual. */
    Attack: {
      /** Its id. */
      readonly id: number;
      /** When it began. */
      readonly started_at: string;
      /** When it ended; null: it continues. */
      readonly ended_at: string | null;
      /** The most denied requests of a minute. */
      readonly peak: number;
      /** What was usual when it began, a minute. */
      readonly usual: number;
      /** Denied requests until now, or until its end. */
      readonly denied: number;
      /** The five entries that denied most. */
      readonly top_networks: readonly components['schemas']['AttackNetwork'][];
      /** The five sites at which most was denied, estimated from a sample of 1 in 16. */
      readonly top_sites: readonly components['schemas']['AttackSite'][];
    };
    /** An attack, and the time around it, minute by minute. */
    AttackDetail: {
      /** Its id. */
      readonly id: number;
      /** When it began. */
      readonly started_at: string;
      /** When it ended; null: it continues. */
      readonly ended_at: string | null;
      /** The most denied requests of a minute. */
      readonly peak: number;
      /** What was usual when it began, a minute. */
      readonly usual: number;
      /** Denied requests until now, or until its end. */
      readonly denied: number;
      /** The five entries that denied most. */
      readonly top_networks: readonly components['schemas']['AttackNetwork'][];
      /** The five sites at which most was denied, estimated from a sample of 1 in 16. */
      readonly top_sites: readonly components['schemas']['AttackSite'][];
      /** The 50 entries that denied most. */
      readonly entries: readonly components['schemas']['AttackEntry'][];
      /** The begin of the first step: a quarter of the length of the attack before it, at least ten minutes. */
      readonly from: string;
      /** How many seconds each step has. */
      readonly step_seconds: number;
      /** Of each step, at most 300; after the attack as long as before it, at most until now. */
      readonly values: readonly (number | null)[];
      /** How the figures of the sites are estimated. */
      readonly sampled: components['schemas']['Sampled'];
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** An entry that denied requests of an attack. */
    AttackEntry: {
      /** The entry. */
      readonly entry: string;
      /** How many requests it denied in the hours of the attack, at most the last 24. */
      readonly denied: number;
      /** The source whose claim it carries now; null: it is blocked no longer. */
      readonly source: string | null;
    };
    /** An entry that denied much. */
    AttackNetwork: {
      /** The entry. */
      readonly entry: string;
      /** How many requests it denied. */
      readonly denied: number;
    };
    /** A site at which much was denied. */
    AttackSite: {
      /** The site. */
      readonly site: string;
      /** Denied requests, estimated. */
      readonly denied: number;
    };
    /** Attacks, the newest first. */
    Attacks: {
      /** The attacks, at most 1,000. */
      readonly items: readonly components['schemas']['Attack'][];
    };
    /** A page of the audit log. */
    AuditPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['AuditRecord'][];
      /** The `cursor` of the next page; null on the last page. */
      readonly next_cursor: string | null;
    };
    /** Who did what, from where, with which outcome. */
    AuditRecord: {
      /** Ascends in the order of writing. */
      readonly id: number;
      /** When the request arrived. */
      readonly at: string;
      /** `block`, `unblock`, `batch`, `replace`, `unblock_selected`, `undo`, `sync`, `trust`, `distrust`, `set_site`, `set_site_tls`, `remove_site`, `set_certificate`, `remove_certificate`, `verify_certificate`, `request_certificate`, `renew_certificate`, `stop_renewal`, `set_upstream`, `remove_upstream`, `reload`, `restore_backup`, `create_key`, `bind_key`, `revoke_key`, `set_source`, `release`, `keep`, `remove_source`, `set_webhook`, `remove_webhook`, `sign_in`, `sign_out`; from the service itself also `expire`, `expire_trust`, `drop_released` and `import_map_file`; `read`: a read operation that was rejected for lack of a scope; `refusals` counts the rejections of one key beyond sixty per minute. */
      readonly operation: string;
      /** The name of the key; null: the service itself. */
      readonly key: string | null;
      /** The address of the peer, or `unix`; null: the service itself. */
      readonly source: string | null;
      /** The id of the request, as in `X-Request-Id`. */
      readonly request_id: string | null;
      /** The address or network of the operation. */
      readonly ip_address: string | null;
      /** Another object of the operation: a domain, the name of a key, an id. */
      readonly target: string | null;
      /** What was requested, or what existed before; the fields depend on the operation. */
      readonly details: { readonly [name: string]: unknown } | null;
      /** `partly`: a sync whose running map does not match. `unknown`: not answered yet, or the service ended before the outcome was recorded. */
      readonly outcome: 'done' | 'partly' | 'refused' | 'failed' | 'unknown';
      /** The HTTP status of the response; null: there was no request, or it is not known. */
      readonly status: number | null;
      /** The error code; null: no error. */
      readonly code: number | null;
      /** When the response was sent. */
      readonly finished_at: string | null;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean | null;
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number | null;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean | null;
      /** Counts of the response, and the id of its reload. */
      readonly result: { readonly [name: string]: unknown } | null;
    };
    /** A backup set. */
    Backup: {
      /** Its id. */
      readonly id: string;
      /** When it was created. */
      readonly created_at: string;
      /** The SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
      /** Why it was created. */
      readonly reason: string;
      /** A note; null: none. */
      readonly note: string | null;
      /** Who wrote its configuration. `other`: written outside proxy-manager; one backup of each such configuration is never pruned. Null: a backup of an older version. */
      readonly written_by: 'proxy-manager' | 'other' | null;
      /** Files that the configuration refers to; restored with it. */
      readonly files: readonly components['schemas']['BackupFile'][];
      /** Copies of map files, for reading only: a restore does not use them. */
      readonly maps: readonly components['schemas']['BackupMap'][];
    };
    /** A file that the configuration refers to; restored with it. */
    BackupFile: {
      /** Its name in the set. */
      readonly name: string;
      /** Its original path. */
      readonly path: string;
      /** The SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
    };
    /** A copy of a map file, for reading only. */
    BackupMap: {
      /** Its name in the set. */
      readonly name: string;
      /** The path of the original. */
      readonly path: string;
      /** The size in bytes. */
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
    /** What the bulk change has stored so far. Until it ends, the running map may lack the added addresses and still have the removed ones. */
    BigChange: {
      /** How many addresses it has added so far. */
      readonly added: number;
      /** How many addresses it has removed so far. */
      readonly removed: number;
    };
    /** The entry as it is now, and whether the workers hold it. */
    BlockAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why it is blocked; null: not stated. */
      readonly reason: string | null;
      /** Who or what blocked it; null: not stated. */
      readonly blocked_by: string | null;
      /** When it was blocked. */
      readonly blocked_at: string;
      /** When the block expires; null: it is permanent. */
      readonly expires_at: string | null;
      /** All claims to it, the one that ends last first, whose `reason`, `blocked_by` and `expires_at` the entry has; absent if only `manual` claims it. */
      readonly claims?: readonly components['schemas']['Claim'][];
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
      /** The special range that contains the entry; absent if there is none. */
      readonly special?:
        | 'this-network'
        | 'private'
        | 'shared'
        | 'loopback'
        | 'link-local'
        | 'multicast'
        | 'unique-local';
      /** Trusted entries that override this block; absent if there are none. */
      readonly overridden_by?: readonly string[];
      /** Trusted entries inside this network, the first 100; absent if there are none. */
      readonly trusted_inside?: readonly string[];
      /** The CDN to which the address belongs, by the lists of proxy-manager; absent: none of these. If your sites are behind it, the block denies all clients of that server of the CDN: set it as an upstream instead. */
      readonly known_cdn?: 'cloudflare' | 'fastly' | 'cloudfront';
      /** Networks of upstreams inside this network, the first 100; absent if there are none. The upstreams themselves are still served. */
      readonly upstreams_inside?: readonly string[];
      /** Temporary trust that this block ended, the first 100; absent if there was none. */
      readonly trust_ended?: readonly string[];
    };
    /** Why the entry is not blocked; the members depend on `code`. */
    BlockConflictMembers: {
      /** Trusted entries that cover the address (6007). */
      readonly overridden_by?: readonly string[];
      /** The upstream to which the address belongs (6050). */
      readonly upstream?: string;
      /** The wide network (6030). */
      readonly ip_address?: string;
      /** Special ranges that it contains completely (6030). */
      readonly contains?: readonly string[];
      /** How many entries exist; of a claim (6031), how many claims there are beyond the first of each entry. */
      readonly current_total?: number;
      /** How many entries, or such claims, there would have been (6031). */
      readonly would_be?: number;
      /** How many entries, and how many such claims, are allowed (6031). */
      readonly limit?: number;
    };
    /** What to block, why, and until when. */
    BlockRequest: {
      /** The address or network to block. An IP address or network. */
      readonly ip_address: string;
      /** Why it is blocked. One line of text of at most 500 characters, without control characters, or null. */
      readonly reason?: string | null;
      /** Who or what blocks it; absent: the name of the key. One line of text of 1 to 100 characters, without control characters. */
      readonly blocked_by?: string;
      /** When the block expires; null: never. Not together with `duration_seconds`. A time with a time zone such as 2030-01-31T12:00:00Z, or null for a permanent entry. */
      readonly expires_at?: string | null;
      /** For how many seconds from now. Not together with `expires_at`. A whole number from 1 to 3155760000. */
      readonly duration_seconds?: number;
      /** Stores the entry even if a trusted entry covers it. Needs the scope `admin`. True or false. */
      readonly force?: boolean;
      /** Allows a network wider than /8 (IPv6: /16), or one that contains a complete special range. Needs the scope `admin`. True or false. */
      readonly allow_wide?: boolean;
    };
    /** An entry of the blocked set. */
    BlockedIp: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why it is blocked; null: not stated. */
      readonly reason: string | null;
      /** Who or what blocked it; null: not stated. */
      readonly blocked_by: string | null;
      /** When it was blocked. */
      readonly blocked_at: string;
      /** When the block expires; null: it is permanent. */
      readonly expires_at: string | null;
      /** All claims to it, the one that ends last first, whose `reason`, `blocked_by` and `expires_at` the entry has; absent if only `manual` claims it. */
      readonly claims?: readonly components['schemas']['Claim'][];
      /** What it denied; null: not known, or `PROXY_MANAGER_INSIGHT` is `off`. */
      readonly hits: components['schemas']['EntryHits'] | null;
    };
    /** An entry of the blocked set, and the workers that hold it. */
    BlockedIpDetail: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why it is blocked; null: not stated. */
      readonly reason: string | null;
      /** Who or what blocked it; null: not stated. */
      readonly blocked_by: string | null;
      /** When it was blocked. */
      readonly blocked_at: string;
      /** When the block expires; null: it is permanent. */
      readonly expires_at: string | null;
      /** All claims to it, the one that ends last first, whose `reason`, `blocked_by` and `expires_at` the entry has; absent if only `manual` claims it. */
      readonly claims?: readonly components['schemas']['Claim'][];
      /** Blocked networks that also cover it, and still do when this entry is removed. */
      readonly covered_by: readonly string[];
      /** Every live worker of HAProxy. */
      readonly workers: readonly components['schemas']['WorkerHolding'][];
      /** What it denied; null: not known, or `PROXY_MANAGER_INSIGHT` is `off`. */
      readonly hits: components['schemas']['EntryHits'] | null;
    };
    /** A page of the blocked set. */
    BlockedIpPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['BlockedIp'][];
      /** The `cursor` of the next page; null on the last page. */
      readonly next_cursor: string | null;
      /** How many there are on all pages. */
      readonly total: number;
    };
    /** The key, and what was moved to its source. */
    BoundKey: {
      /** The name of the key in the log and the audit log. */
      readonly name: string;
      /** What the key may do: `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** When it was created. */
      readonly created_at: string;
      /** When it expires; null: never. */
      readonly expires_at: string | null;
      /** When it was revoked; null: it is not revoked. */
      readonly revoked_at: string | null;
      /** The source whose claims its requests change; null: it is not bound to one, and they change `manual`, like a key bound to `manual`. */
      readonly source: string | null;
      /** When it was last used, accurate to a minute; null: never. */
      readonly last_used_at: string | null;
      /** How many claims of `manual` that the key had made now belong to the source. */
      readonly claims_moved: number;
    };
    /** What a bulk change did, and whether the workers hold it. */
    BulkAnswer: {
      /** How many entries are new. */
      readonly added: number;
      /** How many existing entries have a changed field. */
      readonly updated: number;
      /** How many entries were removed. */
      readonly removed: number;
      /** How many entries did not change, and how many elements of `remove` had no entry. */
      readonly unchanged: number;
      /** How many lines or elements were rejected. */
      readonly rejected_total: number;
      /** The rejected lines or elements, the first 1,000. */
      readonly rejected: readonly components['schemas']['Rejection'][];
      /** Accepted entries inside a special range, the first 100; absent if there are none. */
      readonly special?: readonly components['schemas']['SpecialEntry'][];
      /** How many accepted entries are inside a special range; absent if there are none. */
      readonly special_total?: number;
      /** The CDNs to which accepted entries belong; absent: none. If your sites are behind one, these blocks deny clients of it: set it as an upstream instead. */
      readonly known_cdns?: readonly components['schemas']['KnownCdn'][];
      /** Elements of `remove` that had no entry of their own; those that another source keeps blocked had one. Absent if nothing was to be removed, and for more than 1,000 elements at once, where `unchanged` counts them. */
      readonly not_blocked?: readonly string[];
      /** Addresses of `remove` that a blocked network still covers, or in a dry run would, the first 100; absent if nothing was to be removed. */
      readonly still_blocked?: readonly components['schemas']['StillBlocked'][];
      /** How many addresses of `remove` are still covered; absent if nothing was to be removed. */
      readonly still_blocked_total?: number;
      /** How many addresses lost the claim of the source and are still blocked, because other sources claim them; absent if there are none. */
      readonly still_claimed_total?: number;
      /** Temporary trust that this block ended, the first 100; absent if there was none. */
      readonly trust_ended?: readonly string[];
      /** Nothing was changed; the counts are what the request would do now. */
      readonly dry_run?: true;
      /** How many entries the set has now; only in a dry run. */
      readonly current_total?: number;
      /** How many entries the set can have; only in a dry run, and absent if there is no limit. */
      readonly limit?: number;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** A loud client that is not blocked. */
    Candidate: {
      /** The address; of IPv6 its /64. */
      readonly ip_address: string;
      /** Requests a second over the last ten minutes. */
      readonly rate: number;
      /** How many requests it sent in the last ten minutes. */
      readonly requests: number;
      /** Of these, from 0 to 1: errors (4xx of a server). */
      readonly error_share: number;
      /** Since when it has sent requests without a longer pause. */
      readonly active_since: string;
      /** The network around it: a /24, of IPv6 a /48. */
      readonly network: string;
      /** How many loud clients are in this network, itself included. */
      readonly clients_inside: number;
      /** Of each of the last ten complete minutes, oldest first. */
      readonly spark: readonly number[];
    };
    /** Loud clients that are not blocked, trusted, upstreams or known CDNs. */
    Candidates: {
      /** The limits that they are above. */
      readonly limits: components['schemas']['InsightLimits'];
      /** Those with most requests first. */
      readonly items: readonly components['schemas']['Candidate'][];
      /** How the figures are estimated; null: HAProxy does not count clients. */
      readonly sampled: components['schemas']['Sampled'] | null;
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** A certificate, without its private key. */
    Certificate: {
      /** The id of the certificate. It stays when the certificate is replaced. */
      readonly id: string;
      /** The host names and wildcards that it is for, in lower case. */
      readonly names: readonly string[];
      /** What else it is for and HAProxy does not serve by name, such as addresses. */
      readonly other_names: readonly string[];
      /** Where it is from. */
      readonly source: 'upload' | 'acme';
      /** The version, counted from 1: one more with each replacement. */
      readonly version: number;
      /** `expired`: clients do not accept it. */
      readonly state: 'active' | 'expired';
      /** When the certificate expires that the current workers serve: the date that clients see. It differs from `not_after` while a worker serves an earlier version. Null: no current worker serves it, or it is not known yet. */
      readonly served_until: string | null;
      /** From when on it is valid. */
      readonly not_before: string;
      /** When it expires. */
      readonly not_after: string;
      /** How many complete days are left until then; 0 if it has expired. */
      readonly days_left: number;
      /** It is signed with its own key: only clients on which it is installed accept it. */
      readonly self_signed: boolean;
      /** Its subject. */
      readonly subject: string;
      /** The subject of its issuer. */
      readonly issuer: string;
      /** Its serial number, hexadecimal. */
      readonly serial: string;
      /** The type of its key: `RSA`, `P-256`, `P-384` or `Ed25519`. */
      readonly key_type: string;
      /** The length of an RSA key in bits; null for other keys. */
      readonly key_bits: number | null;
      /** The SHA-256 fingerprint, hexadecimal in lower case. */
      readonly sha256: string;
      /** The subjects of the chain that HAProxy sends after it, without the root. */
      readonly chain: readonly string[];
      /** What an operator should know, one sentence each, such as clients that do not accept it. */
      readonly warnings: readonly string[];
      /** Why it is not installed, or cannot be after a restart; null: nothing is wrong. */
      readonly problem: string | null;
      /** Enabled sites for which HAProxy serves it, the first 100. */
      readonly sites: readonly string[];
      /** How many these are. */
      readonly sites_total: number;
      /** `durable`: the file that HAProxy reads at its next start or reload is written; `pending`: it could not be written. After a removal, `durable`: the file with the key is deleted; `pending`: it could not be deleted yet. Null: not known yet. */
      readonly files: ('durable' | 'pending') | null;
      /** The workers. Empty: not known yet. */
      readonly workers: readonly components['schemas']['CertificateWorker'][];
      /** Every current worker was read back to hold it. Null: not known yet. */
      readonly runtime_updated: boolean | null;
      /** A reload follows automatically, for a worker that could not be updated. */
      readonly reload_scheduled: boolean;
      /** What a TLS connection of the service to HAProxy got: `seen`: exactly this certificate; `other`: another one; `not possible`: the service cannot connect, which is no failure; `failed`: no handshake. Null: not tried yet. */
      readonly handshake: ('seen' | 'other' | 'not possible' | 'failed') | null;
      /** Why `handshake` is not `seen`, or which addresses could not be tried; null if each showed the certificate, or if none was tried. */
      readonly handshake_reason: string | null;
      /** When it was first uploaded. */
      readonly created_at: string;
      /** When it was last replaced. */
      readonly updated_at: string;
    };
    /** The certificate as it is now, and which workers hold it. */
    CertificateAnswer: {
      /** The id of the certificate. It stays when the certificate is replaced. */
      readonly id: string;
      /** The host names and wildcards that it is for, in lower case. */
      readonly names: readonly string[];
      /** What else it is for and HAProxy does not serve by name, such as addresses. */
      readonly other_names: readonly string[];
      /** Where it is from. */
      readonly source: 'upload' | 'acme';
      /** The version, counted from 1: one more with each replacement. */
      readonly version: number;
      /** `expired`: clients do not accept it. */
      readonly state: 'active' | 'expired';
      /** When the certificate expires that the current workers serve: the date that clients see. It differs from `not_after` while a worker serves an earlier version. Null: no current worker serves it, or it is not known yet. */
      readonly served_until: string | null;
      /** From when on it is valid. */
      readonly not_before: string;
      /** When it expires. */
      readonly not_after: string;
      /** How many complete days are left until then; 0 if it has expired. */
      readonly days_left: number;
      /** It is signed with its own key: only clients on which it is installed accept it. */
      readonly self_signed: boolean;
      /** Its subject. */
      readonly subject: string;
      /** The subject of its issuer. */
      readonly issuer: string;
      /** Its serial number, hexadecimal. */
      readonly serial: string;
      /** The type of its key: `RSA`, `P-256`, `P-384` or `Ed25519`. */
      readonly key_type: string;
      /** The length of an RSA key in bits; null for other keys. */
      readonly key_bits: number | null;
      /** The SHA-256 fingerprint, hexadecimal in lower case. */
      readonly sha256: string;
      /** The subjects of the chain that HAProxy sends after it, without the root. */
      readonly chain: readonly string[];
      /** What an operator should know, one sentence each, such as clients that do not accept it. */
      readonly warnings: readonly string[];
      /** Why it is not installed, or cannot be after a restart; null: nothing is wrong. */
      readonly problem: string | null;
      /** Enabled sites for which HAProxy serves it, the first 100. */
      readonly sites: readonly string[];
      /** How many these are. */
      readonly sites_total: number;
      /** `durable`: the file that HAProxy reads at its next start or reload is written; `pending`: it could not be written. After a removal, `durable`: the file with the key is deleted; `pending`: it could not be deleted yet. Null: not known yet. */
      readonly files: ('durable' | 'pending') | null;
      /** The workers. Empty: not known yet. */
      readonly workers: readonly components['schemas']['CertificateWorker'][];
      /** Every current worker was read back to hold it. Null: not known yet. */
      readonly runtime_updated: boolean | null;
      /** A reload follows automatically, for a worker that could not be updated. */
      readonly reload_scheduled: boolean;
      /** What a TLS connection of the service to HAProxy got: `seen`: exactly this certificate; `other`: another one; `not possible`: the service cannot connect, which is no failure; `failed`: no handshake. Null: not tried yet. */
      readonly handshake: ('seen' | 'other' | 'not possible' | 'failed') | null;
      /** Why `handshake` is not `seen`, or which addresses could not be tried; null if each showed the certificate, or if none was tried. */
      readonly handshake_reason: string | null;
      /** When it was first uploaded. */
      readonly created_at: string;
      /** When it was last replaced. */
      readonly updated_at: string;
      /** False: the same certificate was there already, and was only installed again. */
      readonly changed: boolean;
    };
    /** Why nothing was changed; the members depend on `code`. */
    CertificateConflictMembers: {
      /** The names that belong to other certificates (6042). */
      readonly owned?: readonly components['schemas']['OwnedName'][];
      /** Enabled sites that would lose their certificate, the first 100 (6044). */
      readonly sites?: readonly string[];
      /** How many these are (6044). */
      readonly sites_total?: number;
      /** The setting without which HAProxy serves no TLS (6043). */
      readonly setting?: string;
      /** How many certificates there are (6031). */
      readonly current_total?: number;
      /** How many there would be (6031). */
      readonly would_be?: number;
      /** How many are allowed (6031). */
      readonly limit?: number;
    };
    /** A page of certificates; those that expire first come first. */
    CertificatePage: {
      /** The entries. */
      readonly items: readonly components['schemas']['Certificate'][];
      /** How many match, on all pages. */
      readonly total: number;
      /** The `cursor` of the next page; null on the last page. */
      readonly next_cursor: string | null;
    };
    /** What was removed, and whether the workers still hold it. */
    CertificateRemoved: {
      /** The id of the certificate. */
      readonly id: string;
      /** Its names. */
      readonly names: readonly string[];
      /** Enabled sites that it was served for, the first 100. */
      readonly sites: readonly string[];
      /** How many these are. */
      readonly sites_total: number;
      /** `durable`: the file that HAProxy reads at its next start or reload is written; `pending`: it could not be written. After a removal, `durable`: the file with the key is deleted; `pending`: it could not be deleted yet. Null: not known yet. */
      readonly files: ('durable' | 'pending') | null;
      /** The workers. Draining ones keep it until they end. */
      readonly workers: readonly components['schemas']['CertificateWorker'][];
      /** Every current worker was read back not to hold it. Null: not known yet. */
      readonly runtime_updated: boolean | null;
      /** A reload follows automatically, for a worker that could not be updated. */
      readonly reload_scheduled: boolean;
      /** Paths of files `c-….pem.newer` with other private keys of this certificate. The service never deletes them. */
      readonly kept_files: readonly string[];
    };
    /** A certificate with its private key. */
    CertificateRequest: {
      /** The certificate and its chain, in PEM, in any order; a root is left out. It may contain the private key. A certificate in PEM. */
      readonly certificate: string;
      /** The private key in PEM, not encrypted: RSA with at least 2048 bits, P-256, P-384 or Ed25519. Absent: it is in `certificate`. No response, log, event or audit row contains it. A private key in PEM. */
      readonly private_key?: string;
      /** Accepts a chain that does not lead to a root, for clients that have the intermediate certificates of a private authority. Default false. True or false. */
      readonly allow_incomplete_chain?: boolean;
    };
    /** A worker of HAProxy, and whether it holds the certificate. */
    CertificateWorker: {
      /** The process id of the worker. */
      readonly pid: number;
      /** `current`: it accepts new connections; `draining`: it serves existing ones. */
      readonly role: 'current' | 'draining';
      /** It was read back to hold exactly this certificate and its chain. */
      readonly holds: boolean;
      /** Why it does not hold it; null if it does. */
      readonly reason: string | null;
    };
    /** The verdict for a client with this address. */
    CheckAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The upstream to which the address belongs; absent: none. It is served itself, and the verdict applies to a client with this address that an upstream names. */
      readonly upstream?: string;
      /** `blocked`: denied with 403. `trusted`: never denied. `allowed`: no entry covers it. `partly`: a network with blocked entries inside that no entry covers completely. */
      readonly verdict: 'blocked' | 'trusted' | 'allowed' | 'partly';
      /** The entry that decides; null: none does. */
      readonly by: string | null;
      /** The reason or note of that entry. */
      readonly reason: string | null;
      /** When that entry expires; null: never, or there is no entry. */
      readonly expires_at: string | null;
      /** All claims to the blocked entry that decides, the one that ends last first; absent if only `manual` claims it. */
      readonly claims?: readonly components['schemas']['Claim'][];
      /** True: every live worker gives the same verdict. False: at least one gives another. Null: no worker answered, or the verdict is `partly`. */
      readonly enforced: boolean | null;
      /** Blocked entries inside a network that no entry covers completely, the first 100 in the order of addresses. */
      readonly blocked_inside: readonly string[];
      /** How many blocked entries are inside. */
      readonly blocked_inside_total: number;
      /** Every worker that answered. */
      readonly workers: readonly components['schemas']['WorkerVerdict'][];
    };
    /** One source that wants the address blocked. */
    Claim: {
      /** The name of the source. */
      readonly source: string;
      /** `manual`: requests that name no source. `agent`: a program that blocks and unblocks single addresses, such as fail2ban. `list`: a complete list, sent again and again; an unblock does not change it. */
      readonly kind: 'manual' | 'agent' | 'list';
      /** Why it claims it; null: not stated. */
      readonly reason: string | null;
      /** Who or what claimed it; null: not stated. */
      readonly blocked_by: string | null;
      /** When it claimed it. */
      readonly claimed_at: string;
      /** When the claim ends; null: it is permanent. */
      readonly expires_at: string | null;
    };
    /** Which address HAProxy checks, and why. */
    ClientAddressAnswer: {
      /** The address that is checked, logged and sent to servers; null: HAProxy refuses the request. */
      readonly client: string | null;
      /** From the peer to the client; empty for `too_large`. */
      readonly steps: readonly components['schemas']['AddressStep'][];
      /** The upstream to which the peer belongs; null: none, so no header is believed. */
      readonly upstream: string | null;
      /** `too_large`: the headers do not fit into the buffer of HAProxy, 15,360 bytes with the request line, unless `tune.bufsize` changes it: it refuses the request before any rule. `unreadable`: a header of the upstream cannot be read. `no_client`: the upstream names no client and is served itself. `trusted`: trust overrides any block. `blocked`: denied. `allowed`: no entry covers the client. */
      readonly verdict: 'too_large' | 'unreadable' | 'no_client' | 'trusted' | 'blocked' | 'allowed';
      /** The blocked or trusted entry that decides; null: none does. */
      readonly by: string | null;
      /** What HAProxy answers itself: 400, 403, or from HAProxy 3.2 on 431 for headers that are too large; null: the request is passed on. */
      readonly status: number | null;
      /** True: every front end that denies blocked addresses checks the clients of upstreams, in every worker; one without HTTP those that PROXY protocol names. False: not all do, as `upstreams_reason` says; such a front end checks the peer. If the live configuration has no rules for upstreams at all, the answer is that for the peer. Null: not known, for example because a rule has a condition that may not hold. */
      readonly upstreams_in_force: boolean | null;
      /** Why upstreams are not in force everywhere, or why that is not known; null if they are. `/health` names every such front end. */
      readonly upstreams_reason: string | null;
    };
    /** A request as HAProxy receives it. */
    ClientAddressRequest: {
      /** The address that connects; of an upstream with PROXY protocol the address that it names there. One address, not a network. An IP address or network. */
      readonly peer: string;
      /** The headers of the request in their order. The same name may appear several times. Default: none. A list of at most 100 headers. */
      readonly headers?: readonly components['schemas']['SentHeader'][];
    };
    /** Entries of this request that are stored in database and map file. */
    CommittedCounts: {
      /** How many entries are new. */
      readonly added: number;
      /** How many existing entries have a changed field. */
      readonly updated: number;
      /** How many entries were removed. */
      readonly removed: number;
      /** How many entries lost a claim and are still blocked by others; absent if there were none. */
      readonly still_claimed_total?: number;
    };
    /** What a failed change stored; absent if nothing was stored and the cause is known. */
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
      /** The origin of the live configuration: `rendered` from the template, `restored` from a backup, or `other`: written or edited outside proxy-manager; null: there is none yet. */
      readonly live: 'rendered' | 'restored' | 'other' | null;
      /** A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`. */
      readonly needs_replace_configuration: boolean;
    };
    /** Whether the live configuration is what sites, settings and template render to now. Drift does not degrade the status: blocking is enforced anyway. */
    ConfigurationDrift: {
      /** `drift`: they differ, `GET /api/config/diff` shows how; `unknown`: it could not be rendered or read. */
      readonly status: 'none' | 'drift' | 'unknown';
      /** The origin of the live configuration: `rendered` from the template, `restored` from a backup, or `other`: written or edited outside proxy-manager. The last two are replaced only with `replace_configuration=true`. Null: there is none, or it is not known. */
      readonly live: 'rendered' | 'restored' | 'other' | null;
      /** The id of the restored backup; null: none. */
      readonly backup: string | null;
      /** How many lines a reload would add; null: not known. */
      readonly added: number | null;
      /** How many lines a reload would remove; null: not known. */
      readonly removed: number | null;
      /** Why the status is `unknown`; only `admin` keys get the full text. */
      readonly reason: string | null;
    };
    /** The networks that cover an address without an entry of its own. */
    CoveredMembers: {
      /** Blocked networks that contain the address. */
      readonly covered_by: readonly string[];
    };
    /** An attack that continues. */
    CurrentAttack: {
      /** Its id. */
      readonly id: number;
      /** When it began. */
      readonly started_at: string;
    };
    /** The live configuration. */
    CurrentConfig: {
      /** The text of the configuration. */
      readonly text: string;
      /** The SHA-256 in lower-case hexadecimal digits. */
      readonly sha256: string;
      /** The path of the file. */
      readonly path: string;
    };
    /** The database. */
    DatabaseHealth: {
      /** `ok`: it was read and written; `unknown`: it did not answer in time. */
      readonly status: 'ok' | 'down' | 'unknown';
      /** What is wrong; null if the status is `ok`. */
      readonly reason: string | null;
    };
    /** What was removed, and whether the workers no longer hold it. */
    DistrustAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** A worker that serves existing connections only. */
    DrainingWorkerSync: {
      /** The process id of the worker. */
      readonly pid: number;
      /** Its map is in sync with the database. */
      readonly synced: boolean;
      /** Why it is not in sync; absent if it is. */
      readonly reason?: string;
    };
    /** The session that has ended. */
    EndedSession: {
      /** The name of its key. */
      readonly name: string;
    };
    /** What an entry denied since it was blocked; null: not known, which is not 0. */
    EntryHits: {
      /** How many requests it denied in the last 24 whole hours, the current one included. */
      readonly last_24h: number | null;
      /** How many requests it denied in the last 30 days; null also if the first one is longer ago. */
      readonly last_30d: number | null;
      /** How many requests it denied since the first one. */
      readonly total: number | null;
      /** When it first denied a request; null also if it never did. */
      readonly first_hit: string | null;
      /** When it last denied a request; null also if it never did. */
      readonly last_hit: string | null;
      /** Of each of the last 24 hours, the current one last; absent unless `spark` was sent. */
      readonly spark?: readonly number[] | null;
    };
    /** Which IPv4 addresses are blocked, as a map. */
    EntryMap: {
      /** What a cell shows. */
      readonly layer: 'density' | 'source' | 'hits' | 'expiry';
      /** What the map covers; `0.0.0.0/0` is all of IPv4. */
      readonly network: string;
      /** The prefix of a cell. */
      readonly cell_prefix: number;
      /** One byte for each cell in the order of addresses, which is also the order of cells along a Hilbert curve; in base64. */
      readonly cells: string;
      /** The names of the sources of the layer `source`, the one with most entries first, at most fifteen. */
      readonly sources: readonly string[];
      /** The networks with a blocked address or a denied request, in the order of addresses. */
      readonly blocks: readonly components['schemas']['MapBlock'][];
      /** The entries by size, the widest first. Only sizes that an entry has. */
      readonly sizes: readonly components['schemas']['MapSize'][];
      /** The widest blocked networks that begin in the map or cover it, at most eight; of the same size in the order of addresses. */
      readonly widest: readonly components['schemas']['MapNetwork'][];
      /** All of the last 24 hours was watched; else there may have been more. Only of the layer `hits`. */
      readonly complete?: boolean;
    };
    /** Server-sent events. The data of each is JSON on one line: `id`, `type`, `at`, and `data`, whose fields depend on the type (docs/events.md). */
    EventStream: string;
    /** One field of the request and what is wrong with it. */
    FieldError: {
      /** The field, such as `servers[0].port`. */
      readonly name: string;
      /** What is wrong with it, and what is allowed. */
      readonly description: string;
    };
    /** A frontend or listen section that binds an address. */
    FrontEnd: {
      /** Its name. */
      readonly name: string;
      /** File and line of its section. */
      readonly place: string;
      /** The mode in HAProxy: `http`, `tcp` or another. */
      readonly mode: string;
      /** It denies blocked addresses. A front end without the rule degrades the status unless it is `open`. */
      readonly has_rule: boolean;
      /** File and line of a rule that may answer requests earlier; null: none. With `has_rule: false` it is the reason why an existing rule does not count; with `has_rule: true` it does not degrade the status. */
      readonly answered_before: string | null;
      /** It needs no rule: `PROXY_MANAGER_OPEN_FRONT_ENDS` names it. */
      readonly open: boolean;
    };
    /** The state of all parts. */
    Health: {
      /** `degraded`: some blocked requests may get through, or a part could not be checked in time; `down`: no usable database, or no worker. */
      readonly status: 'ok' | 'degraded' | 'down';
      /** What is wrong, one sentence each; empty if the status is `ok`. */
      readonly reasons: readonly string[];
      /** The database. */
      readonly database: components['schemas']['DatabaseHealth'];
      /** The master socket of HAProxy. */
      readonly master_socket: components['schemas']['MasterSocketHealth'];
      /** The workers of HAProxy. */
      readonly workers: components['schemas']['WorkersHealth'];
      /** The map files. */
      readonly map_file: components['schemas']['MapFileHealth'];
      /** The current worker's map of blocked addresses. */
      readonly runtime_map: components['schemas']['RuntimeMapHealth'];
      /** The last reload since the service started; null: none. */
      readonly last_reload: components['schemas']['LastReload'] | null;
      /** Whether the live configuration is what sites, settings and template render to now; null: the service is attached. */
      readonly configuration_drift: components['schemas']['ConfigurationDrift'] | null;
      /** The configuration of HAProxy if the service is attached; otherwise null. */
      readonly attached: components['schemas']['Attached'] | null;
      /** The map of trusted addresses. */
      readonly trusted_map: components['schemas']['TrustedMapHealth'];
      /** The reload that follows automatically; null: none. */
      readonly scheduled_reload: components['schemas']['ScheduledReload'] | null;
      /** What an operator should know and what does not degrade the status, one sentence each: an upstream that sent requests without a client, a denied page that was refused, an access log without its socket. Empty also while they could not be read in time. */
      readonly notices: readonly string[];
      /** Valid keys with the scope `block`, without `admin`, that are not bound to a source: their unblocks drop the blocks of operators. Bind each to a source, or mark it as `manual`. It does not degrade the status. Null: the database did not answer in time. */
      readonly unbound_keys: readonly string[] | null;
      /** The versions of service and HAProxy. */
      readonly versions: components['schemas']['Versions'];
    };
    /** HTTP Strict Transport Security, RFC 6797. */
    Hsts: {
      /** For how many seconds. 0: browsers forget it. */
      readonly max_age: number;
      /** Whether it includes every name below the site. */
      readonly include_subdomains: boolean;
      /** Whether browsers may contain the name as a default. Requires `include_subdomains` and a `max_age` of a year; hard to undo. */
      readonly preload: boolean;
    };
    /** HTTP Strict Transport Security, RFC 6797. */
    HstsRequest: {
      /** For how many seconds. 0: browsers forget it. A whole number from 0 to 315360000. */
      readonly max_age: number;
      /** Whether it includes every name below the site. Default false. True or false. */
      readonly include_subdomains?: boolean;
      /** Whether browsers may contain the name as a default. Requires `include_subdomains` and a `max_age` of a year; hard to undo. Default false. True or false. */
      readonly preload?: boolean;
    } | null;
    /** For how long the client is no candidate. */
    IgnoreRequest: {
      /** So many seconds from now; 0: it may be one again. A whole number from 0 to 31536000. */
      readonly ignored_for_seconds: number;
    };
    /** Until when a client is no candidate. */
    IgnoredClient: {
      /** The address; of IPv6 its /64. */
      readonly ip_address: string;
      /** Until then; null: it may be one. */
      readonly ignored_until: string | null;
    };
    /** A time in which denied requests were not counted, or only as a sum. */
    InsightGap: {
      /** Its begin. */
      readonly from: string;
      /** Its end. */
      readonly to: string;
      /** Why. */
      readonly cause: string;
    };
    /** Above which figures a client is a candidate, and a rise an attack. */
    InsightLimits: {
      /** Requests a second over ten minutes, above which a client is a candidate. A whole number from 1 to 1000000. */
      readonly rate: number;
      /** Of its requests, from 0 to 1: errors (4xx of a server), above which a client is a candidate. A number from 0 to 1. */
      readonly error_share: number;
      /** Errors in ten minutes, below which their share does not matter. A whole number from 1 to 1000000000. */
      readonly error_requests: number;
      /** Times the usual number of denied requests, above which a rise is an attack. A whole number from 1 to 1000. */
      readonly attack_factor: number;
      /** Denied requests a minute, below which nothing is an attack. A whole number from 1 to 1000000000. */
      readonly attack_minimum: number;
    };
    /** The same figures of the time of equal length before. */
    InsightPrevious: {
      /** Denied requests; null: not known. */
      readonly denied: number | null;
      /** Requests; null: not known. */
      readonly requests: number | null;
      /** Denied requests that no entry explains; null: not known. */
      readonly not_attributed: number | null;
    };
    /** Figures over time. */
    InsightSeries: {
      /** The begin of the first step. */
      readonly from: string;
      /** How many seconds each step has. */
      readonly step_seconds: number;
      /** The name of each list of values: a site, a source, or the metric. */
      readonly labels: readonly string[];
      /** The values of each label. */
      readonly values: readonly (readonly (number | null)[])[];
      /** What happened in the range, oldest first: all stored attacks, also those that began before it and lasted into it, and at most the last 200 of the other kinds. */
      readonly marks: readonly components['schemas']['SeriesMark'][];
      /** How the figures are estimated; null: they are exact. */
      readonly sampled: components['schemas']['Sampled'] | null;
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** What the blocked set did in the range. */
    InsightSummary: {
      /** How many seconds the range has. */
      readonly range_seconds: number;
      /** Denied requests; null: not known. */
      readonly denied: number | null;
      /** Requests; null: not known. */
      readonly requests: number | null;
      /** Denied requests that no entry explains; null: not known. */
      readonly not_attributed: number | null;
      /** How many addresses were denied in the range, of the last 100,000; null: HAProxy does not count them. */
      readonly addresses: number | null;
      /** How many of them had not been denied before; null: as for `addresses`. */
      readonly new_addresses: number | null;
      /** How many entries are blocked now. */
      readonly entries: number;
      /** How many of them expire within 24 hours. */
      readonly expiring_24h: number;
      /** Entries that denied nothing for a long time. */
      readonly never_matched: components['schemas']['NeverMatched'];
      /** How many clients are candidates now; null: HAProxy does not count clients. */
      readonly candidates: number | null;
      /** The attack that continues; null: there is none. */
      readonly attack: components['schemas']['CurrentAttack'] | null;
      /** When denied requests were first counted; null: not yet. */
      readonly since: string | null;
      /** When HAProxy's tables were last read in this run of the service; null: not yet. */
      readonly last_read_at: string | null;
      /** For comparison. */
      readonly previous: components['schemas']['InsightPrevious'];
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** Whether the source still has its claims. */
    KeptSource: {
      /** The name of the source. */
      readonly name: string;
      /** How many claims it has. */
      readonly claims: number;
      /** No release and no removal dropped its claims. False, also if it is repeated, until the agent claims again, as it must; false also if it has never had any. */
      readonly kept: boolean;
    };
    /** A key, without the key itself. */
    Key: {
      /** The name of the key in the log and the audit log. */
      readonly name: string;
      /** What the key may do: `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** When it was created. */
      readonly created_at: string;
      /** When it expires; null: never. */
      readonly expires_at: string | null;
      /** When it was revoked; null: it is not revoked. */
      readonly revoked_at: string | null;
      /** The source whose claims its requests change; null: it is not bound to one, and they change `manual`, like a key bound to `manual`. */
      readonly source: string | null;
      /** When it was last used, accurate to a minute; null: never. */
      readonly last_used_at: string | null;
    };
    /** The key to create. */
    KeyRequest: {
      /** The name of the key in lists, the log and the audit log. A name of 1 to 64 letters, digits, dots, dashes and underscores that starts with a letter or digit. */
      readonly name: string;
      /** What the key may do; absent: `["admin"]`. A list of different scopes of read, block, admin. */
      readonly scopes?: readonly ('read' | 'block' | 'admin')[];
      /** The source whose claims its requests change, and the only one: `fail2ban` includes `fail2ban:sshd`. Absent: it is not bound, and they change `manual`. A name of 1 to 64 letters, digits, dots, hyphens and underscores that starts with a letter or digit; colons separate parts, as in fail2ban:sshd. */
      readonly source?: string;
      /** When it expires; absent or null: never. A time with a time zone such as 2030-01-31T12:00:00Z, or null for never. */
      readonly expires_at?: string | null;
    };
    /** The source to bind the key to. */
    KeySource: {
      /** The name of the source. A name of 1 to 64 letters, digits, dots, hyphens and underscores that starts with a letter or digit; colons separate parts, as in fail2ban:sshd. */
      readonly source: string;
    };
    /** All keys. */
    Keys: {
      /** The entries. */
      readonly items: readonly components['schemas']['Key'][];
    };
    /** An address that was denied. */
    KnockingAddress: {
      /** The address. */
      readonly ip_address: string;
      /** The entry that denied it last; null: none that still exists. */
      readonly entry: string | null;
      /** The source whose claim this entry carries; null: unknown. */
      readonly source: string | null;
      /** How many requests were denied in the range. */
      readonly hits: number;
      /** How many requests were denied since the first one. */
      readonly total: number;
      /** When it was first denied. */
      readonly first_hit: string;
      /** When it was last denied. */
      readonly last_hit: string;
      /** Of each of the last 24 hours, the current one last. */
      readonly spark: readonly number[];
    };
    /** A page of addresses that were denied. */
    KnockingPage: {
      /** The addresses. */
      readonly items: readonly components['schemas']['KnockingAddress'][];
      /** How many there are. */
      readonly total: number;
      /** `cursor` of the next page; null: this is the last one. */
      readonly next_cursor: string | null;
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** How many accepted entries belong to a CDN. */
    KnownCdn: {
      /** The CDN, by the lists of proxy-manager. */
      readonly cdn: 'cloudflare' | 'fastly' | 'cloudfront';
      /** How many accepted entries belong to it. */
      readonly entries: number;
      /** The first of them. */
      readonly example: string;
    };
    /** The last reload since the service started. */
    LastReload: {
      /** Its id in the history. */
      readonly id: string;
      /** The outcome. */
      readonly status: 'completed' | 'refused' | 'failed';
      /** When it ended. */
      readonly finished_at: string;
      /** Why it did not complete; null if it did, and for keys without the scope `admin`. */
      readonly error: string | null;
      /** The error code; null if it completed. */
      readonly error_code: number | null;
    };
    /** The new limits. */
    LimitsRequest: {
      /** Requests a second over ten minutes, above which a client is a candidate. A whole number from 1 to 1000000. */
      readonly rate: number;
      /** Of its requests, from 0 to 1: errors (4xx of a server), above which a client is a candidate. A number from 0 to 1. */
      readonly error_share: number;
      /** Errors in ten minutes, below which their share does not matter. A whole number from 1 to 1000000000. */
      readonly error_requests: number;
      /** Times the usual number of denied requests, above which a rise is an attack. A whole number from 1 to 1000. */
      readonly attack_factor: number;
      /** Denied requests a minute, below which nothing is an attack. A whole number from 1 to 1000000000. */
      readonly attack_minimum: number;
    };
    /** A network of 1,024 cells: a /8, or with `network` a /14. */
    MapBlock: {
      /** The network. */
      readonly network: string;
      /** How many entries begin in it. */
      readonly entries: number;
      /** How many of its addresses are blocked, each counted once. */
      readonly addresses: number;
      /** How many requests of its addresses were denied in the last 24 hours; only of the layer `hits`. */
      readonly denied?: number;
    };
    /** The map files. */
    MapFileHealth: {
      /** `behind`: its content is not what it should be; `unknown`: it could not be checked in time. */
      readonly status: 'ok' | 'behind' | 'unknown';
      /** What is wrong; null if the status is `ok`. */
      readonly reason: string | null;
      /** How many addresses the map file of blocked addresses has. */
      readonly entries: number;
    };
    /** A blocked network. */
    MapNetwork: {
      /** The network. */
      readonly network: string;
      /** How many addresses it has. */
      readonly addresses: number;
    };
    /** How many entries have a size. */
    MapSize: {
      /** The prefix of an entry; 32: a single address. */
      readonly prefix: number;
      /** How many entries with it begin in the map or cover it. */
      readonly entries: number;
    };
    /** The master socket of HAProxy. */
    MasterSocketHealth: {
      /** `ok`: it answered; `unknown`: it did not answer in time. */
      readonly status: 'ok' | 'down' | 'unknown';
      /** What is wrong; null if the status is `ok`. */
      readonly reason: string | null;
      /** Since when it is down; null if it is not. */
      readonly since: string | null;
    };
    /** Entries that were blocked all the time and denied nothing. */
    NeverMatched: {
      /** How many days. */
      readonly days: number;
      /** How many entries; null: not known, since not all of these days were watched. Counted once an hour. */
      readonly count: number | null;
      /** How many entries were blocked on all of these days: only they can be counted. With 0, `count` says nothing. Null: as for `count`. */
      readonly old_enough: number | null;
      /** How many days without larger gaps denied requests have been watched, at most as many as `days`. */
      readonly watched_days: number;
    };
    /** A new key. */
    NewKey: {
      /** The name of the key in the log and the audit log. */
      readonly name: string;
      /** What the key may do: `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** When it was created. */
      readonly created_at: string;
      /** When it expires; null: never. */
      readonly expires_at: string | null;
      /** When it was revoked; null: it is not revoked. */
      readonly revoked_at: string | null;
      /** The source whose claims its requests change; null: it is not bound to one, and they change `manual`, like a key bound to `manual`. */
      readonly source: string | null;
      /** When it was last used, accurate to a minute; null: never. */
      readonly last_used_at: string | null;
      /** The key itself. It is not stored and cannot be shown again. */
      readonly key: string;
    };
    /** A new session. */
    NewSession: {
      /** The name of the key in the log and the audit log. */
      readonly name: string;
      /** What the key may do: `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** The source that the key is bound to, whose claims its requests change; null: none. */
      readonly source: string | null;
      /** When the key expires; null: never. */
      readonly expires_at: string | null;
      /** The address that the request came from; null: a unix socket. */
      readonly client_address: string | null;
      /** The same address, if trusting it trusts this client only, as far as the service can tell. Null for loopback, for an address of the service's machine, and for a request that a proxy forwarded. */
      readonly trustable_address: string | null;
      /** When the session ends at the latest; null: the request uses a key. */
      readonly session_ends_at: string | null;
      /** The bearer token of the session. It is not stored and cannot be shown again. */
      readonly token: string;
    };
    /** Something that a person on call should know. */
    Notice: {
      /** Its id; newer ones are higher. */
      readonly id: number;
      /** The type of the event that caused it, such as `reload.failed`. */
      readonly type: string;
      /** `failure`: something failed. `attention`: check its cause. */
      readonly level: 'failure' | 'attention';
      /** What it is. */
      readonly title: string;
      /** More about it; null: nothing, or it is for administrators. */
      readonly detail: string | null;
      /** The page of the panel that shows more. */
      readonly page: string;
      /** When it began. */
      readonly at: string;
      /** When its cause ended; null: it continues, or it is about a moment. */
      readonly ended_at: string | null;
      /** Whether the key of this request has read it. */
      readonly read: boolean;
    };
    /** Notices, the newest first. */
    NoticePage: {
      /** The notices. */
      readonly items: readonly components['schemas']['Notice'][];
      /** How many of all notices the key of this request has not read. */
      readonly unread: number;
    };
    /** Up to where the key of this request has read. */
    NoticesRead: {
      /** The id of the last notice that was read; 0: none. */
      readonly up_to: number;
      /** How many are newer. */
      readonly unread: number;
    };
    /** The last notice that was read. */
    NoticesReadRequest: {
      /** The id of the last notice that was read; the older ones are read too. The id of a notice, or 0. */
      readonly up_to: number;
    };
    /** An OpenAPI 3.1 document. */
    OpenApiDocument: { readonly [name: string]: unknown };
    /** The same as OpenMetrics: `# TYPE` names counters without `_total`, and the last line is `# EOF`. */
    OpenMetricsText: string;
    /** A name that belongs to another certificate. */
    OwnedName: {
      /** The name. */
      readonly name: string;
      /** The id of its certificate. */
      readonly certificate: string;
    };
    /** A page of HTML. */
    Page: string;
    /** An error (RFC 9457). Programs read `code`, people read `detail`. Some errors have more members, which the operation documents. */
    Problem: {
      /** A stable URN of the code. It cannot be fetched. */
      readonly type: string;
      /** The message of the code, the same for every error with this code. */
      readonly title: string;
      /** The HTTP status. */
      readonly status: number;
      /** What failed, why, and what to do. */
      readonly detail: string;
      /** The number of the error. Its kind and meaning never change. */
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
        | 109
        | 110
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
        | 6034
        | 6035
        | 6036
        | 6040
        | 6041
        | 6042
        | 6043
        | 6044
        | 6045
        | 6050
        | 6051
        | 6052
        | 6053
        | 6054
        | 6055
        | 6056
        | 6058
        | 6059
        | 6060
        | 6062
        | 6063
        | 7010
        | 7011
        | 7012
        | 7017;
      /** The family of the code, one word. */
      readonly kind: string;
      /** The operation that failed. */
      readonly op: string;
      /** The rejected fields of the request; empty if the error is not about fields. */
      readonly errors: readonly components['schemas']['FieldError'][];
      /** The id of the request, as in `X-Request-Id`. */
      readonly request_id: string;
    };
    /** Lines of `name{label="value"} number`, with `# HELP` and `# TYPE` before each metric. */
    PrometheusText: string;
    /** The same error as `errors.v1.ApiError`, with `Accept: application/x-protobuf`; as `errors.v1.Err` with `Accept: application/x-protobuf; messageType="errors.v1.Err"`. The messages are defined in `proto/` of the project. */
    ProtobufError: string;
    /** Where a site redirects to. */
    Redirect: {
      /** An http or https URL. It may not be one that this or another site redirects again. */
      readonly to: string;
      /** The status of the redirect. 301, 302, 307 or 308. */
      readonly status: 301 | 302 | 307 | 308;
      /** Whether path and query of the request are appended to `to`. */
      readonly keep_path: boolean;
    };
    /** Sends all requests to another address; such a site has no servers. Null: the servers answer. */
    RedirectRequest: {
      /** An http or https URL. It may not be one that this or another site redirects again. A URL such as https://www.example.com. */
      readonly to: string;
      /** The status of the redirect. 301, 302, 307 or 308. */
      readonly status?: 301 | 302 | 307 | 308;
      /** Whether path and query of the request are appended to `to`. True or false. */
      readonly keep_path?: boolean;
    } | null;
    /** A line or element that was not applied. */
    Rejection: {
      /** The line of a text list, counted from 1. */
      readonly line?: number;
      /** The list of a batch. */
      readonly list?: 'add' | 'remove';
      /** The index in a JSON list, counted from 0. */
      readonly index?: number;
      /** The value that was sent, shortened if it is long. */
      readonly value: string;
      /** What is wrong with it, and what is allowed. */
      readonly why: string;
      /** For a valid element: 6007, covered by trust (`force`), or 6030, a wide network (`allow_wide`). */
      readonly code?: number;
    };
    /** When to drop the claims. */
    ReleaseRequest: {
      /** In how many seconds. A whole number from 0 to 31536000. */
      readonly after_seconds: number;
    };
    /** What is released, and when. */
    ReleasedSource: {
      /** The name of the source. */
      readonly name: string;
      /** How many claims it has. */
      readonly claims: number;
      /** When they are dropped. */
      readonly release_at: string;
    };
    /** What a safe reload did. */
    ReloadAnswer: {
      /** Its id in the history. */
      readonly id: string;
      /** A reload that did not complete is a problem document. */
      readonly status: 'completed';
      /** Who requested it, or what made it necessary. */
      readonly reasons: readonly string[];
      /** The live configuration changed. */
      readonly changed: boolean;
      /** The backup of the previous configuration, an older one if it is the same; null: there was nothing to back up. */
      readonly backup: string | null;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after: number | null;
      /** The duration in milliseconds. */
      readonly duration_ms: number;
      /** What did not prevent the reload but should be checked. */
      readonly warnings: readonly string[];
    };
    /** What was done before the reload failed, and undone afterwards; the members depend on how far it got. */
    ReloadMembers: {
      /** The id of the reload in the history. */
      readonly id?: string;
      /** Who requested it, or what made it necessary. */
      readonly reasons?: readonly string[];
      /** The backup that was created before; null: it failed earlier. */
      readonly backup?: string | null;
      /** The messages of HAProxy or of the template. */
      readonly output?: string;
      /** The line of the template. */
      readonly line?: number;
      /** The last known good configuration is in force again. */
      readonly restored?: boolean;
      /** Why it could not be restored. */
      readonly restore_failure?: string;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before?: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after?: number | null;
      /** The duration in milliseconds. */
      readonly duration_ms?: number;
    };
    /** A page of the history. */
    ReloadPage: {
      /** The entries. */
      readonly items: readonly components['schemas']['ReloadRecord'][];
      /** The `cursor` of the next page; null on the last page. */
      readonly next_cursor: string | null;
    };
    /** A reload of the history. */
    ReloadRecord: {
      /** Its id. */
      readonly id: string;
      /** `refused`: the template or HAProxy rejected the configuration; `failed`: the reload was not confirmed, or something else failed. */
      readonly status: 'completed' | 'refused' | 'failed';
      /** Who requested it, or what made it necessary. */
      readonly reasons: readonly string[];
      /** The configuration differed from the live one; null: it failed before the comparison. */
      readonly changed: boolean | null;
      /** The messages of HAProxy or of the template; null: none. */
      readonly validation_output: string | null;
      /** Why it did not complete; null if it did. */
      readonly error: string | null;
      /** The id of the backup that was created before; null: none. */
      readonly backup: string | null;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after: number | null;
      /** What did not prevent the reload but should be checked. */
      readonly warnings: readonly string[];
      /** When it began. */
      readonly started_at: string;
      /** When it ended. */
      readonly finished_at: string | null;
    };
    /** What was dropped. */
    RemovedSource: {
      /** The name of the source. */
      readonly name: string;
      /** How many claims it had. */
      readonly claims_dropped: number;
      /** How many addresses are no longer blocked: those that no other source claims. */
      readonly removed: number;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** What the rejected change would have done; the members depend on `code`. */
    ReplaceConflictMembers: {
      /** How many entries would have been removed (6006). */
      readonly would_remove?: number;
      /** How many entries exist; of a claim (6031), how many claims there are beyond the first of each entry. */
      readonly current_total?: number;
      /** How many entries, or such claims, there would have been (6031). */
      readonly would_be?: number;
      /** How many entries, and how many such claims, are allowed (6031). */
      readonly limit?: number;
    };
    /** One worker that was not verified for one address. */
    RuntimeMapFailure: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The pid; null if no worker could be addressed. */
      readonly worker: number | null;
      /** The command that was sent. */
      readonly command: string;
      /** The worker's reply, line by line. */
      readonly responses: readonly string[];
      /** Why the entry could not be verified. */
      readonly reason: string;
    };
    /** The current worker's map of blocked addresses. */
    RuntimeMapHealth: {
      /** How many entries it should have. */
      readonly expected: number;
      /** How many entries it has; null: it did not answer. */
      readonly seen: number | null;
      /** The list or large batch that is being applied; null: none. */
      readonly big_change: components['schemas']['BigChange'] | null;
      /** When all its entries were last verified; null: not yet. */
      readonly last_verified_at: string | null;
    };
    /** Figures that are estimated from a sample of the requests. */
    Sampled: {
      /** How many requests stand for one that is counted. */
      readonly one_in: number;
    };
    /** Filters of a list of the panel, saved under a name. */
    SavedView: {
      /** Its name. */
      readonly name: string;
      /** The page of the panel that it opens. */
      readonly page: string;
      /** The filters and the order, as the search string of this page, without the question mark. */
      readonly query: string;
      /** The key that created it. */
      readonly created_by: string;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
    };
    /** The removed view. */
    SavedViewRemoved: {
      /** Its name. */
      readonly name: string;
    };
    /** The view to save. */
    SavedViewRequest: {
      /** The page of the panel that it opens. The path of a page of the panel, such as /blocked. */
      readonly page: string;
      /** The filters and the order, as the search string of this page, without the question mark. A search string of 1 to 2048 characters, such as source=drop&sort=blocked_at. */
      readonly query: string;
    };
    /** All saved views. */
    SavedViews: {
      /** The views, in the order of their names. */
      readonly items: readonly components['schemas']['SavedView'][];
    };
    /** A reload that follows automatically. */
    ScheduledReload: {
      /** Who requested it, or what made it necessary. */
      readonly reasons: readonly string[];
      /** Since when it is scheduled. */
      readonly since: string;
      /** How often it was attempted. */
      readonly attempts: number;
    };
    /** What the key lacks. */
    ScopeMembers: {
      /** The scope that the key needs. */
      readonly missing_scope?: 'read' | 'block' | 'admin';
    };
    /** One line of a request header. */
    SentHeader: {
      /** Its name, in any case. The name of a header, of 1 to 128 characters. */
      readonly name: string;
      /** Its value, as it was sent. One line of at most 8192 characters, without control characters. */
      readonly value: string;
    };
    /** Something that happened at a point of a chart. */
    SeriesMark: {
      /** When; of a gap and an attack its begin. */
      readonly at: string;
      /** What it was. `import`: a bulk change of at least 100 entries; `start`: of the service. */
      readonly kind: 'reload' | 'import' | 'attack' | 'gap' | 'start';
      /** What to show. */
      readonly text: string;
      /** Of an attack: when it ended; null: it continues. Other kinds do not have it. */
      readonly ended_at?: string | null;
    };
    /** One server of a site. */
    Server: {
      /** A host name or an IP address. */
      readonly address: string;
      /** The TCP port. */
      readonly port: number;
      /** How HAProxy uses the server; absent: the defaults. */
      readonly options?: components['schemas']['ServerOptions'];
    };
    /** How HAProxy uses a server. */
    ServerOptions: {
      /** The share of requests relative to the other servers; 0: none. */
      readonly weight?: number;
      /** Used only if every other server is down. */
      readonly backup?: boolean;
      /** The maximum number of simultaneous connections. */
      readonly max_connections?: number;
      /** Whether its health is checked; absent: true. */
      readonly check?: boolean;
      /** TLS to the server: `none`, `verify` (its certificate is verified) or `insecure` (any certificate). */
      readonly ssl?: 'none' | 'verify' | 'insecure';
    };
    /** How HAProxy uses a server. */
    ServerOptionsRequest: {
      /** The share of requests relative to the other servers; 0: none. */
      readonly weight?: number;
      /** Used only if every other server is down. */
      readonly backup?: boolean;
      /** The maximum number of simultaneous connections. */
      readonly max_connections?: number;
      /** Whether its health is checked; absent: true. */
      readonly check?: boolean;
      /** TLS to the server: `none`, `verify` (its certificate is verified) or `insecure` (any certificate). */
      readonly ssl?: 'none' | 'verify' | 'insecure';
    };
    /** One server of a site. */
    ServerRequest: {
      /** A host name or an IP address. A host name or an IP address. */
      readonly address: string;
      /** The TCP port. A whole number from 1 to 65535. */
      readonly port: number;
      /** How HAProxy uses the server; absent: the defaults. An object of server options. */
      readonly options?: components['schemas']['ServerOptionsRequest'];
    };
    /** One server as HAProxy sees it. */
    ServerState: {
      /** A host name or an IP address. */
      readonly address: string;
      /** The TCP port. */
      readonly port: number;
      /** The status in HAProxy (`UP`, `DOWN`, `MAINT`, `no check`, …); null: HAProxy did not answer, or the site is disabled. */
      readonly status: string | null;
      /** The result of the last health check (`L4OK`, `L4CON`, …); null without checks. */
      readonly check: string | null;
      /** The address and port in use; null while the name is not resolved. */
      readonly resolved_address: string | null;
    };
    /** The servers of a site as HAProxy sees them. */
    ServerStates: {
      /** The entries. */
      readonly items: readonly components['schemas']['ServerState'][];
    };
    /** The key of the request. */
    Session: {
      /** The name of the key in the log and the audit log. */
      readonly name: string;
      /** What the key may do: `block` includes `read`, and `admin` everything. */
      readonly scopes: readonly ('read' | 'block' | 'admin')[];
      /** The source that the key is bound to, whose claims its requests change; null: none. */
      readonly source: string | null;
      /** When the key expires; null: never. */
      readonly expires_at: string | null;
      /** The address that the request came from; null: a unix socket. */
      readonly client_address: string | null;
      /** The same address, if trusting it trusts this client only, as far as the service can tell. Null for loopback, for an address of the service's machine, and for a request that a proxy forwarded. */
      readonly trustable_address: string | null;
      /** When the session ends at the latest; null: the request uses a key. */
      readonly session_ends_at: string | null;
    };
    /** The size of the set and its maximum. */
    SetFullMembers: {
      /** How many entries exist; of a claim (6031), how many claims there are beyond the first of each entry. */
      readonly current_total?: number;
      /** How many entries, or such claims, there would have been (6031). */
      readonly would_be?: number;
      /** How many entries, and how many such claims, are allowed (6031). */
      readonly limit?: number;
    };
    /** A site as it is stored. */
    Site: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The servers, each with another address or port; none if the site redirects. */
      readonly servers: readonly components['schemas']['Server'][];
      /** Further names: host names, and wildcards such as `*.example.com`, which cover one label. An exact name wins over a wildcard. A name belongs to one site (409, 6054). */
      readonly names: readonly string[];
      /** The domain or one of the names: requests for the other host names of the site are redirected to it, with the same scheme, port and path, by 301 (GET and HEAD) or 308. Null: none. */
      readonly canonical: string | null;
      /** False: the names stay those of this site, and HAProxy answers them as it answers a name without a site (404). */
      readonly enabled: boolean;
      /** Sends all requests to another address; such a site has no servers. Null: the servers answer. */
      readonly redirect: components['schemas']['Redirect'] | null;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
    };
    /** The site as it is now, and the reload that put it into force. */
    SiteAnswer: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The servers, each with another address or port; none if the site redirects. */
      readonly servers: readonly components['schemas']['Server'][];
      /** Further names: host names, and wildcards such as `*.example.com`, which cover one label. An exact name wins over a wildcard. A name belongs to one site (409, 6054). */
      readonly names: readonly string[];
      /** The domain or one of the names: requests for the other host names of the site are redirected to it, with the same scheme, port and path, by 301 (GET and HEAD) or 308. Null: none. */
      readonly canonical: string | null;
      /** False: the names stay those of this site, and HAProxy answers them as it answers a name without a site (404). */
      readonly enabled: boolean;
      /** Sends all requests to another address; such a site has no servers. Null: the servers answer. */
      readonly redirect: components['schemas']['Redirect'] | null;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** True: the configuration in force serves the site. False: the site is disabled, or the template does not use the sites. */
      readonly served: boolean;
      /** What the template does not apply, because it does not use `names_map`; with the built-in template nothing. */
      readonly ignored: readonly ('names' | 'canonical' | 'enabled' | 'redirect')[];
      /** The safe reload that put it into force. */
      readonly reload: components['schemas']['ReloadAnswer'];
    };
    /** The members depend on `code`. */
    SiteConflictMembers: {
      /** The id of the reload in the history. */
      readonly id?: string;
      /** Who requested it, or what made it necessary. */
      readonly reasons?: readonly string[];
      /** The backup that was created before; null: it failed earlier. */
      readonly backup?: string | null;
      /** The messages of HAProxy or of the template. */
      readonly output?: string;
      /** The line of the template. */
      readonly line?: number;
      /** The last known good configuration is in force again. */
      readonly restored?: boolean;
      /** Why it could not be restored. */
      readonly restore_failure?: string;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before?: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after?: number | null;
      /** The duration in milliseconds. */
      readonly duration_ms?: number;
      /** The site that has the name (6054). */
      readonly site?: string;
    };
    /** The name of the site, and the reload that removed it. */
    SiteRemoved: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** The safe reload that put it into force. */
      readonly reload: components['schemas']['ReloadAnswer'];
    };
    /** What HAProxy serves for this domain: `servers`, or a `redirect`. An absent member has its default, also when a site is replaced, unless the query says `keep_absent=true`. */
    SiteRequest: {
      /** The servers, each with another address or port; none if the site redirects. A list of 1 to 100 servers. */
      readonly servers?: readonly components['schemas']['ServerRequest'][];
      /** Further names: host names, and wildcards such as `*.example.com`, which cover one label. An exact name wins over a wildcard. A name belongs to one site (409, 6054). A list of at most 100 names. */
      readonly names?: readonly string[];
      /** The domain or one of the names: requests for the other host names of the site are redirected to it, with the same scheme, port and path, by 301 (GET and HEAD) or 308. Null: none. A name or null. */
      readonly canonical?: string | null;
      /** False: the names stay those of this site, and HAProxy answers them as it answers a name without a site (404). Absent: true. True or false. */
      readonly enabled?: boolean;
      /** Sends all requests to another address; such a site has no servers. Null: the servers answer. An object with to, or null. */
      readonly redirect?: components['schemas']['RedirectRequest'];
    };
    /** What the site wants of https, and whether that is in force. */
    SiteTls: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** `auto`: requests over plain HTTP are redirected to https (301, for other methods than GET and HEAD 308), as long as a certificate for the name is served. `off`: they are answered. */
      readonly redirect: 'auto' | 'off';
      /** HSTS: browsers use https alone for the site. The header is sent over https, as long as a certificate for the name is served. Null: it is not sent. A browser that has it rejects an invalid certificate without a way around. */
      readonly hsts: components['schemas']['Hsts'] | null;
      /** False: HAProxy serves no TLS, because `PROXY_MANAGER_HTTPS_BIND` is empty. Then nothing of this is in force. */
      readonly tls_enabled: boolean;
      /** The id of the certificate for the name; null: there is none. */
      readonly certificate: string | null;
      /** The names of the site for which there is no certificate. */
      readonly names_without_certificate: readonly string[];
      /** True: HAProxy does what `redirect` and `hsts` say. */
      readonly in_force: boolean;
      /** Why it is not in force; null if it is. */
      readonly reason: string | null;
    };
    /** What the site wants of https, and whether the workers hold it. */
    SiteTlsAnswer: {
      /** The host name of the site, in lower case. */
      readonly domain: string;
      /** `auto`: requests over plain HTTP are redirected to https (301, for other methods than GET and HEAD 308), as long as a certificate for the name is served. `off`: they are answered. */
      readonly redirect: 'auto' | 'off';
      /** HSTS: browsers use https alone for the site. The header is sent over https, as long as a certificate for the name is served. Null: it is not sent. A browser that has it rejects an invalid certificate without a way around. */
      readonly hsts: components['schemas']['Hsts'] | null;
      /** False: HAProxy serves no TLS, because `PROXY_MANAGER_HTTPS_BIND` is empty. Then nothing of this is in force. */
      readonly tls_enabled: boolean;
      /** The id of the certificate for the name; null: there is none. */
      readonly certificate: string | null;
      /** The names of the site for which there is no certificate. */
      readonly names_without_certificate: readonly string[];
      /** True: HAProxy does what `redirect` and `hsts` say. */
      readonly in_force: boolean;
      /** Why it is not in force; null if it is. */
      readonly reason: string | null;
      /** True: every worker was read back to hold it. False: see `reason`. */
      readonly runtime_updated: boolean;
      /** A reload is scheduled, because the current worker could not be verified. */
      readonly reload_scheduled: boolean;
    };
    /** What the site wants of https. An absent field is switched off, unless the query says `keep_absent=true`. */
    SiteTlsRequest: {
      /** `auto`: requests over plain HTTP are redirected to https (301, for other methods than GET and HEAD 308), as long as a certificate for the name is served. `off`: they are answered. Default `off`. */
      readonly redirect?: 'auto' | 'off';
      /** HSTS: browsers use https alone for the site. The header is sent over https, as long as a certificate for the name is served. Null: it is not sent. A browser that has it rejects an invalid certificate without a way around. Default null. An object with max_age, or null. */
      readonly hsts?: components['schemas']['HstsRequest'];
    };
    /** The traffic of a site in the last 24 hours: the current hour and the 23 before. */
    SiteTraffic: {
      /** Its domain. */
      readonly site: string;
      /** How many requests there were for its servers, also those that HAProxy answered because none was up. Redirects are not counted. Null: not known. */
      readonly requests: number | null;
      /** How many requests were denied, estimated; null: not known. */
      readonly denied: number | null;
      /** How many of `requests` were answered with 5xx, by a server or by HAProxy; null: not known. */
      readonly server_errors: number | null;
      /** Milliseconds from a request to the start of its response, on average, from HAProxy’s moving averages; null: there were no requests, or it is not known. */
      readonly response_ms: number | null;
    };
    /** The traffic of each site. */
    SiteTrafficList: {
      /** All sites, by domain. */
      readonly items: readonly components['schemas']['SiteTraffic'][];
      /** How `denied` is estimated. */
      readonly sampled: components['schemas']['Sampled'];
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** All sites. */
    Sites: {
      /** The entries. */
      readonly items: readonly components['schemas']['Site'][];
      /** How many there are. */
      readonly total: number;
    };
    /** A source of claims to blocked addresses. */
    Source: {
      /** The name of the source. */
      readonly name: string;
      /** `manual`: requests that name no source. `agent`: a program that blocks and unblocks single addresses, such as fail2ban. `list`: a complete list, sent again and again; an unblock does not change it. */
      readonly kind: 'manual' | 'agent' | 'list';
      /** A note; null: none. */
      readonly note: string | null;
      /** When all its claims are dropped, unless the source keeps them; null: not. */
      readonly release_at: string | null;
      /** When it was first named. */
      readonly created_at: string;
      /** How many addresses it claims. */
      readonly claims: number;
      /** How many of them no other source claims: they would be unblocked without it. */
      readonly alone: number;
      /** When it made its newest claim, which it may have dropped since; null: none is known. */
      readonly last_claimed_at: string | null;
    };
    /** What a source does. */
    SourceEffect: {
      /** The name of the source. */
      readonly source: string;
      /** `manual`, `agent` or `list`. */
      readonly kind: string;
      /** How many addresses it claims. */
      readonly entries: number;
      /** How many of them no other source claims. */
      readonly only_here: number;
      /** How many entries that carry its claim denied a request in the last 30 days. */
      readonly matched_30d: number;
      /** Denied requests in the range, of entries that carry its claim. */
      readonly denied: number;
      /** Of all denied requests in the range, from 0 to 1; null: there were none. */
      readonly share: number | null;
      /** When one of its claims last denied a request; null: never, as far as is known. */
      readonly last_match: string | null;
    };
    /** What each source does. */
    SourceEffects: {
      /** The sources, the oldest first. */
      readonly items: readonly components['schemas']['SourceEffect'][];
      /** True: the whole range was watched, without a gap. */
      readonly complete: boolean;
      /** Gaps in the range. */
      readonly gaps: readonly components['schemas']['InsightGap'][];
    };
    /** The kind and note of a source. */
    SourceRequest: {
      /** Absent: kept; of a new source `list`. Not for `manual`. */
      readonly kind?: 'agent' | 'list';
      /** A note. Absent: kept; null: none. One line of text of at most 500 characters, without control characters, or null. */
      readonly note?: string | null;
    };
    /** All sources. */
    Sources: {
      /** The entries. */
      readonly items: readonly components['schemas']['Source'][];
    };
    /** An entry inside a range that is not part of the public internet. */
    SpecialEntry: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The special range that contains the entry; absent if there is none. */
      readonly special:
        | 'this-network'
        | 'private'
        | 'shared'
        | 'loopback'
        | 'link-local'
        | 'multicast'
        | 'unique-local';
    };
    /** An address without an entry of its own that a network blocks. */
    StillBlocked: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The narrowest blocked network that covers it. */
      readonly by: string;
    };
    /** An address that the undo blocks, and that trust allows anyway. */
    StillTrusted: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The narrowest trusted entry that covers it. */
      readonly by: string;
    };
    /** What was compared and repaired, and what is still wrong. */
    SyncAnswer: {
      /** The map of the current worker is in sync with the database, and no new worker was starting. */
      readonly runtime_map_synced: boolean;
      /** How many entries the database holds. */
      readonly total_ips: number;
      /** How many missing entries were added to the current worker. */
      readonly added: number;
      /** How many unexpected entries were removed from the current worker. */
      readonly removed: number;
      /** Entries that are still missing, the first 100. */
      readonly missing_ips: readonly string[];
      /** Entries that are still unexpected, the first 100. */
      readonly unexpected_ips: readonly string[];
      /** Entries that still have another value than 1, the first 100. */
      readonly wrong_value_ips: readonly string[];
      /** Entries that are still duplicate, the first 100. */
      readonly duplicate_ips: readonly string[];
      /** The workers that serve existing connections only. */
      readonly draining_workers: readonly components['schemas']['DrainingWorkerSync'][];
      /** The map file was written. */
      readonly map_file_updated: boolean;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
      /** The duration in milliseconds. */
      readonly duration_ms: number;
      /** Why the running map could not be read or repaired; absent if it could. */
      readonly reason?: string;
    };
    /** A network that belongs to another upstream. */
    TakenNetwork: {
      /** The network. */
      readonly network: string;
      /** The name of its upstream. */
      readonly upstream: string;
    };
    /** Why the operation is not available. */
    TlsMembers: {
      /** The setting without which HAProxy serves no TLS (6043). */
      readonly setting?: string;
    };
    /** The entry as it is now, and whether the workers hold it. */
    TrustAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why it is trusted; null: not stated. */
      readonly note: string | null;
      /** When it was added. */
      readonly added_at: string;
      /** When the trust expires; null: it is permanent. */
      readonly expires_at: string | null;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** The note and expiry of a trusted address. */
    TrustRequest: {
      /** Why it is trusted. One line of text of at most 500 characters, without control characters, or null. */
      readonly note?: string | null;
      /** When the trust expires; null: never. Not together with `duration_seconds`. A time with a time zone such as 2030-01-31T12:00:00Z, or null for a permanent entry. */
      readonly expires_at?: string | null;
      /** For how many seconds from now. Not together with `expires_at`. A whole number from 1 to 3155760000. */
      readonly duration_seconds?: number;
    };
    /** A trusted address or network. */
    TrustedIp: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Why it is trusted; null: not stated. */
      readonly note: string | null;
      /** When it was added. */
      readonly added_at: string;
      /** When the trust expires; null: it is permanent. */
      readonly expires_at: string | null;
    };
    /** All trusted entries. */
    TrustedIps: {
      /** The entries. */
      readonly items: readonly components['schemas']['TrustedIp'][];
      /** How many there are. */
      readonly total: number;
    };
    /** The map of trusted addresses. */
    TrustedMapHealth: {
      /** True: every rule that denies blocked addresses exempts trusted addresses. False: trusted addresses are denied like others. Null: the configuration could not be read, or has no such rule. */
      readonly used: boolean | null;
      /** How many addresses and networks are trusted. */
      readonly entries: number;
    };
    /** What was removed, and whether the workers no longer hold it. */
    UnblockAnswer: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** Blocked networks that still cover it. */
      readonly still_blocked_by: readonly string[];
      /** The claims by which exactly this address or network is still blocked; absent if there are none. */
      readonly still_claimed_by?: readonly components['schemas']['Claim'][];
      /** The trust that `trust_for` added or extended; absent without it. */
      readonly trusted?: components['schemas']['TrustedIp'];
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** Which lists claim the address. */
    UnblockConflictMembers: {
      /** The claims by which exactly this address or network is still blocked; absent if there are none. */
      readonly still_claimed_by: readonly components['schemas']['Claim'][];
    };
    /** What was found for an address without an entry of its own. */
    UnblockMembers: {
      /** Blocked networks that contain the address. */
      readonly covered_by?: readonly string[];
      /** The claims by which exactly this address or network is still blocked; absent if there are none. */
      readonly still_claimed_by?: readonly components['schemas']['Claim'][];
      /** A foreign entry for it was found in a map, and removed. */
      readonly stray_removed?: boolean;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated?: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures?: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total?: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled?: boolean;
    };
    /** What to unblock. */
    UnblockRequest: {
      /** The address or network to unblock. An IP address or network. */
      readonly ip_address: string;
    };
    /** Why nothing was changed; the members depend on `code`. */
    UnblockSelectedConflict: {
      /** How many entries have such a claim (6040). */
      readonly count?: number;
      /** Always empty (6035). */
      readonly still_claimed_by?: readonly components['schemas']['Claim'][];
    };
    /** What was undone, and whether the workers hold it. */
    UndoAnswer: {
      /** The undone entry of the audit log. */
      readonly undoes: components['schemas']['UndoneEntry'];
      /** What is done to claims, the first 20. */
      readonly first: readonly components['schemas']['UndoneClaim'][];
      /** Addresses of restored or changed claims that trust allows anyway, the first 20; absent if there are none. */
      readonly still_trusted?: readonly components['schemas']['StillTrusted'][];
      /** How many such addresses there are; absent if there are none. */
      readonly still_trusted_total?: number;
      /** How many entries are new. */
      readonly added: number;
      /** How many existing entries have a changed field. */
      readonly updated: number;
      /** How many entries were removed. */
      readonly removed: number;
      /** How many entries did not change, and how many elements of `remove` had no entry. */
      readonly unchanged: number;
      /** How many lines or elements were rejected. */
      readonly rejected_total: number;
      /** The rejected lines or elements, the first 1,000. */
      readonly rejected: readonly components['schemas']['Rejection'][];
      /** Accepted entries inside a special range, the first 100; absent if there are none. */
      readonly special?: readonly components['schemas']['SpecialEntry'][];
      /** How many accepted entries are inside a special range; absent if there are none. */
      readonly special_total?: number;
      /** The CDNs to which accepted entries belong; absent: none. If your sites are behind one, these blocks deny clients of it: set it as an upstream instead. */
      readonly known_cdns?: readonly components['schemas']['KnownCdn'][];
      /** Elements of `remove` that had no entry of their own; those that another source keeps blocked had one. Absent if nothing was to be removed, and for more than 1,000 elements at once, where `unchanged` counts them. */
      readonly not_blocked?: readonly string[];
      /** Addresses of `remove` that a blocked network still covers, or in a dry run would, the first 100; absent if nothing was to be removed. */
      readonly still_blocked?: readonly components['schemas']['StillBlocked'][];
      /** How many addresses of `remove` are still covered; absent if nothing was to be removed. */
      readonly still_blocked_total?: number;
      /** How many addresses lost the claim of the source and are still blocked, because other sources claim them; absent if there are none. */
      readonly still_claimed_total?: number;
      /** Temporary trust that this block ended, the first 100; absent if there was none. */
      readonly trust_ended?: readonly string[];
      /** Nothing was changed; the counts are what the request would do now. */
      readonly dry_run?: true;
      /** How many entries the set has now; only in a dry run. */
      readonly current_total?: number;
      /** How many entries the set can have; only in a dry run, and absent if there is no limit. */
      readonly limit?: number;
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** Why nothing was changed; the members depend on `code`. */
    UndoConflict: {
      /** Addresses whose claims were changed since, the first 20 (6041). */
      readonly changed_since?: readonly string[];
      /** How many claims were changed since (6041). */
      readonly changed_since_total?: number;
      /** The upstream to which an address belongs that would be blocked again (6050). */
      readonly upstream?: string;
      /** How many entries exist; of a claim (6031), how many claims there are beyond the first of each entry. */
      readonly current_total?: number;
      /** How many entries, or such claims, there would have been (6031). */
      readonly would_be?: number;
      /** How many entries, and how many such claims, are allowed (6031). */
      readonly limit?: number;
    };
    /** What the undo does to one claim. */
    UndoneClaim: {
      /** The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`. */
      readonly ip_address: string;
      /** The source whose claim it is. */
      readonly source: string;
      /** `drop`: the claim that was made is dropped. `restore`: a dropped claim is made again. `change`: a claim gets its former fields. */
      readonly action: 'drop' | 'restore' | 'change';
      /** When the claim ends then, as before; null: never, or it is dropped. */
      readonly expires_at: string | null;
    };
    /** The undone entry of the audit log. */
    UndoneEntry: {
      /** Its id. */
      readonly id: number;
      /** Its operation. */
      readonly operation: string;
      /** When it arrived. */
      readonly at: string;
      /** The name of its key. */
      readonly key: string | null;
    };
    /** A proxy in front of HAProxy, whose word about the client is taken. */
    Upstream: {
      /** The name of the upstream. */
      readonly name: string;
      /** The CDN that it is; null: none. */
      readonly preset: string | null;
      /** Its addresses and networks, in the order of addresses. */
      readonly networks: readonly string[];
      /** How many addresses these are, such as `256` or `2^96`. Each of them can claim to act for any client. */
      readonly addresses: string;
      /** The request header in which it names its client; null: only by PROXY protocol. It must set the header in every request, and overwrite or append to what its client sent. */
      readonly header: string | null;
      /** Of `x-forwarded-for`: false takes the last address; true walks on to the left as long as the address belongs to an upstream with this setting, at most five steps. */
      readonly chain: boolean;
      /** Its connections begin with a PROXY protocol header, which is required then; others of its connections are closed. Of an address that it names, a header is read only if that address belongs to an upstream. */
      readonly proxy_protocol: boolean;
      /** What follows from a value that is not one address. `reject`: the request is answered with 400. `judge_upstream`: it is treated like a request without the header, so the client stays unknown and is served. */
      readonly on_invalid: 'reject' | 'judge_upstream';
      /** A note; null: none. */
      readonly note: string | null;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When its networks were last given. */
      readonly networks_at: string;
      /** Blocked entries inside its networks, the first 100. As the upstream itself is served, they no longer deny what it sends, except for clients that it names. */
      readonly blocked_inside: readonly string[];
      /** How many these are. */
      readonly blocked_inside_total: number;
      /** How many requests named no client and were served without a check of the blocked map, counted by the current worker; an address that sends none for a day is forgotten. Health checks of a load balancer are such requests; if the number grows with the traffic, the header is missing. Null: the worker did not answer, or its configuration does not count all of them. */
      readonly unnamed_requests: number | null;
      /** When the last of them came; null: none, or unknown. */
      readonly last_unnamed_at: string | null;
    };
    /** The upstream as it is now, and whether the workers hold it. */
    UpstreamAnswer: {
      /** The name of the upstream. */
      readonly name: string;
      /** The CDN that it is; null: none. */
      readonly preset: string | null;
      /** Its addresses and networks, in the order of addresses. */
      readonly networks: readonly string[];
      /** How many addresses these are, such as `256` or `2^96`. Each of them can claim to act for any client. */
      readonly addresses: string;
      /** The request header in which it names its client; null: only by PROXY protocol. It must set the header in every request, and overwrite or append to what its client sent. */
      readonly header: string | null;
      /** Of `x-forwarded-for`: false takes the last address; true walks on to the left as long as the address belongs to an upstream with this setting, at most five steps. */
      readonly chain: boolean;
      /** Its connections begin with a PROXY protocol header, which is required then; others of its connections are closed. Of an address that it names, a header is read only if that address belongs to an upstream. */
      readonly proxy_protocol: boolean;
      /** What follows from a value that is not one address. `reject`: the request is answered with 400. `judge_upstream`: it is treated like a request without the header, so the client stays unknown and is served. */
      readonly on_invalid: 'reject' | 'judge_upstream';
      /** A note; null: none. */
      readonly note: string | null;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When its networks were last given. */
      readonly networks_at: string;
      /** Blocked entries inside its networks, the first 100. As the upstream itself is served, they no longer deny what it sends, except for clients that it names. */
      readonly blocked_inside: readonly string[];
      /** How many these are. */
      readonly blocked_inside_total: number;
      /** The safe reload that added the rules of upstreams to the configuration, or removed them. Absent: there were upstreams before and afterwards, so no reload was needed. */
      readonly reload?: components['schemas']['ReloadAnswer'];
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** Why the upstream is not set; the members depend on `code`. */
    UpstreamConflictMembers: {
      /** The id of the reload in the history. */
      readonly id?: string;
      /** Who requested it, or what made it necessary. */
      readonly reasons?: readonly string[];
      /** The backup that was created before; null: it failed earlier. */
      readonly backup?: string | null;
      /** The messages of HAProxy or of the template. */
      readonly output?: string;
      /** The line of the template. */
      readonly line?: number;
      /** The last known good configuration is in force again. */
      readonly restored?: boolean;
      /** Why it could not be restored. */
      readonly restore_failure?: string;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before?: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after?: number | null;
      /** The duration in milliseconds. */
      readonly duration_ms?: number;
      /** The networks (1002). */
      readonly taken?: readonly components['schemas']['TakenNetwork'][];
    };
    /** What was done before the change failed; the members depend on how far it got. */
    UpstreamFailureMembers: {
      /** The id of the reload in the history. */
      readonly id?: string;
      /** Who requested it, or what made it necessary. */
      readonly reasons?: readonly string[];
      /** The backup that was created before; null: it failed earlier. */
      readonly backup?: string | null;
      /** The messages of HAProxy or of the template. */
      readonly output?: string;
      /** The line of the template. */
      readonly line?: number;
      /** The last known good configuration is in force again. */
      readonly restored?: boolean;
      /** Why it could not be restored. */
      readonly restore_failure?: string;
      /** The pid of the previous worker; null: there was none. */
      readonly worker_before?: number | null;
      /** The pid of the new worker; null: there was none. */
      readonly worker_after?: number | null;
      /** The duration in milliseconds. */
      readonly duration_ms?: number;
      /** What of the request is durable. */
      readonly committed?: components['schemas']['CommittedCounts'];
    };
    /** What was removed, and whether the workers no longer hold it. */
    UpstreamRemoved: {
      /** The name of the upstream. */
      readonly name: string;
      /** The safe reload that added the rules of upstreams to the configuration, or removed them. Absent: there were upstreams before and afterwards, so no reload was needed. */
      readonly reload?: components['schemas']['ReloadAnswer'];
      /** Every live worker, draining workers included, was verified. */
      readonly runtime_map_updated: boolean;
      /** Which worker was not verified for which address; the first 100. */
      readonly runtime_map_failures: readonly components['schemas']['RuntimeMapFailure'][];
      /** How many such failures there are. */
      readonly runtime_map_failures_total: number;
      /** A reload follows automatically and enforces what was not verified. */
      readonly reload_scheduled: boolean;
    };
    /** How a proxy in front of HAProxy names its client. */
    UpstreamRequest: {
      /** Takes the header of this CDN. Not together with `chain`, and with `header` only for `fastly`, which requires it: Fastly passes on `Fastly-Client-IP` as its client sent it unless VCL of yours sets it. */
      readonly preset?: 'cloudflare' | 'fastly' | 'cloudfront';
      /** From where it connects: addresses and networks, at least a /10 (IPv6: /24). Every address in them can claim to act for any client, so name only its own. Required without `preset`; with one, if it is absent, the networks of an existing upstream of the same preset stay, and any other upstream gets the list that proxy-manager has. For `cloudfront` there is none: a new upstream starts without networks, and one that had another preset, or none, is rejected (109). A list of 1 to 1000 IP addresses and networks. */
      readonly networks?: readonly string[];
      /** The request header in which it names its client; null: only by PROXY protocol. It must set the header in every request, and overwrite or append to what its client sent. One of `x-forwarded-for`, `cf-connecting-ip`, `true-client-ip`, `fastly-client-ip`, `x-real-ip`. The name of a header, or null. */
      readonly header?:
        | 'x-forwarded-for'
        | 'cf-connecting-ip'
        | 'true-client-ip'
        | 'fastly-client-ip'
        | 'x-real-ip'
        | null;
      /** Of `x-forwarded-for`: false takes the last address; true walks on to the left as long as the address belongs to an upstream with this setting, at most five steps. Default false. True or false. */
      readonly chain?: boolean;
      /** Its connections begin with a PROXY protocol header, which is required then; others of its connections are closed. Of an address that it names, a header is read only if that address belongs to an upstream. Default false. True or false. */
      readonly proxy_protocol?: boolean;
      /** What follows from a value that is not one address. `reject`: the request is answered with 400. `judge_upstream`: it is treated like a request without the header, so the client stays unknown and is served. Default `reject`. */
      readonly on_invalid?: 'reject' | 'judge_upstream';
      /** A note; null: none. One line of text of at most 500 characters, without control characters, or null. */
      readonly note?: string | null;
    };
    /** All upstreams. */
    Upstreams: {
      /** The entries. */
      readonly items: readonly components['schemas']['Upstream'][];
      /** How many there are. */
      readonly total: number;
      /** True: every worker holds them, and HAProxy checks the clients that they name. False: not, or not in every worker. Null: not known. */
      readonly in_force: boolean | null;
      /** Why they are not in force, or why that is not known; null if they are. */
      readonly reason: string | null;
    };
    /** The result of a dry run. */
    ValidationAnswer: {
      /** HAProxy accepts the configuration. */
      readonly valid: boolean;
      /** The messages of HAProxy or of the template. */
      readonly output: string;
      /** The SHA-256 of the rendered text in lower-case hexadecimal digits; empty if it could not be rendered, or is not rendered (attached mode). */
      readonly sha256: string;
      /** All warnings that a reload would report before it begins, including those of HAProxy. */
      readonly warnings: readonly string[];
      /** A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`. */
      readonly needs_replace_configuration: boolean;
    };
    /** The versions of service and HAProxy. */
    Versions: {
      /** The version of this service. */
      readonly service: string;
      /** The version of HAProxy, as it prints it. */
      readonly proxy: string;
      /** A sentence if the service is not tested with this version of HAProxy; otherwise null. It does not degrade the status. */
      readonly untested: string | null;
    };
    /** A webhook, without its secret. */
    Webhook: {
      /** Its name. */
      readonly id: string;
      /** The URL of the receiver. */
      readonly url: string;
      /** The event types that are sent; null: all. */
      readonly events: readonly string[] | null;
      /** Events are sent. */
      readonly enabled: boolean;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When the last delivery succeeded; null: never. */
      readonly last_success_at: string | null;
      /** Why the last failed delivery failed; null: none failed. */
      readonly last_error: string | null;
      /** When that delivery failed; null: none failed. */
      readonly last_error_at: string | null;
      /** When the current delivery is retried; null: it has not failed. */
      readonly next_attempt_at: string | null;
      /** Since when the current delivery fails, or since when a delivery was abandoned; null: neither. */
      readonly failing_since: string | null;
      /** How many events are waiting. */
      readonly pending: number;
      /** How many events were abandoned or dropped, of any type. The next delivery reports it to the receiver. */
      readonly missed: number;
    };
    /** The webhook, with its secret if one was created. */
    WebhookAnswer: {
      /** Its name. */
      readonly id: string;
      /** The URL of the receiver. */
      readonly url: string;
      /** The event types that are sent; null: all. */
      readonly events: readonly string[] | null;
      /** Events are sent. */
      readonly enabled: boolean;
      /** When it was created. */
      readonly created_at: string;
      /** When it was last changed. */
      readonly updated_at: string;
      /** When the last delivery succeeded; null: never. */
      readonly last_success_at: string | null;
      /** Why the last failed delivery failed; null: none failed. */
      readonly last_error: string | null;
      /** When that delivery failed; null: none failed. */
      readonly last_error_at: string | null;
      /** When the current delivery is retried; null: it has not failed. */
      readonly next_attempt_at: string | null;
      /** Since when the current delivery fails, or since when a delivery was abandoned; null: neither. */
      readonly failing_since: string | null;
      /** How many events are waiting. */
      readonly pending: number;
      /** How many events were abandoned or dropped, of any type. The next delivery reports it to the receiver. */
      readonly missed: number;
      /** The created secret, shown only once; null: the webhook had one, or the request set it. */
      readonly secret: string | null;
    };
    /** The removed webhook. */
    WebhookRemoved: {
      /** Its name. */
      readonly id: string;
    };
    /** The webhook to create or change. */
    WebhookRequest: {
      /** The URL of the receiver, without user and password. Redirects are not followed. An http or https URL. */
      readonly url: string;
      /** The event types to send; absent or null: all. A list of different event types, or null for all. */
      readonly events?: readonly string[] | null;
      /** The secret that signs the deliveries. Whsec_ followed by 24 to 64 bytes in base64. */
      readonly secret?: string;
      /** Whether events are sent; absent: true. If false, no events are stored for it. True or false. */
      readonly enabled?: boolean;
    };
    /** All webhooks. */
    Webhooks: {
      /** The entries. */
      readonly items: readonly components['schemas']['Webhook'][];
    };
    /** The complete set of blocked addresses. */
    WholeSet: readonly (string | components['schemas']['BlockRequest'])[];
    /** One worker of HAProxy. */
    WorkerHealth: {
      /** The process id of the worker. */
      readonly pid: number;
      /** Both of its maps are in sync. */
      readonly whole: boolean;
      /** Why they are not in sync; null if they are. */
      readonly reason: string | null;
    };
    /** Whether one worker holds the entry. */
    WorkerHolding: {
      /** The process id of the worker. */
      readonly pid: number;
      /** It serves existing connections only. */
      readonly draining: boolean;
      /** It holds the entry; null: it did not answer. */
      readonly holds: boolean | null;
    };
    /** The verdict of one worker for this address. */
    WorkerVerdict: {
      /** The process id of the worker. */
      readonly pid: number;
      /** Its verdict for this address. */
      readonly verdict: 'blocked' | 'trusted' | 'allowed';
    };
    /** The workers of HAProxy. */
    WorkersHealth: {
      /** The worker that accepts new connections; null: there is none. */
      readonly current: components['schemas']['WorkerHealth'] | null;
      /** The workers that serve existing connections only. */
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
    NotFound: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 1100;
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
    InsightOff: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 7010;
        };
        'application/x-protobuf': components['schemas']['ProtobufError'];
      };
    };
    ManualSource: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 6036;
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
    InvalidCertificate: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 110;
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
    NoSuchNotice: {
      headers: { [name: string]: unknown };
      content: {
        'application/problem+json': components['schemas']['Problem'] & {
          readonly code?: 7017;
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
  /** List blocked addresses */
  listBlockedAddresses: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        q?: string;
        text?: string;
        offset?: number;
        expiring?: boolean;
        sort?: 'address' | 'blocked_at' | 'expires_at' | 'hits' | 'last_hit';
        order?: 'asc' | 'desc';
        family?: 'ipv4' | 'ipv6';
        wider_than?: number;
        blocked_since?: string;
        source?: string;
        reason?: string;
        blocked_by?: string;
        not_hit_for?: string;
        hit_within?: string;
        spark?: boolean;
      };
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
            readonly code?: 100 | 103 | 104 | 107 | 108;
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
            readonly code?: 7010 | 7012;
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
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Block an address or network */
  blockAddress: {
    parameters: { query?: { allow_wide?: boolean; source?: string }; header?: never; path?: never; cookie?: never };
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
              readonly code?: 409 | 6007 | 6030 | 6031 | 6050;
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
  /** Replace the complete set of a source */
  replaceBlockedAddresses: {
    parameters: {
      query?: { allow_shrink?: boolean; source?: string; allow_wide?: boolean; dry_run?: boolean };
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
              readonly code?: 409 | 6006 | 6031;
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
  /** Unblock everything that a filter selects */
  unblockSelected: {
    parameters: {
      query?: {
        source?: string;
        reason?: string;
        blocked_by?: string;
        family?: 'ipv4' | 'ipv6';
        wider_than?: number;
        blocked_since?: string;
        not_hit_for?: string;
        expect?: number;
        dry_run?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['BulkAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 104 | 108;
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
            components['schemas']['UnblockSelectedConflict'] & {
              readonly code?: 6035 | 6040 | 7010 | 7012;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
              readonly code?: 6002 | 6003 | 6004 | 6015 | 7011;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get one blocked address or network */
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
    parameters: {
      query?: { source?: string; trust_for?: string };
      header?: never;
      path: { ip_address: string };
      cookie?: never;
    };
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
            readonly code?: 100 | 101 | 103 | 104 | 108;
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
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['UnblockConflictMembers'] & {
              readonly code?: 6035;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
  /** Check whether a client is denied, and why */
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
    parameters: {
      query?: { source?: string; allow_wide?: boolean; dry_run?: boolean };
      header?: never;
      path?: never;
      cookie?: never;
    };
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
              readonly code?: 409 | 6031;
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
  /** Sync map file and running maps with the database */
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
  /** Get a map of the blocked IPv4 addresses */
  getEntryMap: {
    parameters: {
      query?: { layer?: 'density' | 'source' | 'hits' | 'expiry'; network?: string };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['EntryMap'] } };
      304: { headers: { [name: string]: unknown }; content?: never };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 103 | 108;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** What the blocked set did */
  getInsight: {
    parameters: { query?: { range?: string }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['InsightSummary'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Denied requests over time */
  getSeries: {
    parameters: {
      query?: {
        metric?: 'denied' | 'requests' | 'not_attributed' | 'addresses' | 'entries';
        by?: 'none' | 'site' | 'source';
        range?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['InsightSeries'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the addresses that were denied */
  listKnocking: {
    parameters: {
      query?: { limit?: number; cursor?: string; sort?: 'hits' | 'last_hit'; range?: string; entry?: string };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['KnockingPage'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** What each source does */
  listSourceEffects: {
    parameters: { query?: { range?: string }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SourceEffects'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** The traffic of each site in the last 24 hours */
  listSiteTraffic: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SiteTrafficList'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List loud clients that are not blocked */
  listCandidates: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Candidates'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Ignore a loud client for a time */
  ignoreCandidate: {
    parameters: { query?: never; header?: never; path: { ip_address: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['IgnoreRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['IgnoredClient'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 102 | 103;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get the limits of candidates and attacks */
  getLimits: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['InsightLimits'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Set the limits of candidates and attacks */
  setLimits: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['LimitsRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['InsightLimits'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List attacks */
  listAttacks: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Attacks'] } };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get an attack */
  getAttack: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AttackDetail'] };
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
      409: components['responses']['InsightOff'];
      413: components['responses']['TooLarge'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 7011;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** List the sources */
  listSources: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Sources'] } };
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
  /** Get one source */
  getSource: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Source'] } };
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
  /** Set the kind and note of a source */
  setSource: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: { content: { 'application/json': components['schemas']['SourceRequest'] } };
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Source'] } };
      201: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Source'] } };
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
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 409 | 6036;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
  /** Remove a source and drop all its claims */
  removeSource: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['RemovedSource'] };
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
      409: components['responses']['ManualSource'];
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
  /** Drop all claims of a source later */
  releaseSource: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['ReleaseRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReleasedSource'] };
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
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ManualSource'];
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
  /** Keep the claims of a source */
  keepSource: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['KeptSource'] };
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
      409: components['responses']['ManualSource'];
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
  /** List trusted addresses */
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
  /** Get one trusted address or network */
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
  /** Remove the trust of an address or network */
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
  /** List the upstreams */
  listUpstreams: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Upstreams'] };
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
  /** Get one upstream */
  getUpstream: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['Upstream'] } };
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
  /** Create or replace an upstream */
  setUpstream: {
    parameters: { query?: { replace_configuration?: boolean }; header?: never; path: { name: string }; cookie?: never };
    requestBody?: { content: { 'application/json': components['schemas']['UpstreamRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UpstreamAnswer'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UpstreamAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103 | 109;
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
            components['schemas']['UpstreamConflictMembers'] & {
              readonly code?: 409 | 1002 | 6006 | 6008 | 6020 | 6034;
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
            components['schemas']['UpstreamFailureMembers'] & {
              readonly code?: 3000 | 3002 | 6002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Remove an upstream */
  removeUpstream: {
    parameters: { query?: { replace_configuration?: boolean }; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UpstreamRemoved'] };
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
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['UpstreamConflictMembers'] & {
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
            components['schemas']['UpstreamFailureMembers'] & {
              readonly code?: 3000 | 3002 | 6002 | 6003 | 6004 | 6005 | 6014 | 6015 | 6033;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Explain which address is checked for a request */
  explainClientAddress: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['ClientAddressRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ClientAddressAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 101 | 102 | 103;
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
            readonly code?: 6003 | 6015;
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
  /** Get one site */
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
  /** Create or replace a site */
  setSite: {
    parameters: {
      query?: { replace_configuration?: boolean; keep_absent?: boolean };
      header?: never;
      path: { domain: string };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['SiteRequest'] } };
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
            readonly code?: 100 | 102 | 103 | 105 | 106 | 6055;
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
            components['schemas']['SiteConflictMembers'] & {
              readonly code?: 409 | 6006 | 6008 | 6020 | 6034 | 6054;
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
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
  /** Get the live state of a site's servers */
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
  /** List the certificates */
  listCertificates: {
    parameters: {
      query?: { limit?: number; cursor?: string; state?: 'active' | 'expired'; expires_within?: string; q?: string };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CertificatePage'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 103 | 104 | 107 | 108;
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
            components['schemas']['TlsMembers'] & {
              readonly code?: 6043;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Upload a certificate */
  addCertificate: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CertificateRequest'] } };
    responses: {
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CertificateAnswer'] };
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
            components['schemas']['CertificateConflictMembers'] & {
              readonly code?: 6031 | 6042 | 6043;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidCertificate'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 3000 | 6003 | 6015 | 6045;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get one certificate */
  getCertificate: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Certificate'] };
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
            components['schemas']['TlsMembers'] & {
              readonly code?: 6043;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Replace a certificate */
  replaceCertificate: {
    parameters: { query?: { force?: boolean }; header?: never; path: { id: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CertificateRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CertificateAnswer'] };
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
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CertificateConflictMembers'] & {
              readonly code?: 6042 | 6043 | 6044;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidCertificate'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 3000 | 6003 | 6015 | 6045;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Remove a certificate */
  removeCertificate: {
    parameters: { query?: { force?: boolean }; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CertificateRemoved'] };
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
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['CertificateConflictMembers'] & {
              readonly code?: 6043 | 6044 | 6056;
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
            readonly code?: 3000 | 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get a certificate and its chain in PEM */
  getCertificateChain: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/pem-certificate-chain': string } };
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
            components['schemas']['TlsMembers'] & {
              readonly code?: 6043;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Verify that every worker serves a certificate */
  verifyCertificate: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Certificate'] };
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
            components['schemas']['TlsMembers'] & {
              readonly code?: 6043;
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
            readonly code?: 6003 | 6015 | 6045;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get the authority, and which certificates are due */
  getAcme: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AcmeStatus'] };
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
      409: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['AcmeConflictMembers'] & {
              readonly code?: 6043 | 6058;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Order a certificate from the authority */
  requestCertificate: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['AcmeRequest'] } };
    responses: {
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AcmeCertificate'] };
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
            components['schemas']['AcmeConflictMembers'] & {
              readonly code?: 6042 | 6043 | 6052 | 6053 | 6058 | 6059 | 6060 | 6062;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyFailedKeys'];
      500: components['responses']['Internal'];
      503: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 6003 | 6015 | 6063;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get the orders of a certificate */
  getAcmeCertificate: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AcmeCertificate'] };
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
            components['schemas']['AcmeConflictMembers'] & {
              readonly code?: 6043 | 6058;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Stop the orders of a certificate */
  stopRenewal: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AcmeRemoved'] };
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
            components['schemas']['AcmeConflictMembers'] & {
              readonly code?: 6043 | 6058;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Order a certificate now */
  renewCertificate: {
    parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AcmeCertificate'] };
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
            components['schemas']['AcmeConflictMembers'] & {
              readonly code?: 6043 | 6058;
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
            readonly code?: 6003 | 6015;
          };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
    };
  };
  /** Get the TLS settings of a site */
  getSiteTls: {
    parameters: { query?: never; header?: never; path: { domain: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['SiteTls'] } };
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
  /** Set the TLS settings of a site */
  setSiteTls: {
    parameters: { query?: { keep_absent?: boolean }; header?: never; path: { domain: string }; cookie?: never };
    requestBody?: { content: { 'application/json': components['schemas']['SiteTlsRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SiteTlsAnswer'] };
      };
      400: {
        headers: { [name: string]: unknown };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            readonly code?: 100 | 102 | 103 | 105;
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
            components['schemas']['TlsMembers'] & {
              readonly code?: 6034 | 6043;
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
  /** Reload HAProxy safely */
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
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
  /** Get the live configuration */
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
  /** Validate the configuration */
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
  /** Compare the live configuration */
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
              readonly code?: 5001 | 5003 | 6051;
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
  /** Get one reload */
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
              readonly code?: 5001 | 5002 | 5003 | 6051;
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
  /** Get the key of the request */
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
  /** Create a key */
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
  /** Bind a key to a source */
  bindKey: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['KeySource'] } };
    responses: {
      200: { headers: { [name: string]: unknown }; content: { 'application/json': components['schemas']['BoundKey'] } };
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
      404: components['responses']['NotFound'];
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
  /** List the audit log */
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
  /** Undo a change of blocked addresses */
  undoOperation: {
    parameters: { query?: { dry_run?: boolean }; header?: never; path: { id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UndoAnswer'] };
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
          'application/problem+json': components['schemas']['Problem'] &
            components['schemas']['UndoConflict'] & {
              readonly code?: 6031 | 6041 | 6050;
            };
          'application/x-protobuf': components['schemas']['ProtobufError'];
        };
      };
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
  /** Stream events */
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
  /** Get a webhook */
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
  /** Create or change a webhook */
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
  /** List notices */
  listNotices: {
    parameters: { query?: { limit?: number }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['NoticePage'] };
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
  /** Mark notices as read */
  readNotices: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['NoticesReadRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['NoticesRead'] };
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
      409: components['responses']['NoSuchNotice'];
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
  /** List the saved views */
  listViews: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SavedViews'] };
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
  /** Get a saved view */
  getView: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SavedView'] };
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
  /** Save a view */
  setView: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['SavedViewRequest'] } };
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SavedView'] };
      };
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SavedView'] };
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
  /** Remove a saved view */
  removeView: {
    parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SavedViewRemoved'] };
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
  /** Check whether blocking is enforced */
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
  /** Check whether the process is alive */
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
  /** Check whether the service is ready */
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
  /** Get the metrics */
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
  /** Get this description for programs */
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
  /** Get this description for people */
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
