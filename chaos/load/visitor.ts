// One request through HAProxy on its own connection, from any loopback address.
import { connect } from 'node:net';
import { AnswerReader } from '../../testkit/load/traffic-answer.ts';

const patienceMs = 10_000;

/** The status. Rejects without an answer. */
export function visit(port: number, from: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader();
    const socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true, timeout: patienceMs });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(new Error(`from ${from}: ${error.message}`, { cause: error }));
    };
    socket.on('data', (bytes) => {
      try {
        if (!reader.push(bytes)) return;
        socket.destroy();
        resolve(reader.status);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.once('timeout', () => fail(new Error(`no answer within ${patienceMs} ms`)));
    socket.once('error', fail);
    socket.once('end', () => fail(new Error('closed before the whole answer')));
    socket.write('GET /load HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}
