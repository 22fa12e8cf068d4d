// Add new faults at the end: rounds of old seeds choose by number.
import type { Fault } from './fault.ts';
import { authorityAway } from './faults/authority-away.ts';
import { crashPointFault } from './faults/crash-point.ts';
import { foreignCertificate } from './faults/foreign-certificate.ts';
import { foreignConfigEdit } from './faults/foreign-config-edit.ts';
import { foreignMapFileEdit } from './faults/foreign-map-file-edit.ts';
import { foreignReload } from './faults/foreign-reload.ts';
import { foreignRunningMapEdit } from './faults/foreign-running-map-edit.ts';
import { foreignUpstreamEdit } from './faults/foreign-upstream-edit.ts';
import { killEverything } from './faults/kill-everything.ts';
import { killMaster } from './faults/kill-master.ts';
import { killService } from './faults/kill-service.ts';
import { killWorker } from './faults/kill-worker.ts';
import { operatorEdits } from './faults/operator-edits.ts';
import { pauseService } from './faults/pause-service.ts';
import { pauseWorker } from './faults/pause-worker.ts';
import { pemTorn } from './faults/pem-torn.ts';
import { ruleRemoved } from './faults/rule-removed.ts';
import { secondService } from './faults/second-service.ts';
import { secretGone } from './faults/secret-gone.ts';
import { socketRemoved } from './faults/socket-removed.ts';
import { stopService } from './faults/stop-service.ts';
import { surroundingFaults } from './faults/surroundings.ts';

/** The service runs HAProxy. */
export const faults: readonly Fault[] = [
  killService,
  killWorker,
  killMaster,
  killEverything,
  stopService,
  foreignReload,
  foreignMapFileEdit,
  foreignConfigEdit,
  foreignRunningMapEdit,
  foreignUpstreamEdit,
  pauseWorker,
  pauseService,
  secondService,
  ...surroundingFaults,
  crashPointFault,
];

/** The service runs HAProxy, and orders certificates. */
export const certificateFaults: readonly Fault[] = [...faults, authorityAway, pemTorn, foreignCertificate, secretGone];

/** An operator runs HAProxy. */
export const attachedFaults: readonly Fault[] = [
  ...faults.filter((fault) => fault !== foreignConfigEdit && fault !== foreignUpstreamEdit),
  operatorEdits,
  ruleRemoved,
  socketRemoved,
];
