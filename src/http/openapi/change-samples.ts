// What the descriptions of all changes of the running maps have in common.
import { codes } from '../../errors/catalogue.ts';
import { CommittedMembers } from '../schemas/problem.ts';

/** Seen everywhere. */
export const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

export const problem = { kind: 'Parameter', errors: [], request_id: 'V1StGXR8_Z5jdHi6' };

export const durable =
  'A 2xx means that the change is durable in database and map file: no crash undoes it. `runtime_map_updated` says whether every worker of the proxy was seen to be right; where it is false, `runtime_map_failures` says which was not, and what follows. Only the database or the map file can make this fail (503); `committed` says what was stored all the same.';

export const changeCodes = [codes.QueueFull, codes.DatabaseUnusable, codes.MapFileUnusable, codes.ChangeFailed];
/** What of the request is durable although it failed. */
export const changeMembers = { 500: CommittedMembers, 503: CommittedMembers };
