import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

export interface MachineFacts {
  readonly date: string;
  readonly node: string;
  readonly haproxy: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memory_mb: number;
  readonly kernel: string;
}

export interface ProxyFacts {
  /** As in `-v`, such as `2.6.12-1+deb12u4`. */
  readonly version: string;
  /** Before 2.9 `del map` and `set map` scan the map. */
  readonly deletesScan: boolean;
}

/** @throws without a binary that reports its version */
export function proxyFacts(bin: string): ProxyFacts {
  let text: string;
  try {
    text = execFileSync(bin, ['-v'], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(`--proxy-bin ${bin} cannot be run: ${(error as Error).message}`, { cause: error });
  }
  const match = /version ((\d+)\.(\d+)\S*)/.exec(text);
  if (match?.[1] === undefined) throw new Error(`--proxy-bin ${bin}: -v names no version: ${text.slice(0, 200)}`);
  const [major, minor] = [Number(match[2]), Number(match[3])];
  return { version: match[1], deletesScan: major < 2 || (major === 2 && minor < 9) };
}

export function machineFacts(haproxy: string, date: Date): MachineFacts {
  return {
    date: date.toISOString(),
    node: process.version,
    haproxy,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_mb: Math.round(totalmem() / 2 ** 20),
    kernel: release(),
  };
}
