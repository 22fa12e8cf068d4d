import { afterEach, describe, expect, it } from 'vitest';
import { stopTime } from '../../../testkit/stop-time.ts';
import { MasterSocket } from '../../haproxy/socket/master-socket.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket-error.ts';
import type { Log } from '../../telemetry/log.ts';
import { RuntimeLink, waitOutReload } from './runtime-link.ts';

const nowhere = '/nowhere/master.sock';
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Counts its connections. */
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
    expect(link.state).toMatchObject({
      reason: expect.stringMatching(`^reset: ${nowhere} .*: the connection was reset`),
    });
    await link.close();
  });

  it('does not probe if work under way fails after the close', async () => {
    const link = linkTo(socket);
    await link.close();
    const before = socket.asked;
    link.markDown(failure);
    expect(socket.asked).toBe(before);
    expect(link.state.up).toBe(false);
  });
});

describe('a reload that is waited out', () => {
  it('fails with the error of the last full attempt, not with a deadline', async () => {
    const refused = new MasterSocketError('refused', { path: nowhere, command: '' });
    using time = stopTime();
    const deadline = performance.now() + 30;
    let tries = 0;
    const attempt = async () => {
      tries += 1;
      if (performance.now() >= deadline) {
        return { ended: new MasterSocketError('deadline', { path: nowhere, command: '' }) };
      }
      // A busy machine: the next pause overruns.
      setImmediate(() => time.standStill(35));
      return { ended: refused };
    };
    expect((await waitOutReload(deadline, attempt)).ended).toBe(refused);
    expect(tries).toBe(1);
  });
});

describe('a command without a complete answer before its deadline', () => {
  const ended = new MasterSocketError('deadline', { path: nowhere, command: '@1 get map x 192.0.2.1' });

  it.each([
    ['1.4 s, the time of a block', 1_400, false],
    ['0.2 s left of it', 200, true],
  ])('takes the link down only if it had the time of a block: %s', async (_, givenMs, up) => {
    using _time = stopTime();
    const socket = new CountedSocket(nowhere);
    const link = linkTo(socket);
    await link.hold(performance.now() + givenMs, async () => ({ ended }));
    expect(link.state.up).toBe(up);
    await link.close();
    socket.close();
  });
});
