// A name server with the records of a test (RFC 1035), over UDP.
import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const TYPES = { A: 1, NS: 2, CNAME: 5, TXT: 16 } as const;
type RecordType = keyof typeof TYPES;

export class DnsServer {
  readonly #socket: Socket;
  /** By `TYPE name`. Others do not exist. */
  readonly records = new Map<`${RecordType} ${string}`, readonly string[]>();
  /** Answers nothing. */
  silent = false;
  /** Each question, as a key of `records`. */
  readonly asked: string[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async start(address = '127.0.0.1'): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket);
    socket.on('message', (query, { address: from, port }) => {
      if (!server.silent) socket.send(server.#reply(query), port, from);
    });
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    return server;
  }

  get port(): number {
    return (this.#socket.address() as AddressInfo).port;
  }

  stop(): void {
    this.#socket.close();
  }

  #reply(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const end = at + 5;
    const number = query.readUInt16BE(at + 1);
    const type = (Object.keys(TYPES) as RecordType[]).find((one) => TYPES[one] === number);
    const key = `${type ?? number} ${labels.join('.').toLowerCase()}` as `${RecordType} ${string}`;
    this.asked.push(key);
    const found = this.records.get(key);
    const answers = (found ?? []).map((value) => answerOf(number, dataOf(type!, value)));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // Authoritative, with recursion; NXDOMAIN without the record.
    header.writeUInt16BE(found === undefined ? 0x8583 : 0x8580, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(12, end), ...answers]);
  }
}

function answerOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  // The name of the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(type: RecordType, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  const parts = type === 'TXT' ? [value] : [...value.split('.'), ''];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])));
}
