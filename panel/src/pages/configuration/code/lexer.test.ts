import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sectionOf, type TokenKind, tokenize } from './lexer.ts';

const kinds = (line: string): [TokenKind, string][] =>
  tokenize(line)
    .filter(({ kind }) => kind !== 'blank')
    .map(({ kind, text }) => [kind, text]);

describe('the tokens of a configuration line', () => {
  it.each<[string, [TokenKind, string][]]>([
    ['', []],
    ['   ', []],
    [
      'frontend http # the one',
      [
        ['section', 'frontend'],
        ['name', 'http'],
        ['comment', '# the one'],
      ],
    ],
    ['  # all of it', [['comment', '# all of it']]],
    [
      '    bind [::]:80',
      [
        ['keyword', 'bind'],
        ['address', '[::]:80'],
      ],
    ],
    [
      '    timeout connect 5s',
      [
        ['keyword', 'timeout'],
        ['word', 'connect'],
        ['number', '5s'],
      ],
    ],
    [
      "    log-format 'it''s # no comment'#but this is",
      [
        ['keyword', 'log-format'],
        ['string', "'it''s # no comment'"],
        ['comment', '#but this is'],
      ],
    ],
    [
      '    acl a path "a \\" # b" c\\ d\\#e',
      [
        ['keyword', 'acl'],
        ['word', 'a'],
        ['word', 'path'],
        ['string', '"a \\" # b"'],
        ['word', 'c\\ d\\#e'],
      ],
    ],
    // In single quotes a backslash is a plain character.
    [
      "    set 'a\\' b",
      [
        ['keyword', 'set'],
        ['string', "'a\\'"],
        ['word', 'b'],
      ],
    ],
    [
      '    http-request deny deny_status 403 if { src,map_ip(/etc/b.map,0) -m int gt 0 } !{ ssl_fc } || x',
      [
        ['keyword', 'http-request'],
        ['word', 'deny'],
        ['word', 'deny_status'],
        ['number', '403'],
        ['condition', 'if'],
        ['condition', '{'],
        ['word', 'src,map_ip(/etc/b.map,0)'],
        ['word', '-m'],
        ['word', 'int'],
        ['word', 'gt'],
        ['number', '0'],
        ['condition', '}'],
        ['condition', '!{'],
        ['word', 'ssl_fc'],
        ['condition', '}'],
        ['condition', '||'],
        ['word', 'x'],
      ],
    ],
    [
      '    server s1 10.0.0.1:80 check sni %[var(x)]',
      [
        ['keyword', 'server'],
        ['word', 's1'],
        ['address', '10.0.0.1:80'],
        ['word', 'check'],
        ['word', 'sni'],
        ['expression', '%[var(x)]'],
      ],
    ],
    [
      '.if defined(X)',
      [
        ['directive', '.if'],
        ['word', 'defined(X)'],
      ],
    ],
    [
      '    stats socket /var/run/proxy.sock',
      [
        ['keyword', 'stats'],
        ['word', 'socket'],
        ['path', '/var/run/proxy.sock'],
      ],
    ],
  ])('%j', (line, expected) => {
    expect(kinds(line)).toEqual(expected);
  });

  it('join to the line for any text', () => {
    const character = fc.constantFrom(...`aZ09 \t#"'\\{}!|%[]$./:-_é`);
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 40 }), (line) => {
        const tokens = tokenize(line);
        expect(tokens.map(({ text }) => text).join('')).toBe(line);
        expect(tokens.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('take linear time: quadratic time would not end within the test', () => {
    // Fewer units of one token each: they are slower.
    for (const [unit, count] of [
      ['a', 3_000_000],
      [' ', 3_000_000],
      ['"', 3_000_000],
      ['\\', 3_000_000],
      ['{ ', 300_000],
    ] as const) {
      const line = `acl ${unit.repeat(count)}`;
      expect(tokenize(line).reduce((length, { text }) => length + text.length, 0)).toBe(line.length);
    }
  });
});

describe('the section that a line starts', () => {
  it.each([
    ['backend shop', { type: 'backend', name: 'shop' }],
    ['  defaults', { type: 'defaults', name: '' }],
    ['listen a#b', { type: 'listen', name: 'a' }],
  ])('%j', (line, section) => {
    expect(sectionOf(line)).toEqual(section);
  });

  it.each(['', '# backend x', '    server backend 1.2.3.4:80', 'backends x'])('is null for %j', (line) => {
    expect(sectionOf(line)).toBeNull();
  });
});
