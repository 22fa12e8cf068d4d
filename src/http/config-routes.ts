// The safe reload, and what belongs to it: the live text, the dry run, the difference, the history, the backups.
import type { TypedApp } from './app.ts';
import { callerOf } from './request-context.ts';
import {
  BackupsSchema,
  CurrentConfigSchema,
  DiffQuery,
  DiffSchema,
  HistoryQuery,
  idParameter,
  ReloadAnswerSchema,
  ReloadPageSchema,
  ReloadRecordSchema,
  ReplaceQuery,
  ValidationSchema,
} from './schemas/config.ts';
import type { Services } from './services.ts';

export function configRoutes(app: TypedApp, { configuration }: Services): void {
  app.post(
    '/api/config/reload',
    { schema: { querystring: ReplaceQuery, response: { 200: ReloadAnswerSchema } } },
    async (request) =>
      configuration.reload({ replace: request.query.replace_configuration === true }, callerOf(request)),
  );

  app.get('/api/config', { schema: { response: { 200: CurrentConfigSchema } } }, async () => configuration.current());

  app.post('/api/config/validate', { schema: { response: { 200: ValidationSchema } } }, async (request) =>
    configuration.validate(callerOf(request)),
  );

  app.get('/api/config/diff', { schema: { querystring: DiffQuery, response: { 200: DiffSchema } } }, async (request) =>
    configuration.diff(request.query.backup ?? null),
  );

  app.get(
    '/api/config/reloads',
    { schema: { querystring: HistoryQuery, response: { 200: ReloadPageSchema } } },
    async (request) => configuration.reloads({ limit: request.query.limit, cursor: request.query.cursor ?? null }),
  );

  app.get(
    '/api/config/reloads/:id',
    { schema: { params: idParameter, response: { 200: ReloadRecordSchema } } },
    async (request) => configuration.reloadRecord(request.params.id),
  );

  app.get('/api/config/backups', { schema: { response: { 200: BackupsSchema } } }, async () => ({
    items: await configuration.backups(),
  }));

  app.post(
    '/api/config/backups/:id/restore',
    { schema: { params: idParameter, response: { 200: ReloadAnswerSchema } } },
    async (request) => configuration.restore(request.params.id, callerOf(request)),
  );
}
