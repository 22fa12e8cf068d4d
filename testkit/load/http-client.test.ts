import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient, parseReply } from './http-client.ts';

const whole = 'HTTP/1.1 201 Created\r\nContent-Length: 4\r\nx: y\r\n\r\n{ü}';

describe('an answer', () => {
  it('is read at once and byte by byte', () => {
    const bytes = Buffer.from(whole);
    for (let length = 0; length < bytes.length; length += 1) expect(parseReply(bytes.subarray(0, length))).toBeNull();
    expect(parseReply(bytes)).toEqual({ status: 201, body: '{ü}', last: false });
  });

  it('says when the connection ends with it', () => {
    const closing = Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    expect(parseReply(closing)).toEqual({ status: 200, body: '', last: true });
  });

  it('in chunks is read at once and byte by byte', () => {
    const bytes = Buffer.from(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n12\r\nA\r\n0123456789\r\n0\r\n\r\n',
    );
    for (let length = 0; length < bytes.length; length += 1) expect(parseReply(bytes.subarray(0, length))).toBeNull();
    expect(parseReply(bytes)).toEqual({ status: 200, body: '\r\n120123456789', last: false });
    expect(() => parseReply(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'))).toThrow('size');
  });

  it('is rejected without a length', () => {
    expect(() => parseReply(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('without a length');
  });
});

describe('the client', () => {
  let server: Server;
  let client: HttpClient;
  const requests: string[] = [];
  let connections = 0;

  afterEach(() => {
    client.close();
    server.close();
  });

  async function listen(answer: (socket: Socket) => void): Promise<void> {
    requests.length = 0;
    connections = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => socket.destroy());
      socket.on('data', (data) => {
        requests.push(data.toString());
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new HttpClient({ port: (server.address() as { port: number }).port, key: 'k' });
  }

  it('keeps its connection and sends its key', async () => {
    await listen((socket) => socket.write(whole));
    await client.request('GET', '/a');
    expect(await client.request('POST', '/b', 'application/json', '{}')).toMatchObject({ status: 201, body: '{ü}' });
    expect(connections).toBe(1);
    expect(requests[1]).toBe(
      'POST /b HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer k\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
  });

  it('fails a request whose connection ends, and reconnects for the next', async () => {
    let end = true;
    await listen((socket) => (end ? socket.destroy() : socket.write(whole)));
    await expect(client.request('GET', '/a')).rejects.toThrow('ended before the answer');
    end = false;
    expect(await client.request('GET', '/a')).toMatchObject({ status: 201 });
    expect(connections).toBe(2);
  });

  it('fails a request whose answer it cannot read', async () => {
    await listen((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    await expect(client.request('GET', '/a')).rejects.toThrow('without a length');
  });

  it('streams a body in chunks', async () => {
    let received = 0;
    await listen((socket) => {
      received += requests.at(-1)!.length;
      if (received > 10_000_000) socket.write(whole);
    });
    const chunks = Array.from({ length: 160 }, () => Buffer.alloc(65_536, 'x'));
    expect(await client.stream('PUT', '/a', 'text/plain', chunks)).toMatchObject({ status: 201 });
    expect(requests[0]).toContain(`content-length: ${160 * 65_536}\r\n`);
  });
});
