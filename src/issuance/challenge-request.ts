// Asks HAProxy for the answer to a challenge as an authority does, but for the network it comes from.
import { request } from 'node:http';
import { connect } from 'node:net';

export interface AskedChallenge {
  readonly name: string;
  readonly token: string;
  readonly answer: string;
}

interface AskedAddress {
  readonly host: string;
  readonly port: number;
  /** Begins with a PROXY protocol header that names no other client. */
  readonly proxyProtocol: boolean;
}

/** An answer is shorter. */
const MOST_BYTES = 1_024;
/** PROXY protocol, 2.1: the addresses of the connection count. */
const UNKNOWN_CLIENT = 'PROXY UNKNOWN\r\n';

/** Null: it answers. Otherwise what it does instead, a clause. */
export async function askForChallenge(
  address: AskedAddress,
  challenge: AskedChallenge,
  withinMs: number,
): Promise<string | null> {
  const { host, port } = address;
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const seen = await seenAt(address, challenge, withinMs);
  if (seen === null) return null;
  return `a request of this service to ${at} for a challenge of ${challenge.name} got ${seen}, not the answer; the rule for ACME challenges has to come before all other rules of the front end there`;
}

function seenAt(
  { host, port, proxyProtocol }: AskedAddress,
  { name, token, answer }: AskedChallenge,
  withinMs: number,
) {
  return new Promise<string | null>((resolve) => {
    const asked = request({
      path: `/.well-known/acme-challenge/${token}`,
      headers: { host: name, connection: 'close' },
      signal: AbortSignal.timeout(withinMs),
      createConnection: () => {
        const socket = connect({ host, port });
        if (proxyProtocol) socket.write(UNKNOWN_CLIENT);
        return socket;
      },
    });
    const end = (seen: string | null): void => {
      resolve(seen);
      asked.destroy();
    };
    asked.once('response', (response) => {
      const { statusCode, headers } = response;
      if (statusCode !== 200) {
        const to = headers.location === undefined ? '' : ` to ${JSON.stringify(headers.location.slice(0, 200))}`;
        end(`status ${statusCode}${to}`);
        return;
      }
      let body = '';
      response.setEncoding('latin1').on('data', (part: string) => {
        body += part;
        if (body.length > MOST_BYTES) end('another page');
      });
      response.once('end', () => end(body === answer ? null : 'another page'));
      response.once('error', failed);
    });
    const failed = (error: Error): void =>
      end(
        error.name === 'TimeoutError' || error.name === 'AbortError'
          ? `nothing within ${withinMs / 1_000} s`
          : `no reply (${error.message})`,
      );
    asked.on('error', failed);
    asked.end();
  });
}
