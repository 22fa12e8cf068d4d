// The faults of what is around the service, and what a stack has to be started with so that all of them can strike:
// `before: onOwnDisk`, and `environment: settableClock` (testkit/clock.ts).
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

/** For `RealService.start`, as `before`: a disk of its own that can fill up, where one may be made. */
export async function onOwnDisk({ prefix }: Pick<ServicePaths, 'prefix'>): Promise<void> {
  if (mayMount()) await mountDisk(prefix, diskMegabytes);
}
