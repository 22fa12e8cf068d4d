// The service over HTTP, by the typed client.
import { ReadableStream } from 'node:stream/web';
import type { ApiClient, components } from '../../client/client.ts';
import type {
  AuditPage,
  AuditQuery,
  BlockElement,
  ListOptions,
  ListQuery,
  ReplaceConsent,
  ServiceApi,
  SiteServer,
  StreamedList,
} from '../service-api.ts';

type Schemas = components['schemas'];

/** What was not agreed to is not sent: a service that is older than this does not know it. */
function replaceQuery({ replaceConfiguration }: ReplaceConsent) {
  return replaceConfiguration ? { replace_configuration: true } : {};
}

export class HttpServiceApi implements ServiceApi {
  readonly #client: ApiClient;
  readonly #patient: ApiClient;

  /** @param patient for big changes: the service says nothing until the last entry of them was verified */
  constructor(client: ApiClient, patient: ApiClient) {
    this.#client = client;
    this.#patient = patient;
  }

  async block(body: BlockElement): Promise<Schemas['BlockAnswer']> {
    return await data(this.#client.POST('/api/blocked-ips', { body }));
  }

  async unblock(ip: string): Promise<Schemas['UnblockAnswer']> {
    return await data(this.#client.DELETE('/api/blocked-ips/{ip_address}', address(ip)));
  }

  async batch(
    body: { add?: readonly (string | BlockElement)[]; remove?: readonly string[] },
    options: ListOptions = {},
  ): Promise<Schemas['BulkAnswer']> {
    return await data(
      this.#patient.POST('/api/blocked-ips/batch', {
        params: { query: listQuery(options) },
        body: body as Schemas['BatchRequest'],
      }),
    );
  }

  async replaceAll(
    { contentType, chunks }: StreamedList,
    { allowShrink, ...options }: ListOptions & { allowShrink: boolean },
  ): Promise<Schemas['BulkAnswer']> {
    const source = new FailingSource(chunks);
    try {
      const call = this.#patient.PUT('/api/blocked-ips', {
        params: { query: { ...listQuery(options), ...(allowShrink && { allow_shrink: true }) } },
        headers: { 'content-type': contentType },
        // The client takes a stream of what the document calls a text.
        body: ReadableStream.from(source.bytes()) as unknown as string,
        ...{ duplex: 'half' },
      });
      return await data<Schemas['BulkAnswer']>(call);
    } catch (error) {
      // A list that could not be read on is why the connection was broken off.
      throw source.failure ?? error;
    }
  }

  async list(query: ListQuery): Promise<Schemas['BlockedIpPage']> {
    return await data(this.#client.GET('/api/blocked-ips', { params: { query } }));
  }

  async *listText(): AsyncGenerator<Uint8Array> {
    const { data } = await this.#client.GET('/api/blocked-ips', {
      headers: { accept: 'text/plain' },
      parseAs: 'stream',
    });
    yield* data as ReadableStream<Uint8Array>;
  }

  async check(ip: string): Promise<Schemas['CheckAnswer']> {
    return await data(this.#client.GET('/api/check/{ip_address}', address(ip)));
  }

  async sync({ acceptMapFile }: { acceptMapFile: boolean }): Promise<Schemas['SyncAnswer']> {
    const query = acceptMapFile ? { accept_map_file: true } : {};
    return await data(this.#patient.POST('/api/blocked-ips/sync', { params: { query } }));
  }

  async health(): Promise<Schemas['Health']> {
    return await data(this.#client.GET('/health'));
  }

  async reload(consent: ReplaceConsent): Promise<Schemas['ReloadAnswer']> {
    return await data(this.#client.POST('/api/config/reload', { params: { query: replaceQuery(consent) } }));
  }

  async validate(): Promise<Schemas['ValidationAnswer']> {
    return await data(this.#client.POST('/api/config/validate'));
  }

  async diff(backup?: string): Promise<Schemas['ConfigDiff']> {
    const query = backup === undefined ? {} : { backup };
    return await data(this.#client.GET('/api/config/diff', { params: { query } }));
  }

  async reloads(query: { limit: number }): Promise<Schemas['ReloadPage']> {
    return await data(this.#client.GET('/api/config/reloads', { params: { query } }));
  }

  async backups(): Promise<Schemas['Backups']> {
    return await data(this.#client.GET('/api/config/backups'));
  }

  async restore(id: string): Promise<Schemas['ReloadAnswer']> {
    return await data(this.#client.POST('/api/config/backups/{id}/restore', { params: { path: { id } } }));
  }

  async trustedIps(): Promise<Schemas['TrustedIps']> {
    return await data(this.#client.GET('/api/trusted-ips'));
  }

  async trust(ip: string, change: Parameters<ServiceApi['trust']>[1]): Promise<Schemas['TrustAnswer']> {
    const { note, ...end } = change;
    const body = { ...(note === undefined ? {} : { note }), ...end };
    return await data(this.#client.PUT('/api/trusted-ips/{ip_address}', { ...address(ip), body }));
  }

  async distrust(ip: string): Promise<Schemas['DistrustAnswer']> {
    return await data(this.#client.DELETE('/api/trusted-ips/{ip_address}', address(ip)));
  }

  async sites(): Promise<Schemas['Sites']> {
    return await data(this.#client.GET('/api/sites'));
  }

  async putSite(
    domain: string,
    servers: readonly SiteServer[],
    consent: ReplaceConsent,
  ): Promise<Schemas['SiteAnswer']> {
    const params = { path: { domain }, query: replaceQuery(consent) };
    return await data(this.#client.PUT('/api/sites/{domain}', { params, body: { servers } as Schemas['SiteRequest'] }));
  }

  async removeSite(domain: string, consent: ReplaceConsent): Promise<Schemas['SiteRemoved']> {
    const params = { path: { domain }, query: replaceQuery(consent) };
    return await data(this.#client.DELETE('/api/sites/{domain}', { params }));
  }

  async siteServers(domain: string): Promise<Schemas['ServerStates']> {
    return await data(this.#client.GET('/api/sites/{domain}/servers', { params: { path: { domain } } }));
  }

  async keys(): Promise<Schemas['Keys']> {
    return await data(this.#client.GET('/api/keys'));
  }

  async createKey(body: Schemas['KeyRequest']): Promise<Schemas['NewKey']> {
    return await data(this.#client.POST('/api/keys', { body }));
  }

  async revokeKey(name: string): Promise<Schemas['Key']> {
    return await data(this.#client.DELETE('/api/keys/{name}', { params: { path: { name } } }));
  }

  async webhooks(): Promise<Schemas['Webhooks']> {
    return await data(this.#client.GET('/api/webhooks'));
  }

  async putWebhook(id: string, body: Schemas['WebhookRequest']): Promise<Schemas['WebhookAnswer']> {
    return await data(this.#client.PUT('/api/webhooks/{id}', { params: { path: { id } }, body }));
  }

  async removeWebhook(id: string): Promise<Schemas['WebhookRemoved']> {
    return await data(this.#client.DELETE('/api/webhooks/{id}', { params: { path: { id } } }));
  }

  async audit(query: AuditQuery): Promise<AuditPage> {
    return await data(this.#client.GET('/api/audit', { params: { query } }));
  }
}

/**
 * The answer in the types of the document. openapi-fetch's own make an object of every read-only list (0.17).
 */
async function data<T>(call: Promise<{ readonly data: unknown }>): Promise<T> {
  return (await call).data as T;
}

function address(ip: string) {
  return { params: { path: { ip_address: ip } } };
}

/** Keeps why its source failed: what the connection says of it is only that it ended. */
class FailingSource {
  readonly #chunks: AsyncIterable<string>;
  failure: unknown = null;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    try {
      for await (const chunk of this.#chunks) yield encoder.encode(chunk);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

function listQuery({ allowWide, dryRun }: ListOptions): { allow_wide?: boolean; dry_run?: boolean } {
  return { ...(allowWide === true && { allow_wide: true }), ...(dryRun === true && { dry_run: true }) };
}
