import type { Caller } from '../../api/caller.ts';
import type { ReloadAnswer, ReloadPage, ReloadRecord } from '../../api/configuration.ts';
import type { PageQuery } from '../../api/schema.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Emit } from '../../events/facts.ts';
import type { ReloadsStore } from '../../store/reloads-store.ts';
import type { ReloadCoordinator } from './reload-coordinator.ts';
import type { ReplaceConsent } from './replace-consent.ts';

export interface ReloadOperationsDeps {
  readonly reloads: ReloadCoordinator;
  readonly history: ReloadsStore;
  readonly emit: Emit;
}

export abstract class ReloadOperations<Deps extends ReloadOperationsDeps> {
  protected readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async reload(consent: ReplaceConsent, caller: Caller): Promise<ReloadAnswer> {
    const answer = await this.deps.reloads.reload(`requested by ${caller.keyName}`, consent);
    this.deps.emit('operation.done', { operation: 'reload', caller, subject: {}, reload: answer.id });
    return answer;
  }

  async reloads(query: PageQuery): Promise<ReloadPage> {
    const { items, nextCursor } = await this.deps.history.list(query);
    return { items, next_cursor: nextCursor };
  }

  async reloadRecord(id: string): Promise<ReloadRecord> {
    const record = await this.deps.history.get(id);
    if (record === null) throw new ServiceError(codes.NotFound, 'get reload', `there is no reload ${id}`);
    return record;
  }
}
