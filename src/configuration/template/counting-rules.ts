// What HAProxy counts of denied requests and of clients (ADR 0089, 0090).
import {
  type CountingTable,
  clientsTable,
  deniedTable,
  peersSection,
  rejectedTable,
  sampleOf,
  sitesTable,
  tablesOfDenied,
} from '../../haproxy/process/counting-tables.ts';

/**
 * In the reply to a denied request: counts its client, and prints nothing. The condition that denies does not use
 * the counter, so that a counter that fails lets no client in.
 */
export const countClient = `%[src_inc_gpc0(${deniedTable.name}),iif(,)]`;

export const countingSections: readonly string[] = [...tablesOfDenied, clientsTable].map(({ name }) => name);

const isSampled = `{ rand(${sampleOf}) 0 }`;
const host = 'req.fhdr(host),lower,regsub("[.]?(:[0-9]*)?$","")';
const wildcard = `${host},regsub("^[a-z0-9_-]+[.]","*.")`;
const isNamed = (name: string) => `'${name},map_str({{ names_map }})' -m found`;

// The first two bytes are 0x2002, as those of 6to4: from HAProxy 3.0 on, `ipmask` makes a.b.0.0 of 32.2.a.b.
const isTakenFor6to4 = '{ src -m beg 32.2. }';

/**
 * Rules that count a client as one: IPv4 by its address, IPv6 by its /64.
 * @param table with a space before it; empty: that of the section
 * @param condition of both rules, around the one that selects one of them, which converts the address to text
 */
export const trackClient = (track: string, table: string, condition: (rule: string) => string): string => `\
${track} src,ipmask(32,64)${table} if ${condition(`!${isTakenFor6to4}`)}
    ${track} src${table} if ${condition(isTakenFor6to4)}`;

/** Of the rule that denies; both have the same condition. */
export const countRejected = (phase: 'connection' | 'session', condition: string): string =>
  `tcp-request ${phase} track-sc0 src table ${rejectedTable.name} if ${condition}`;

/** Before the rule that denies, with its condition: of a name that is not in the map nothing is counted. */
export const sampleSites = (condition: string): string => `\
{%- if counts_denied %}

    # One in ${sampleOf} denied requests counts for the name of the site, exact or as a wildcard. All are counted by address,
    # in the page for denied clients.
    http-request track-sc1 '${host}' table ${sitesTable.name} if ${isSampled} ${condition} { ${isNamed(host)} }
{%- if has_wildcards %}
    http-request track-sc1 '${wildcard}' table ${sitesTable.name} if ${isSampled} ${condition} { ${isNamed(wildcard)} } !{ ${isNamed(host)} }
{%- endif %}
{%- endif %}`;

/** Behind the rule that denies. */
export const sampleClients = `\
{%- if counts_clients %}

    # One in ${sampleOf} requests of other clients counts for the client.
    ${trackClient('http-request track-sc1', ` table ${clientsTable.name}`, (rule) => `${isSampled} ${rule}`)}
{%- endif %}`;

/** Of the section global. */
export const localPeer = `\
{%- if peers_socket %}
.if version_atleast(3.0)
    # The name of this HAProxy in the section peers.
    localpeer ${peersSection}
.endif
{%- endif %}`;

export const countingTables = `\
{%- if counts_denied %}

# What the block list does (docs/insight.md). The service reads these tables; no rule does.
{%- if peers_socket %}
# A new worker gets the counts from its predecessor. HAProxy 2.6 does not finish that under load.
.if version_atleast(3.0)
peers ${peersSection}
    peer ${peersSection} unix@{{ peers_socket }}
.endif
{%- endif %}
${tablesOfDenied.map(section).join('\n')}
{%- if counts_clients %}
${section(clientsTable)}
{%- endif %}
{%- endif %}`;

/**
 * For a configuration that an operator writes: what a front end needs behind the rule that denies, and the sections that
 * the configuration needs once.
 * @param counter a stick counter that no other rule of the front end uses; null: without the lines that need one, those
 * of clients that are not blocked
 */
export function ownCountingLines(counter: number | null): {
  readonly frontEnd: readonly string[];
  readonly sections: readonly string[];
} {
  const sampled = (rule: string) => `${isSampled} ${rule}`;
  const track =
    counter === null ? '' : trackClient(`http-request track-sc${counter}`, ` table ${clientsTable.name}`, sampled);
  const tables = counter === null ? [deniedTable] : [deniedTable, clientsTable];
  return {
    frontEnd: [
      `http-error status 403 content-type text/plain lf-string 'Forbidden${countClient}'`,
      ...(track === '' ? [] : track.split('\n').map((line) => line.trim())),
    ],
    sections: tables.flatMap(({ name, type, size, expire, stores }) => [
      '',
      `backend ${name}`,
      `    stick-table type ${type} size ${size} expire ${expire} store ${stores.join(',')}`,
    ]),
  };
}

function section(table: CountingTable): string {
  const line = (peers: string) =>
    `    stick-table type ${table.type} size ${table.size} expire ${table.expire}${peers} store ${table.stores.join(',')}`;
  if (!table.handedOver) return `\nbackend ${table.name}\n${line('')}`;
  return `
backend ${table.name}
{%- if peers_socket %}
.if version_atleast(3.0)
${line(` peers ${peersSection}`)}
.else
${line('')}
.endif
{%- else %}
${line('')}
{%- endif %}`;
}
