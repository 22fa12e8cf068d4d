import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { within } from '../../../testkit/conditions.ts';
import { hang, ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { partsShown } from '../../../testkit/secret-parts.ts';
import { pemOf } from '../../x509/pem.ts';
import { RuntimeMapRejection } from '../maps/runtime-map.ts';
import { commandNameOf } from './command-observer.ts';
import { MAX_COMMAND_BYTES, SecretPayload, shownText, targetOf, wireText } from './conversation-command.ts';
import { MasterSocket } from './master-socket.ts';

const COMMAND = '@!4711 set ssl cert /etc/proxy/tls/c-aaaaaaaaaa.pem';
const pem = pemOf('PRIVATE KEY', randomBytes(1_200));
const secret = { reveal: () => pem };
const payload = new SecretPayload(COMMAND, secret);

function shownOf(value: unknown): string {
  const options = { depth: 9, maxStringLength: null, showHidden: true, getters: true };
  const { stack = '', message = '' } = value instanceof Error ? value : {};
  return [String(value), stack, message, JSON.stringify(value), inspect(value, options)].join('\n');
}

describe('a payload with a private key', () => {
  it('is sent whole, with one empty line at its end', () => {
    expect(wireText(payload)).toBe(`${COMMAND} <<\n${pem}\n`);
    expect(targetOf(payload)).toBe('@!4711');
    expect(commandNameOf(payload)).toBe('set ssl cert');
  });

  it('shows only its command', () => {
    expect(shownText(payload)).toBe(COMMAND);
    expect(`${payload}`).toBe(COMMAND);
    expect(JSON.stringify([payload])).toBe(JSON.stringify([COMMAND]));
    expect(inspect({ payload })).toContain(`SecretPayload ${COMMAND}`);
    expect(partsShown(pem, shownOf(payload))).toEqual([]);
  });

  it.each([
    ['an empty line', `${pem}\n${pem}`],
    ['a control character', `${pem}\t`],
    ['a command behind it', `${pem};${pem}`],
    ['more than HAProxy takes', pem.repeat(Math.ceil(MAX_COMMAND_BYTES / pem.length))],
  ])('with %s is refused, and the error does not show it', (_what, text) => {
    let refusal: unknown;
    try {
      new SecretPayload(COMMAND, { reveal: () => text });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ name: 'UnsafeCommandError', message: expect.stringContaining(COMMAND) });
    expect(partsShown(pem, shownOf(refusal))).toEqual([]);
  });
});

describe('a failed conversation with a private key', () => {
  let folder: string;
  let master: ScriptedMaster;
  let socket: MasterSocket;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    master = new ScriptedMaster(join(folder, 'm.sock'), {});
    await master.listen();
    socket = new MasterSocket(master.path);
  });

  afterEach(async () => {
    socket.close();
    await master.stop();
    await rm(folder, { recursive: true });
  });

  const lines = pem.split('\n');
  const echo = `Unknown command: '${lines[3]}', but maybe one of the following:\n${lines.slice(4, 9).join('\n')}`;
  it.each([
    ['no reply', hang, 'deadline'],
    ['an end without a reply', say('', 'close'), 'no-reply'],
    ['half a reply that repeats it', say(echo, 'close'), 'cut-short'],
    ['half a line that repeats it', say(`${lines[3]}`, 'hang'), 'deadline'],
    ['a second reply that repeats it', say(`fine\n\n${echo}\n\n`), 'garbled'],
  ])('after %s shows no part of it', async (_what, behaviour, reason) => {
    master.script = (command) => (command.includes('set ssl cert') ? behaviour : undefined);
    const conversation = await socket.converse(within(300));
    const error = await conversation.finish([payload]).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason, command: reason === 'garbled' ? expect.anything() : COMMAND });
    expect(partsShown(pem, shownOf(error))).toEqual([]);
  });

  it('returns replies without what they repeat of it', async () => {
    master.script = () => say(`${echo}\n\n`);
    const conversation = await socket.converse(within(3_000));
    const [first, second] = [await conversation.send([payload]), await conversation.finish(['@!4711 show ssl cert'])];
    expect(first[0]).toMatch(/^Unknown command: '\(not shown\)', but maybe/);
    expect(partsShown(pem, shownOf([first, second]))).toEqual([]);
    expect(partsShown(pem, await socket.ask(payload, within(3_000)))).toEqual([]);
    expect(partsShown(pem, shownOf(new RuntimeMapRejection(shownText(payload), first)))).toEqual([]);
  });
});
