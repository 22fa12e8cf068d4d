import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';

/** How the proxy treats one server. A closed list, and nothing in it is free text that could reach the configuration. */
export interface ServerOptions {
  /** Share of the requests against the others', 0 to 256; 0 takes none. */
  readonly weight?: number;
  /** Used only when every other server is down. */
  readonly backup?: boolean;
  /** Connections at once, 1 to 1,000,000. */
  readonly max_connections?: number;
  /** Whether its health is checked; true when left out. */
  readonly check?: boolean;
  /** TLS to the server: none, with its certificate verified, or with any certificate. */
  readonly ssl?: 'none' | 'verify' | 'insecure';
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const RULES: { readonly [Name in keyof ServerOptions]-?: Rule } = {
  weight: whole(0, 256),
  backup: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
  max_connections: whole(1, 1_000_000),
  check: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
  ssl: {
    fits: (value) => value === 'none' || value === 'verify' || value === 'insecure',
    wanted: '"none", "verify" or "insecure"',
  },
};

/** The options of a server as JSON gave them (absent: none), with the default of `check` filled in. */
export function parseServerOptions(options: unknown): Parsed<ServerOptions> {
  if (options === undefined) return parsed({ check: true });
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return refused('the server options must be an object');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(RULES, name)) {
      const known = Object.keys(RULES).join(', ');
      return refused(`the server option ${quote(name)} is not known; there are ${known}`);
    }
    const rule = RULES[name as keyof ServerOptions];
    if (!rule.fits(value)) return refused(`the server option ${name} must be ${rule.wanted}`);
  }
  return parsed({ check: true, ...options });
}

function whole(least: number, most: number): Rule {
  return {
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
    wanted: `a whole number from ${least} to ${most}`,
  };
}
