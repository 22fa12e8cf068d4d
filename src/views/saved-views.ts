import type { Caller } from '../api/caller.ts';
import type { SavedView } from '../api/views.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { ViewsStore } from '../store/views-store.ts';

/** The panel shows them as tabs. */
const mostViews = 100;

interface Deps {
  readonly store: ViewsStore;
  readonly emit: Emit;
  readonly now: () => Date;
}

/** Filters of the panel's lists under a name, shared by all keys. The service stores them and does not read them. */
export class SavedViews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** In order of names. */
  async list(): Promise<readonly SavedView[]> {
    return await this.#deps.store.list();
  }

  /** Errors: 1100. */
  async get(name: string): Promise<SavedView> {
    const view = await this.#deps.store.get(name);
    if (view === null) throw unknownView('get view', name);
    return view;
  }

  /** Errors: 409 when there are too many. */
  async put(
    view: Pick<SavedView, 'name' | 'page' | 'query'>,
    caller: Caller,
  ): Promise<{ created: boolean; view: SavedView }> {
    const { store, emit, now } = this.#deps;
    const { name, page, query } = view;
    const audited = auditedChange('set_view', caller, { target: name, details: { page, query } });
    const done = await store.put({ ...view, created_by: caller.keyName }, mostViews, now(), audited);
    if (done === null) {
      const why = `the limit of ${mostViews} saved views is reached; remove one first`;
      throw new ServiceError(codes.Conflict, 'save view', why);
    }
    emit('operation.done', { operation: 'set_view', caller, subject: { view: name } });
    return { created: done.created, view: done.row };
  }

  /** Errors: 1100. */
  async remove(name: string, caller: Caller): Promise<{ readonly name: string }> {
    const { store, emit, now } = this.#deps;
    const removed = await store.remove(name, now(), auditedChange('remove_view', caller, { target: name }));
    if (!removed) throw unknownView('remove view', name);
    emit('operation.done', { operation: 'remove_view', caller, subject: { view: name } });
    return { name };
  }
}

function unknownView(op: string, name: string): ServiceError {
  return new ServiceError(codes.NotFound, op, `there is no saved view ${name}`);
}
