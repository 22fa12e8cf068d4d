// Runs in Node and in browsers; `node-client.ts` starts faster, and reaches the service over unix sockets too.
import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch';
import { ApiProblem, ApiUnreachable, type Problem, type ReceivedResponse } from './api-problem.ts';
import type { paths } from './gen/api.ts';

export { ApiProblem, ApiUnreachable, type CallFailure, type Problem, type ReceivedResponse } from './api-problem.ts';
export type { components } from './gen/api.ts';

interface ClientOptions {
  /** `http://127.0.0.1:7080`; in a browser the origin of the page. */
  readonly baseUrl: string;
  /** Absent: only operations that need no key. */
  readonly key?: string | undefined;
  /** Throws `ApiUnreachable` if it knows the reason. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Json = 'application/json';
type Raw = Client<paths, Json>;
type Method = 'get' | 'put' | 'post' | 'delete';
/** The second argument is optional if nothing in it is required. */
type InitOf<Init> = object extends Init ? [init?: Init] : [init: Init];

export interface Answer<Data> {
  readonly data: Data;
  readonly response: ReceivedResponse;
}

type Call<M extends Method> = <
  Path extends ClientPathsWithMethod<Raw, M>,
  Init extends MaybeOptionalInit<paths[Path], M>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<Answer<WithLists<NonNullable<FetchResponse<NonNullable<paths[Path][M]>, Init, Json>['data']>>>>;

/** openapi-fetch maps a `readonly` list to an object type; this reverts it. */
type WithLists<Data> = Data extends string | ReadableStream | Blob
  ? Data
  : Data extends { readonly length: number; readonly [index: number]: infer Item }
    ? readonly WithLists<Item>[]
    : Data extends object
      ? { [Name in keyof Data]: WithLists<Data[Name]> }
      : Data;

/**
 * For example `client.GET('/api/blocked-ips/{ip_address}', { params: { path: { ip_address: '192.0.2.1' } } })`. Besides
 * `params` and `body` a call accepts `parseAs: 'text' | 'stream'`, `headers` and `signal`.
 *
 * A response is `{ data, response }`, also 207 and a 503 of `/health`. Otherwise a call throws `ApiProblem` if the service
 * rejected the request or failed, `ApiUnreachable` if it did not respond.
 */
export interface ApiClient {
  readonly GET: Call<'get'>;
  readonly PUT: Call<'put'>;
  readonly POST: Call<'post'>;
  readonly DELETE: Call<'delete'>;
}

export function createApiClient({ baseUrl, key, fetch: send = fetch }: ClientOptions): ApiClient {
  const raw: Raw = createClient<paths, Json>({
    baseUrl,
    // The key must not be sent to the target of a redirect.
    redirect: 'manual',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    // Text and streams are sent unchanged; the caller sets their `content-type`.
    bodySerializer: (body: unknown) =>
      typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body),
    fetch: async (request) => await checked(await sent(send, request), new URL(request.url).pathname),
  });
  const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE') => {
    const send = raw[method] as unknown as (...request: unknown[]) => Promise<{
      data?: unknown;
      error?: unknown;
      response: Response;
    }>;
    return async (...request: unknown[]): Promise<Answer<unknown>> => {
      const result = await send(...request).catch((error: unknown) => {
        throw asCallFailure(error);
      });
      // openapi-fetch puts the body of a 503 that is no problem under `error`.
      return { data: result.data ?? result.error, response: result.response };
    };
  };
  return { GET: call('GET'), PUT: call('PUT'), POST: call('POST'), DELETE: call('DELETE') } as unknown as ApiClient;
}

/** @param text one address per line */
export async function replaceBlockedAddresses(
  client: ApiClient,
  text: string | ReadableStream<Uint8Array>,
  options: { readonly allowShrink?: boolean; readonly signal?: AbortSignal } = {},
) {
  return await client.PUT('/api/blocked-ips', {
    params: { query: options.allowShrink === true ? { allow_shrink: true } : {} },
    headers: { 'content-type': 'text/plain' },
    body: text as string,
    // `Request` rejects a stream without it.
    ...(typeof text === 'string' ? {} : { duplex: 'half' }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** For an error of reading a response. */
export function asCallFailure(error: unknown): ApiProblem | ApiUnreachable {
  if (error instanceof ApiProblem || error instanceof ApiUnreachable) return error;
  const why = `the response is incomplete or invalid: ${(error as Error).message}`;
  return new ApiUnreachable('broken', why, { cause: error });
}

async function sent(send: NonNullable<ClientOptions['fetch']>, request: Request): Promise<Response> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof ApiUnreachable) throw error;
    if (request.signal.aborted) throw new ApiUnreachable('aborted', 'the call was cancelled', { cause: error });
    throw new ApiUnreachable('broken', `no response: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The response, if it is from the service and not a problem.
 * @throws ApiProblem, ApiUnreachable
 */
export async function checked<Received extends ReceivedResponse>(response: Received, path: string): Promise<Received> {
  const { status, headers } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location');
    await response.body?.cancel();
    throw foreignResponse(`a redirect${to === null ? '' : ` to ${JSON.stringify(to)}`}, which is not followed`);
  }
  if (headers.get('x-request-id') === null) {
    await response.body?.cancel();
    throw foreignResponse(`status ${status} without X-Request-Id`);
  }
  if (response.ok) return response;
  if (isProblem(headers)) throw new ApiProblem(await problemOf(response), response);
  // These two use 503 as a state.
  if (status === 503 && /\/(health|readyz)$/.test(path)) return response;
  await response.body?.cancel();
  throw foreignResponse(`status ${status} without a problem document`);
}

function isProblem(headers: ReceivedResponse['headers']): boolean {
  return /^application\/problem\+json\b/.test(headers.get('content-type') ?? '');
}

async function problemOf(response: ReceivedResponse): Promise<Problem> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Problem;
  } catch (cause) {
    throw foreignResponse(`status ${response.status} with a problem document that is not JSON`, cause);
  }
}

function foreignResponse(what: string, cause?: unknown): ApiUnreachable {
  return new ApiUnreachable(
    'foreign',
    `the response is not from the API of proxy-manager, or a proxy in between changed it: ${what}`,
    { cause },
  );
}
