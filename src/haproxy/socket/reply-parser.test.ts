import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import { EndlessLineError, MAX_LINE_BYTES, ReplyParser } from './reply-parser.ts';

function replies(pieces: readonly Uint8Array[]): { bodies: string[]; rest: string } {
  const bodies: string[] = [];
  let lines: string[] = [];
  const parser = new ReplyParser({
    lines: (more) => {
      expect(more).not.toHaveLength(0);
      lines.push(...more);
    },
    end: () => {
      bodies.push(lines.join('\n'));
      lines = [];
    },
  });
  for (const piece of pieces) parser.push(piece);
  return { bodies, rest: [...lines, parser.remainder].join('\n') };
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
}

const showProc =
  '#<PID>          <type>          <reloads>       <uptime>        <version>      \n5685            master          0 [failed: 0]   0d00h00m00s     2.6.12-1+deb12u4\n# workers\n5687            worker          0               0d00h00m00s     2.6.12-1+deb12u4\n# programs\n';
const found = 'type=ip, case=sensitive, found=yes, idx=tree, key="10.0.0.0/8", value="1", type="str"\n';

// Wire text of 2.6.12 and 3.0.11.
const transcripts: { name: string; wire: string; bodies: string[]; rest?: string }[] = [
  { name: 'an empty reply', wire: '\n', bodies: [''] },
  { name: 'add, get, show proc', wire: `\n${found}\n${showProc}\n`, bodies: ['', found.trimEnd(), showProc.trimEnd()] },
  {
    name: 'a dump of two entries, then an empty one',
    wire: '0x7f8b9d9fa300 2001:db8::/032 1\n0x7f8b9d9fa380 10.0.0.0/8 1\n\n\n',
    bodies: ['0x7f8b9d9fa300 2001:db8::/032 1\n0x7f8b9d9fa380 10.0.0.0/8 1', ''],
  },
  { name: 'Key not found.', wire: 'Key not found.\n\n\n', bodies: ['Key not found.', ''] },
  {
    name: 'a dead target, which ends in no empty line',
    wire: "\nCan't find the target PID matching the prefix '@!99999'\n",
    bodies: [''],
    rest: "Can't find the target PID matching the prefix '@!99999'\n",
  },
  { name: 'a reply cut off in a line', wire: '\n0x7f8b9d9fa300 10.0.0.', bodies: [''], rest: '0x7f8b9d9fa300 10.0.0.' },
  {
    name: 'a path that is not ASCII',
    wire: '0 (/etc/pröxy/€.map) pattern\n\n',
    bodies: ['0 (/etc/pröxy/€.map) pattern'],
  },
  { name: 'nothing', wire: '', bodies: [], rest: '' },
];

describe('the reply parser', () => {
  it.each(transcripts)('parses $name at once, byte by byte and split at random', ({ wire, bodies, rest = '' }) => {
    const bytes = Buffer.from(wire);
    const expected = { bodies, rest };
    expect(replies([bytes])).toEqual(expected);
    expect(replies(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    const property = fc.property(fc.array(fc.nat()), (cuts) => {
      expect(replies(cutAt(bytes, cuts))).toEqual(expected);
    });
    fc.assert(property);
  });

  it('returns any list of bodies, in whatever pieces the bytes come', () => {
    const line = fc.string({ unit: anyCharacter, minLength: 1 }).filter((text) => !text.includes('\n'));
    const body = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
    const property = fc.property(fc.array(body), fc.array(fc.nat()), (bodies, cuts) => {
      const wire = bodies.map((text) => (text === '' ? '\n' : `${text}\n\n`)).join('');
      const clean = bodies.map((text) => Buffer.from(text).toString('utf8'));
      expect(replies(cutAt(Buffer.from(wire), cuts))).toEqual({ bodies: clean, rest: '' });
    });
    fc.assert(property);
  });

  it('does not keep the buffer in which its remainder came', () => {
    const parser = new ReplyParser({ lines: () => undefined, end: () => undefined });
    const bytes = Buffer.from('half a line');
    parser.push(bytes);
    bytes.fill(0);
    expect(parser.remainder).toBe('half a line');
  });

  it('refuses an endless line', () => {
    const parser = new ReplyParser({ lines: () => undefined, end: () => undefined });
    const piece = Buffer.alloc(64 * 1024, 'x');
    expect(() => {
      for (let sent = 0; sent <= MAX_LINE_BYTES; sent += piece.length) parser.push(piece);
    }).toThrow(EndlessLineError);
  });
});
