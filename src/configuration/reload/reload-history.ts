// The reloads that ended, as the API lists them.

import type { ReloadPage, ReloadRecord } from '../../api/configuration.ts';
import type { PageQuery } from '../../api/schema.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ReloadsStore } from '../../store/reloads-store.ts';

export class ReloadHistory {
  readonly #store: ReloadsStore;

  constructor(store: ReloadsStore) {
    this.#store = store;
  }

  async reloads(query: PageQuery): Promise<ReloadPage> {
    const { items, nextCursor } = await this.#store.list(query);
    return { items: items.map((record) => ({ ...record })), next_cursor: nextCursor };
  }

  /** @throws ServiceError 1100 */
  async reloadRecord(id: string): Promise<ReloadRecord> {
    const record = await this.#store.get(id);
    if (record === null) throw new ServiceError(codes.NotFound, 'get reload', `there is no reload ${id}`);
    return { ...record };
  }
}
