import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import {
  MAX_COMMAND_BYTES,
  PayloadCommand,
  targetOf,
  UnsafeCommandError,
  WorkerLine,
  wireText,
} from './conversation-command.ts';

describe('a command', () => {
  it('a command is sent as its text and one newline', () => expect(wireText('show proc')).toBe('show proc\n'));

  it.each([
    '',
    'a\nb',
    'a;b',
    'a\rb',
    'a\0b',
    'a\tb',
    '@1 add map /m <<',
    'x'.repeat(MAX_COMMAND_BYTES),
    'ü'.repeat(7500),
  ])('refuses the command %j', (text) => expect(() => wireText(text)).toThrow(UnsafeCommandError));

  it('a command never contains a second one, whatever its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        let wire: string;
        try {
          wire = wireText(`@1 get map /m ${text}`);
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafeCommandError);
          return;
        }
        expect(wire.indexOf('\n')).toBe(wire.length - 1);
        expect(wire).not.toContain(';');
      }),
    );
  });
});

describe('a payload', () => {
  it('a payload ends in one empty line and nothing more', () => {
    expect(wireText(new PayloadCommand('@1 add map /m', ['a 1', 'b 1']))).toBe('@1 add map /m <<\na 1\nb 1\n\n');
  });

  it.each([[[]], [['']], [['a 1\n']], [['a 1', 'b;1']], [['x'.repeat(MAX_COMMAND_BYTES)]]])(
    'refuses a payload of the lines %j',
    (lines) => {
      expect(() => new PayloadCommand('@1 add map /m', lines)).toThrow(UnsafeCommandError);
    },
  );
});

it('the target of a command is its prefix', () => {
  expect(targetOf('@1 show map')).toBe('@1');
  expect(targetOf(new PayloadCommand('@!4711 add map /m', ['a 1']))).toBe('@!4711');
  expect(targetOf('show proc')).toBeNull();
});

describe('a line of commands for a worker', () => {
  const wires = (...commands: string[]): string[] => WorkerLine.of(7, commands).map(({ wire }) => wire);

  it('names the worker once', () => {
    expect(wires('@!7 get map /m 192.0.2.1')).toEqual(['@@!7 get map /m 192.0.2.1\n']);
    expect(wires('@!7 add map /m 192.0.2.1 1', '@!7 get map /m 192.0.2.1')).toEqual([
      '@@!7 add map /m 192.0.2.1 1;get map /m 192.0.2.1\n',
    ]);
    expect(wires()).toEqual([]);
  });

  it('ends before it is too long for the buffer of HAProxy, and loses no command', () => {
    const commands = Array.from({ length: 1_000 }, (_, at) => `@!7 get map /etc/proxy/blocked_ips.map 10.0.0.${at}`);
    const lines = WorkerLine.of(7, commands);
    expect(lines.every(({ wire }) => wire.length <= MAX_COMMAND_BYTES)).toBe(true);
    expect(lines.flatMap((line) => line.commands)).toEqual(commands);
    expect(lines.length).toBe(4);
    const sent = lines.flatMap(({ wire }) => wire.trimEnd().slice('@@!7 '.length).split(';'));
    expect(sent.map((one) => `@!7 ${one}`)).toEqual(commands);
  });

  it.each([
    '@!8 show map',
    '@1 show map',
    'show proc',
    '@!7 show map;reload',
    '@!7 show map\nreload',
    '',
    `@!7 ${'x'.repeat(MAX_COMMAND_BYTES)}`,
  ])('refuses %j', (command) => {
    expect(() => WorkerLine.of(7, ['@!7 show map', command])).toThrow(UnsafeCommandError);
  });

  it("goes to the worker's own socket without its name", () => {
    expect(WorkerLine.direct(['show info', 'show table a']).wire).toBe('show info;show table a\n');
    for (const unsafe of ['', 'show info;reload', 'show info\nreload', 'x'.repeat(MAX_COMMAND_BYTES)])
      expect(() => WorkerLine.direct(['show info', unsafe])).toThrow(UnsafeCommandError);
  });
});
