// The stick tables in which HAProxy counts what the block list does: the configuration declares them, and the service
// reads them (ADR 0089).

export interface CountingTable {
  readonly name: string;
  readonly type: 'ipv6' | 'string len 260';
  /** Entries; a full table forgets the oldest ones and goes on counting. */
  readonly size: string;
  readonly expire: string;
  /** Whether a new worker gets the entries from its predecessor. */
  readonly handedOver: boolean;
  /** The counter first. */
  readonly stores: readonly string[];
  /** The rate among them that is above 0 if the entry was active within the last minutes. */
  readonly activeBy: string;
}

/** Denied requests of each address. */
export const deniedTable: CountingTable = {
  name: 'pm_denied',
  type: 'ipv6',
  size: '100k',
  expire: '1d',
  handedOver: true,
  stores: ['gpc0', 'gpc0_rate(1m)'],
  activeBy: 'gpc0_rate',
};

/** Denied requests for each name of a site, one in `sampleOf`. */
export const sitesTable: CountingTable = {
  name: 'pm_sites',
  type: 'string len 260',
  size: '10k',
  expire: '1d',
  handedOver: true,
  stores: ['http_req_cnt', 'http_req_rate(1m)'],
  activeBy: 'http_req_rate',
};

/** Connections of blocked addresses that were closed under overload. */
export const rejectedTable: CountingTable = {
  name: 'pm_rejected',
  type: 'ipv6',
  size: '100k',
  expire: '1d',
  handedOver: true,
  stores: ['conn_cnt', 'conn_rate(1m)'],
  activeBy: 'conn_rate',
};

/** Requests of clients that are not blocked, one in `sampleOf`; of IPv6 clients, of each /64. */
export const clientsTable: CountingTable = {
  name: 'pm_clients',
  type: 'ipv6',
  size: '100k',
  expire: '1h',
  handedOver: false,
  stores: ['http_req_cnt', 'http_req_rate(1m)', 'http_err_cnt'],
  activeBy: 'http_req_rate',
};

export const sampleOf = 16;

/** Through it, a new worker gets the tables that are handed over. */
export const peersSection = 'pm';

/** Without those of clients that are not blocked. */
export const tablesOfDenied: readonly CountingTable[] = [deniedTable, sitesTable, rejectedTable];
