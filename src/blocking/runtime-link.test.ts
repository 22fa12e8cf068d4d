import { afterEach, describe, expect, it } from 'vitest';
import { MasterSocket } from '../haproxy/master-socket.ts';
import { MasterSocketError } from '../haproxy/master-socket-error.ts';
import type { Log } from '../telemetry/log.ts';
import { RuntimeLink } from './runtime-link.ts';

const nowhere = '/nowhere/master.sock';
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A way to the master that counts who takes it. */
class CountedSocket extends MasterSocket {
  asked = 0;
  override converse(deadline: number): ReturnType<MasterSocket['converse']> {
    this.asked += 1;
    return super.converse(deadline);
  }
}

function linkTo(socket: MasterSocket): RuntimeLink {
  return new RuntimeLink({ socket, log: silent, now: () => new Date(), onRecovered: () => undefined });
}

const failure = new MasterSocketError('reset', { path: nowhere, command: '@1 get map x 192.0.2.1' });

describe('a link whose last command failed', () => {
  const socket = new CountedSocket(nowhere);
  afterEach(() => socket.close());

  it('probes until it is closed', async () => {
    const link = linkTo(socket);
    link.markDown(failure);
    expect(socket.asked).toBe(1);
    await link.close();
  });

  it('probes no more when what was under way fails after it was closed', async () => {
    const link = linkTo(socket);
    await link.close();
    const before = socket.asked;
    link.markDown(failure);
    expect(socket.asked).toBe(before);
    expect(link.state.up).toBe(false);
  });
});
