// What the service answered last, by URL: a request that is repeated names it, and while nothing has changed the service
// does not send it again. In memory only: the browser stores no answer of the API.

/** A page repeats some ten requests; a list that is scrolled through makes many more. */
const most = 40;

interface LastAnswer {
  readonly tag: string;
  readonly type: string;
  readonly text: string;
}

export class LastAnswers {
  readonly #answers = new Map<string, LastAnswer>();
  #key: string | null = null;

  /** Null: there is none. Another key forgets all. */
  of({ method, url }: Request, key: string | null): LastAnswer | null {
    if (key !== this.#key) this.#answers.clear();
    this.#key = key;
    return method === 'GET' ? (this.#answers.get(url) ?? null) : null;
  }

  /** @param last what the request named @returns the complete answer, also if it is the same as the last one */
  async complete({ method, url }: Request, response: Response, last: LastAnswer | null): Promise<Response> {
    const { status, headers } = response;
    if (status === 304 && last !== null) {
      const same = new Headers(headers);
      same.set('content-type', last.type);
      return new Response(last.text, { headers: same });
    }
    const tag = headers.get('etag');
    if (method !== 'GET' || status !== 200 || tag === null) return response;
    const text = await response.text();
    this.#answers.delete(url);
    this.#answers.set(url, { tag, type: headers.get('content-type') ?? '', text });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > most && oldest !== undefined) this.#answers.delete(oldest);
    return new Response(text, { headers });
  }
}
