import type { FastifyInstance } from 'fastify';
import {
  diffConfig,
  getConfig,
  getReload,
  listBackups,
  listReloads,
  reload,
  restoreBackup,
  validateConfig,
} from '../api/configuration.ts';
import { handle } from './handle.ts';
import { consentOf } from './request-values.ts';
import type { Services } from './services.ts';

export function configRoutes(app: FastifyInstance, { configuration }: Services): void {
  handle(app, reload, ({ query, caller }) => configuration.reload(consentOf(query), caller));
  handle(app, getConfig, () => configuration.current());
  handle(app, validateConfig, ({ caller }) => configuration.validate(caller));
  handle(app, diffConfig, ({ query }) => configuration.diff(query.backup ?? null));
  handle(app, listReloads, ({ query: { limit, cursor = null } }) => configuration.reloads({ limit, cursor }));
  handle(app, getReload, ({ params }) => configuration.reloadRecord(params.id));
  handle(app, listBackups, async () => ({ items: await configuration.backups() }));
  handle(app, restoreBackup, ({ params, caller }) => configuration.restore(params.id, caller));
}
