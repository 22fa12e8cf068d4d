// Preloaded into a service (`--import`): shifts its wall clock by the milliseconds in a file. Timers are not affected.
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const prefix = env['PROXY_MANAGER_PREFIX'];
/** Outside the service's folder, whose disk may be full. */
const file = prefix === undefined ? undefined : `${prefix}.clock`;
const real = Date;
const lookEveryMs = 10;
let offset = 0;
let lookedAt = Number.NEGATIVE_INFINITY;

function now(): number {
  if (file !== undefined && performance.now() - lookedAt > lookEveryMs) {
    lookedAt = performance.now();
    offset = read(file);
  }
  return real.now() + offset;
}

function read(path: string): number {
  try {
    // Ignores a file that is half written.
    const said = /^(-?\d+)\n$/.exec(readFileSync(path, 'utf8'))?.[1];
    return said === undefined ? offset : Number(said);
  } catch (error) {
    // Not written yet; without free descriptors the clock keeps its offset.
    if (['ENOENT', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) return offset;
    throw error;
  }
}

globalThis.Date = new Proxy(real, {
  construct: (target, args: [], newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new real(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
