// Parses an HTTP/1.1 answer with a Content-Length: what HAProxy and a plain server send.

const headEnd = Buffer.from('\r\n\r\n');

export class GarbledAnswer extends Error {
  override readonly name = 'GarbledAnswer';
}

export class AnswerReader {
  #bytes: Buffer = Buffer.alloc(0);
  #head: { readonly status: number; readonly closes: boolean; readonly size: number } | null = null;

  get begun(): boolean {
    return this.#bytes.length > 0;
  }

  /** True: the answer is complete. @throws GarbledAnswer */
  push(bytes: Buffer): boolean {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    this.#head ??= this.#readHead();
    if (this.#head === null) return false;
    if (this.#bytes.length > this.#head.size) throw new GarbledAnswer('more came than the answer announced');
    return this.#bytes.length === this.#head.size;
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  /** The server closes the connection after this answer. */
  get closes(): boolean {
    return this.#head?.closes ?? true;
  }

  #readHead() {
    const end = this.#bytes.indexOf(headEnd);
    if (end === -1) return null;
    const head = this.#bytes.toString('latin1', 0, end);
    const status = /^HTTP\/1\.([01]) (\d{3})[ \r]/.exec(`${head}\r`);
    const length = /\r\ncontent-length: *(\d+) *(?:\r|$)/i.exec(head);
    if (status === null || length === null) {
      throw new GarbledAnswer(`not an answer with a Content-Length: ${JSON.stringify(head.slice(0, 60))}`);
    }
    return {
      status: Number(status[2]),
      closes: status[1] === '0' || /\r\nconnection: *close *(?:\r|$)/i.test(head),
      size: end + headEnd.length + Number(length[1]),
    };
  }
}
