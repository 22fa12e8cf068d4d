// One request to the service: the key goes with it, what comes back is JSON or a problem.
import { ApiProblem, Unreachable } from './problem.ts';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** Sent as JSON; a string or a `Blob` is sent as plain text. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Statuses that are answers although they are no 2xx, such as 503 of `/health`. */
  readonly alsoAnswers?: readonly number[];
  /** Milliseconds until the request is given up; default 60,000. 0: never. */
  readonly patience?: number;
}

/** What the page learns from every request, whoever made it. */
export interface RequestWatcher {
  answered(): void;
  unanswered(): void;
  /** The key is not taken any more. */
  keyRefused(): void;
}

export class Api {
  readonly #key: () => string | null;
  readonly #watcher: RequestWatcher;

  constructor(key: () => string | null, watcher: RequestWatcher) {
    this.#key = key;
    this.#watcher = watcher;
  }

  /** @throws ApiProblem, Unreachable, or the `AbortError` of `signal` */
  async json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.response(method, path, options);
    return (await this.#reading(options.signal, () => response.json())) as T;
  }

  /** The answer itself, for what is read as it comes. @throws as `json` */
  async response(method: string, path: string, options: RequestOptions = {}, accept = 'application/json') {
    const { query = {}, body, signal, alsoAnswers = [], patience = 60_000 } = options;
    const key = this.#key();
    const headers: Record<string, string> = { accept };
    if (key !== null) headers['authorization'] = `Bearer ${key}`;
    const asText = typeof body === 'string' || body instanceof Blob;
    if (body !== undefined) headers['content-type'] = asText ? 'text/plain; charset=utf-8' : 'application/json';
    const signals = [signal, patience > 0 ? AbortSignal.timeout(patience) : undefined].filter(
      (one) => one !== undefined,
    );
    const response = await this.#reading(signal, () =>
      fetch(withQuery(path, query), {
        method,
        headers,
        ...(body === undefined ? {} : { body: asText ? body : JSON.stringify(body) }),
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      }),
    );
    this.#watcher.answered();
    if (response.ok || alsoAnswers.includes(response.status)) return response;
    if (response.status === 401) this.#watcher.keyRefused();
    throw new ApiProblem(response.status, await membersOf(response), response.headers);
  }

  /** What fails between here and the service is told as that, unless the page itself ended it. */
  async #reading<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#watcher.unanswered();
      throw new Unreachable(error);
    }
  }
}

function withQuery(path: string, query: NonNullable<RequestOptions['query']>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

async function membersOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    // A proxy before the service answers with a page of its own; the status is all that is known then.
    return {};
  }
}
