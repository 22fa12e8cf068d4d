// Loaded into a service under test before anything else (`--import`): its wall clock is off by as many milliseconds as
// a file says, at every moment. Timers and `performance.now()` go on as they do when the machine's clock is set.
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const prefix = env['PROXY_MANAGER_PREFIX'];
/** Beside the service's folder, which may be on a disk that is full. */
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
    // Half a number, while it is being written, is none.
    const said = /^(-?\d+)\n$/.exec(readFileSync(path, 'utf8'))?.[1];
    return said === undefined ? offset : Number(said);
  } catch (error) {
    // Not written yet; and a test that takes all descriptors away leaves the clock as it is.
    if (['ENOENT', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) return offset;
    throw error;
  }
}

globalThis.Date = new Proxy(real, {
  construct: (target, args: [], newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new real(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
