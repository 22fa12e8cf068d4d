import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import { MAX_COMMAND_BYTES, PayloadCommand, targetOf, UnsafeCommandError, wireText } from './conversation-command.ts';

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
