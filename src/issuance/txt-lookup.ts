// Asks name servers for a TXT record, as an authority will.
import { Resolver } from 'node:dns/promises';

export interface TxtAnswer {
  /** Servers that answered; 0: none could be asked. */
  readonly answered: number;
  /** One that does not have the value; null: each that answered has it. */
  readonly lacking: string | null;
}

export interface NameServers {
  /** `IP`, `IP:PORT` or `[IP]:PORT` of the servers that have the record, and its name behind CNAME records. */
  of(record: string): Promise<{ readonly name: string; readonly servers: readonly string[] }>;
}

const TIMEOUT_MS = 2_000;
const MOST_CNAMES = 8;
const MOST_SERVERS = 16;
const NO_RECORD: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

/** Never throws: a server that does not answer, or refuses, is not counted. */
export async function lookUpTxt(record: string, value: string, nameServers: NameServers): Promise<TxtAnswer> {
  let found: Awaited<ReturnType<NameServers['of']>>;
  try {
    found = await nameServers.of(record);
  } catch {
    // Its network has no DNS for it.
    return { answered: 0, lacking: null };
  }
  const { name, servers } = found;
  const has = await Promise.all(servers.map((server) => hasTxt(server, name, value)));
  return {
    answered: has.filter((one) => one !== null).length,
    lacking: servers.find((_server, index) => has[index] === false) ?? null,
  };
}

/** Null: it does not answer. */
async function hasTxt(server: string, name: string, value: string): Promise<boolean | null> {
  try {
    const records = await resolverOf([server]).resolveTxt(name);
    return records.some((parts) => parts.join('') === value);
  } catch (error) {
    return NO_RECORD.has((error as NodeJS.ErrnoException).code ?? '') ? false : null;
  }
}

/** Of the settings, asked in place of the authoritative ones. */
export class GivenNameServers implements NameServers {
  readonly #servers: readonly string[];

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  async of(record: string) {
    return { name: record, servers: this.#servers };
  }
}

/** The authoritative servers of the zone, found by the resolver of this machine. */
export class AuthoritativeNameServers implements NameServers {
  readonly #resolver: Resolver;
  readonly #port: number;

  /** @param servers of the resolver; absent: those of this machine @param port of the authoritative servers */
  constructor({ servers, port = 53 }: { readonly servers?: readonly string[]; readonly port?: number } = {}) {
    this.#resolver = resolverOf(servers);
    this.#port = port;
  }

  /** Throws if the zone has none that can be found. */
  async of(record: string) {
    const name = await this.#canonical(record);
    const hosts = await this.#hosts(name);
    const addresses = await Promise.all(hosts.map((host) => this.#addresses(host)));
    const servers = addresses.flat().slice(0, MOST_SERVERS);
    if (servers.length === 0) throw new Error(`the name servers of ${name} have no address`);
    return { name, servers };
  }

  /** Records may be delegated to another zone. */
  async #canonical(record: string): Promise<string> {
    let name = record;
    for (let links = 0; links < MOST_CNAMES; links += 1) {
      const [to] = await present(this.#resolver.resolveCname(name));
      if (to === undefined) return name;
      name = to;
    }
    throw new Error(`${record} has more than ${MOST_CNAMES} CNAME records`);
  }

  async #hosts(name: string): Promise<readonly string[]> {
    const labels = name.split('.');
    for (let from = 0; from < labels.length; from += 1) {
      const hosts = await present(this.#resolver.resolveNs(labels.slice(from).join('.')));
      if (hosts.length > 0) return hosts;
    }
    throw new Error(`${name} has no name servers`);
  }

  async #addresses(host: string): Promise<readonly string[]> {
    const [v4, v6] = await Promise.all([
      present(this.#resolver.resolve4(host)),
      present(this.#resolver.resolve6(host)),
    ]);
    return [...v4.map((ip) => `${ip}:${this.#port}`), ...v6.map((ip) => `[${ip}]:${this.#port}`)];
  }
}

function resolverOf(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  if (servers !== undefined) resolver.setServers([...servers]);
  return resolver;
}

/** Empty: there is no such record. */
async function present(query: Promise<string[]>): Promise<string[]> {
  try {
    return await query;
  } catch (error) {
    if (NO_RECORD.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
