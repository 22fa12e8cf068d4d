// The service over HTTP, by the typed client.
import { ReadableStream } from 'node:stream/web';
import type { ApiClient } from '../../client/client.ts';
import type {
  AuditQuery,
  BlockElement,
  ListQuery,
  ServiceApi,
  SiteServer,
  StreamedList,
} from '../service-api.ts';

export class HttpServiceApi implements ServiceApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async block(body: BlockElement) {
    return (await this.#client.POST('/api/blocked-ips', { body })).data;
  }
}
