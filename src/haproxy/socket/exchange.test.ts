import { describe, expect, it } from 'vitest';
import { Exchange, type ExchangeFailure, type Reading } from './exchange.ts';

const GET = '@1 get map /m 192.0.2.1';
const ADD = '@1 add map /m 192.0.2.1 1';

function exchange(commands: readonly string[], reading: Reading = {}) {
  const replied: unknown[] = [];
  const one = new Exchange((command) => replied.push(command));
  one.begin(commands, reading);
  const receive = (text: string): ExchangeFailure | null => one.receive(Buffer.from(text));
  return { one, replied, receive };
}

describe('the exchange of commands and replies', () => {
  it('is complete once every command has its reply', () => {
    const { one, replied, receive } = exchange([ADD, GET]);
    expect(receive('\ntype=ip')).toBeNull();
    expect({ complete: one.isComplete, awaited: one.awaited, replied }).toEqual({
      complete: false,
      awaited: GET,
      replied: [ADD],
    });
    expect(receive('\n\n')).toBeNull();
    expect({ complete: one.isComplete, bodies: one.bodies, end: one.end() }).toEqual({
      complete: true,
      bodies: ['', 'type=ip'],
      end: null,
    });
  });

  it('passes lines on as they arrive and buffers none', () => {
    const lines: string[] = [];
    const { one, receive } = exchange(['@1 show map /m'], { onLines: (more) => lines.push(...more) });
    receive('0x1 192.0.2.1 1\n0x2 192.0');
    expect(lines).toEqual(['0x1 192.0.2.1 1']);
    receive('.2.2 1\n\n');
    expect({ lines, bodies: one.bodies }).toEqual({ lines: ['0x1 192.0.2.1 1', '0x2 192.0.2.2 1'], bodies: [''] });
  });

  it('keeps a raw reply with its empty lines until the connection ends', () => {
    const { one, receive } = exchange(['reload'], { raw: true });
    receive('Success=1\n--\n\nlog\n');
    expect(one.isComplete).toBe(false);
    expect({ end: one.end(), bodies: one.bodies }).toEqual({ end: null, bodies: ['Success=1\n--\n\nlog\n'] });
  });

  it.each([
    ['no byte', '', 'no-reply'],
    ['one reply of two', '\n', 'cut-short'],
    ['half a line', '\ntype', 'cut-short'],
    ['half a line more than two replies', '\n\nmore', 'garbled'],
  ])('fails at the end of a connection after %s', (_what, text, reason) => {
    const { one, receive } = exchange([ADD, ADD]);
    if (text !== '') expect(receive(text)).toBeNull();
    expect(one.end()?.reason).toBe(reason);
  });

  it.each(['\nmore\n', '\n\n'])('fails when more data arrives than was requested: %j', (text) => {
    const { one, receive } = exchange([ADD]);
    expect(receive(text)).toMatchObject({ reason: 'garbled' });
    expect(one.bodies).toEqual(['']);
  });

  it.each([{}, { raw: true }])('fails at the message of the master that a worker is gone, read with %j', (reading) => {
    const words = "Can't find the target PID matching the prefix '@!99999'";
    const { one, receive } = exchange(['@!99999 show info'], reading);
    const failure = receive(`${words}\n`);
    expect(failure).toEqual({ reason: 'cut-short', detail: words });
    expect(one.error('/m.sock', failure!).partial).toContain(words);
  });

  it('reports the bodies so far, the rest, and the command without a complete reply', () => {
    const { one, receive } = exchange([ADD, GET]);
    receive('\ntype=ip, ca');
    expect(one.error('/m.sock', { reason: 'deadline' })).toMatchObject({
      reason: 'deadline',
      command: GET,
      responses: [''],
      partial: 'type=ip, ca',
    });
  });
});
