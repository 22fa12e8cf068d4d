// Faults of the environment. A stack needs `before: onOwnDisk` and `environment: settableClock` for all of them.
import { mayMount, mountDisk } from '../../testkit/own-disk.ts';
import type { ServicePaths } from '../../testkit/real-service.ts';
import type { Fault } from '../fault.ts';
import { clockJump } from './clock-jump.ts';
import { databaseAway } from './database-away.ts';
import { databaseLocked } from './database-locked.ts';
import { databaseSlow } from './database-slow.ts';
import { diskFull } from './disk-full.ts';
import { failingWrite } from './failing-write.ts';
import { masterSocketMisbehaving } from './master-socket-misbehaving.ts';
import { masterSocketMissing } from './master-socket-missing.ts';
import { masterSocketTaken } from './master-socket-taken.ts';
import { noDescriptors } from './no-descriptors.ts';
import { readOnly } from './read-only.ts';
import { slowReload } from './slow-reload.ts';

export const surroundingFaults: readonly Fault[] = [
  diskFull,
  readOnly,
  failingWrite,
  databaseLocked,
  databaseSlow,
  databaseAway,
  clockJump,
  noDescriptors,
  masterSocketMissing,
  masterSocketMisbehaving,
  masterSocketTaken,
  slowReload,
];

const diskMegabytes = 256;

/** `before` for `RealService.start`: a small disk of its own, where mounting is allowed. */
export async function onOwnDisk({ prefix }: Pick<ServicePaths, 'prefix'>): Promise<void> {
  if (mayMount()) await mountDisk(prefix, diskMegabytes);
}
