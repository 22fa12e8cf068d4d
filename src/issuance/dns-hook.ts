// The operator's program that creates and removes TXT records for dns-01 (ADR 0087), called like the hooks of dehydrated:
// HOOK deploy_challenge|clean_challenge DOMAIN TOKEN VALUE.
import { spawn } from 'node:child_process';

interface DnsHookDeps {
  /** An executable file. */
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly limitMs?: number;
}

export interface HookCall {
  readonly verb: 'deploy_challenge' | 'clean_challenge';
  /** Without `*.`; the record is `_acme-challenge.` before it. */
  readonly domain: string;
  readonly token: string;
  /** Of the TXT record. */
  readonly value: string;
}

const LIMIT_MS = 60_000;
/** The last bytes of what the hook prints: errors come last. */
const MOST_OUTPUT = 1_000;
const PASSED: readonly string[] = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ'];
const OWN_PREFIX = 'DNS_HOOK_';

/** What the hook gets of the service's environment, which has secrets of the service. */
export function hookEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => PASSED.includes(name) || name.startsWith(OWN_PREFIX));
  return Object.fromEntries(passed);
}

export class DnsHook {
  readonly #deps: DnsHookDeps;

  constructor(deps: DnsHookDeps) {
    this.#deps = deps;
  }

  get path(): string {
    return this.#deps.path;
  }

  /** Throws if it cannot be started, does not exit with 0, or not within the limit; with the end of what it printed. */
  async run({ verb, domain, token, value }: HookCall): Promise<void> {
    const { path, environment, limitMs = LIMIT_MS } = this.#deps;
    const output = new LastOutput();
    const ending = await new Promise<string | null>((resolve) => {
      // A process group of its own, so that what the hook started ends with it.
      const child = spawn(path, [verb, domain, token, value], {
        cwd: '/',
        detached: true,
        env: hookEnvironment(environment),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const end = (how: string | null): void => {
        clearTimeout(limit);
        if (child.pid !== undefined) killGroup(child.pid);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve(how);
      };
      const limit = setTimeout(() => end(`did not end within ${limitMs / 1_000} s and was killed`), limitMs);
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => output.add(part));
      child.once('error', ({ message }) => end(`cannot be run: ${message}`));
      let exit = '';
      child.once('exit', (code, signal) => {
        exit = code === null ? `was ended by ${signal}` : `exited with ${code}`;
        if (code === 0) end(null);
        // What it printed may still be on its way; a process that it left behind is not waited for.
        else setTimeout(() => end(exit), AFTER_EXIT_MS);
      });
      child.once('close', () => {
        if (exit !== '') end(exit === 'exited with 0' ? null : exit);
      });
    });
    if (ending === null) return;
    const printed = output.text();
    throw new Error(`the hook ${path} ${verb} ${domain} ${ending}${printed === '' ? '' : `; it printed: ${printed}`}`);
  }
}

const AFTER_EXIT_MS = 200;

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

class LastOutput {
  #bytes = Buffer.alloc(0);

  add(part: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, part.subarray(-MOST_OUTPUT)]).subarray(-MOST_OUTPUT);
  }

  /** One line, without control characters. */
  text(): string {
    return this.#bytes
      .toString('utf8')
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim();
  }
}
