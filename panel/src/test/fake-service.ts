// Answers the panel's requests in component tests, so that the real client, session and queries run.
import { vi } from 'vitest';

interface FakeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface FakeAnswer {
  readonly status?: number;
  /** A string is sent as it is. */
  readonly body: object | string;
}

type Handler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export class FakeService {
  readonly #handlers = new Map<string, Handler>();
  readonly calls: (FakeRequest & { readonly call: string })[] = [];

  constructor() {
    vi.stubGlobal('fetch', (request: Request) => this.#answer(request));
    this.on('GET /health', () => ({ body: { status: 'ok', reasons: [] } }));
    this.on('GET /api/trusted-ips', () => ({ body: { items: [], total: 0 } }));
    this.on('POST /api/session', () => ({ body: { token: 'pms_1', ...operator } }));
  }

  on(call: string, handler: Handler): void {
    this.#handlers.set(call, handler);
  }

  bodies(call: string): unknown[] {
    return this.calls.filter((one) => one.call === call).map(({ body }) => body);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const call = `${request.method} ${decodeURIComponent(pathname)}`;
    const text = await request.text();
    const facts = { path: pathname, query: searchParams, body: text === '' ? null : JSON.parse(text) };
    this.calls.push({ call, ...facts });
    const { status = 200, body } = (await this.#handlers.get(call)?.(facts)) ?? notFound;
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    const headers = { 'content-type': type, 'x-request-id': 'REQ1', date: new Date().toUTCString() };
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
  }
}

const operator = { name: 'ann', scopes: ['admin'], client_address: '203.0.113.50', trustable_address: null };
const notFound: FakeAnswer = { status: 404, body: { code: 404, title: 'Not Found', detail: 'not found' } };

export function problem(status: number, code: number, detail: string): FakeAnswer {
  return { status, body: { code, title: 'Problem', detail } };
}
