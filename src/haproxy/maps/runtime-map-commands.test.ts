import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COMMAND_BYTES } from '../socket/conversation-command.ts';
import { checkKey, hides, MapCommands, UnsafeArgumentError } from './runtime-map-commands.ts';

const commands = new MapCommands({ path: '/m' }, { kind: 'pid', pid: 4711 });

describe('map commands', () => {
  it('map commands name the worker first and the map by its path', () => {
    expect(commands.get('2001:db8::/32')).toBe('@!4711 get map /m 2001:db8::');
    expect(commands.add('10.0.0.0/8', 3)).toBe('@!4711 add map @3 /m 10.0.0.0/8 1');
    expect(commands.del('::1')).toBe('@!4711 del map /m ::1');
    expect(commands.set('1.2.3.4')).toBe('@!4711 set map /m 1.2.3.4 1');
    expect(commands.setElement('0x7f8b9d9d29e0', '1.2.3.4')).toBe('@!4711 set map /m #0x7f8b9d9d29e0 1');
    expect(commands.delElement('0x7f8b9d9d29e0')).toBe('@!4711 del map /m #0x7f8b9d9d29e0');
    expect(commands.show(3)).toBe('@!4711 show map @3 /m');
    expect(commands.commit(3)).toBe('@!4711 commit map @3 /m');
  });

  it('any list of keys is split into payloads that fit, without losing one', () => {
    const ip = fc.oneof(fc.ipV4(), fc.constant('2001:db8:1111:2222:3333:4444:5555:6666/127'));
    const property = fc.property(fc.array(ip, { maxLength: 3000, size: 'max' }), (ips) => {
      const chunks = commands.addAll(ips);
      expect(chunks.flatMap((chunk) => chunk.keys)).toEqual(ips);
      for (const { command, keys } of chunks) {
        expect(command.wire.length).toBeLessThanOrEqual(MAX_COMMAND_BYTES);
        expect(command.wire).toBe(`@!4711 add map /m <<\n${keys.map((key) => `${key} 1\n`).join('')}\n`);
      }
    });
    fc.assert(property, { numRuns: 30 });
  });

  it('map commands carry the value of each key', () => {
    const valued = new MapCommands(
      { path: '/m', valueFor: (key) => (key === '::1' ? '21' : '3') },
      { kind: 'current' },
    );
    expect(valued.add('::1')).toBe('@1 add map /m ::1 21');
    expect(valued.set('1.2.3.4')).toBe('@1 set map /m 1.2.3.4 3');
    expect(valued.setElement('0x7f', '::1')).toBe('@1 set map /m #0x7f 21');
    expect(valued.addAll(['::1', '1.2.3.4'])[0]?.command.wire).toBe('@1 add map /m <<\n::1 21\n1.2.3.4 3\n\n');
  });

  it.each(['', '-1', '1 2', '1\n', '1;x', '1000', 'one'])('map commands refuse %j as a value', (value) => {
    const valued = new MapCommands({ path: '/m', valueFor: () => value }, { kind: 'current' });
    expect(() => valued.add('::1')).toThrow(UnsafeArgumentError);
    expect(() => valued.addAll(['::1'])).toThrow(UnsafeArgumentError);
    expect(() => valued.setElement('0x7f', '::1')).toThrow(UnsafeArgumentError);
  });

  it.each(['', '0x', '7f8b', '0x7F', '0x1;2', '0x1 2', '#0x1'])('map commands refuse %j as an element', (element) => {
    expect(() => commands.delElement(element)).toThrow(UnsafeArgumentError);
  });

  it('map commands take host names and their values for a map that is looked up by names', () => {
    const named = new MapCommands(
      { path: '/m', keys: 'names', valueFor: () => 'redirect:31536000:sub' },
      { kind: 'current' },
    );
    expect(named.add('shop.example.com')).toBe('@1 add map /m shop.example.com redirect:31536000:sub');
    expect(named.get('*.example.com')).toBe('@1 get map /m *.example.com');
    expect(named.del('xn--bcher-kva.example')).toBe('@1 del map /m xn--bcher-kva.example');
    expect(named.getSample()).toBe('@1 get map /m sample.invalid');
    for (const key of [
      '',
      'a b',
      'a;b',
      'a\nb',
      '*',
      'a.*.b',
      '10.0.0.0/8',
      '#1',
      'Shop.example.com',
      '-a',
      `a${'b'.repeat(253)}`,
    ])
      expect(() => named.del(key)).toThrow(UnsafeArgumentError);
    for (const value of ['', 'a b', 'a;b', 'redirect:', 'a:b:c:d:e', 'Redirect']) {
      const wrong = new MapCommands({ path: '/m', keys: 'names', valueFor: () => value }, { kind: 'current' });
      expect(() => wrong.add('a.example')).toThrow(UnsafeArgumentError);
    }
    expect(() => commands.get('shop.example.com')).toThrow(UnsafeArgumentError);
  });

  it('map commands accept every address as a key', () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => void expect(checkKey(ip)).toBe(ip)));
  });
});

it.each([
  ['10.0.0.0/16', '10.0.0.0/8', true],
  ['10.0.0.0', '10.0.0.0/8', true],
  ['10.0.0.0/008', '10.0.0.0/8', true],
  ['10.0.0.0/255.0.0.0', '10.0.0.0/8', true],
  ['10.0.0.0/8', '10.0.0.0/16', false],
  ['10.0.0.0/8', '10.0.0.0/8', false],
  ['10.0.0.0/8', '10.1.2.3', false],
  ['::ffff:1.2.3.4', '1.2.3.4', false],
  ['2001:db8::/48', '2001:db8::/32', true],
])('a lookup that finds %s hides %s: %s', (found, wanted, hidden) => expect(hides(found, wanted)).toBe(hidden));
