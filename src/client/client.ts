// The typed client of the API: paths, parameters, bodies and answers are those of the OpenAPI document. Runs in Node
// and in browsers; how Node reaches the service, over a socket file too, is in `node-client.ts`.
import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch';
import { ApiProblem, ApiUnreachable, type Problem } from './api-problem.ts';
import type { paths } from './gen/api.ts';

export { ApiProblem, ApiUnreachable, type CallFailure, type Problem } from './api-problem.ts';
export type { components, operations, paths } from './gen/api.ts';

export interface ClientOptions {
  /** `http://127.0.0.1:7080`; in a browser the origin of the page. */
  readonly baseUrl: string;
  /** Absent: only what is open can be asked. */
  readonly key?: string | undefined;
  /** Sends a request. Default: the platform's own `fetch`. It throws `ApiUnreachable` where it can say why. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Json = 'application/json';
type Raw = Client<paths, Json>;
type Method = 'get' | 'put' | 'post' | 'delete';
/** What a path may be left without needs no second argument. */
type InitOf<Init> = object extends Init ? [init?: Init] : [init: Init];

export interface Answer<Data> {
  readonly data: Data;
  readonly response: Response;
}

type Call<M extends Method> = <
  Path extends ClientPathsWithMethod<Raw, M>,
  Init extends MaybeOptionalInit<paths[Path], M>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<Answer<WithLists<NonNullable<FetchResponse<NonNullable<paths[Path][M]>, Init, Json>['data']>>>>;

/** openapi-fetch takes a `readonly` list for an object with the members of one; here it is a list again. */
type WithLists<Data> = Data extends string | ReadableStream | Blob
  ? Data
  : Data extends { readonly length: number; readonly [index: number]: infer Item }
    ? readonly WithLists<Item>[]
    : Data extends object
      ? { [Name in keyof Data]: WithLists<Data[Name]> }
      : Data;

/**
 * `client.GET('/api/blocked-ips/{ip_address}', { params: { path: { ip_address: '192.0.2.1' } } })` and its like. Beside
 * `params` and `body` a call takes `parseAs: 'text' | 'stream'`, `headers` and `signal`.
 *
 * What the service answers is `{ data, response }`: a 207, and a `/health` of 503 too. Everything else is thrown:
 * `ApiProblem` when the service refused or failed, `ApiUnreachable` when no answer of it came.
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
    // The key must not go where an answer points.
    redirect: 'manual',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    // A text or a stream is sent as it is; its `content-type` is the caller's to give.
    bodySerializer: (body: unknown) =>
      typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body),
    fetch: async (request) => await judged(await sent(send, request), new URL(request.url).pathname),
  });
  const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE') => {
    const send = raw[method] as unknown as (...request: unknown[]) => Promise<{
      data?: unknown;
      error?: unknown;
      response: Response;
    }>;
    return async (...request: unknown[]): Promise<Answer<unknown>> => {
      const result = await send(...request).catch((error: unknown) => {
        if (error instanceof ApiProblem || error instanceof ApiUnreachable) throw error;
        const why = `the answer was cut short, or is none: ${(error as Error).message}`;
        throw new ApiUnreachable('broken', why, { cause: error });
      });
      // Where the status is an error's but the answer is none, openapi-fetch has it under the other name.
      return { data: result.data ?? result.error, response: result.response };
    };
  };
  return { GET: call('GET'), PUT: call('PUT'), POST: call('POST'), DELETE: call('DELETE') } as unknown as ApiClient;
}

/** The body of a `PUT /api/blocked-ips` as text, one address a line; a stream is read as it is sent. */
export async function replaceBlockedAddresses(
  client: ApiClient,
  text: string | ReadableStream<Uint8Array>,
  options: { readonly allowShrink?: boolean; readonly signal?: AbortSignal } = {},
) {
  return await client.PUT('/api/blocked-ips', {
    params: { query: options.allowShrink === true ? { allow_shrink: true } : {} },
    headers: { 'content-type': 'text/plain' },
    body: text as string,
    // Without it `Request` takes no stream.
    ...(typeof text === 'string' ? {} : { duplex: 'half' }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

async function sent(send: NonNullable<ClientOptions['fetch']>, request: Request): Promise<Response> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof ApiUnreachable) throw error;
    if (request.signal.aborted) throw new ApiUnreachable('aborted', 'the call was given up', { cause: error });
    throw new ApiUnreachable('broken', `no answer came: ${(error as Error).message}`, { cause: error });
  }
}

/** The response as it is, if it is the service's own and no problem. */
async function judged(response: Response, path: string): Promise<Response> {
  const { status, headers } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location');
    await response.body?.cancel();
    throw stranger(`a redirect${to === null ? '' : ` to ${JSON.stringify(to)}`}, which is not followed`);
  }
  if (headers.get('x-request-id') === null) {
    await response.body?.cancel();
    throw stranger(`status ${status} without X-Request-Id`);
  }
  if (response.ok) return response;
  if (isProblem(headers)) throw new ApiProblem(await problemOf(response), response);
  // These two say by their status how it is. Of all else an error is a problem; a page is somebody's between us.
  if (status === 503 && /\/(health|readyz)$/.test(path)) return response;
  await response.body?.cancel();
  throw stranger(`status ${status} without a problem document`);
}

function isProblem(headers: Headers): boolean {
  return /^application\/problem\+json\b/.test(headers.get('content-type') ?? '');
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Problem;
  } catch (cause) {
    throw stranger(`status ${response.status} with a problem that is no JSON`, cause);
  }
}

function stranger(what: string, cause?: unknown): ApiUnreachable {
  return new ApiUnreachable(
    'stranger',
    `what answered is not the API of proxy-manager, or something stands between: ${what}`,
    { cause },
  );
}
