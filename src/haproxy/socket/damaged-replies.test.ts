// HAProxy's answers, as each version gave them, split and damaged. A parser may refuse a text; it must never accept a
// damaged one, unless that is a complete text of its own. So each has a writer here, and whatever is read must equal
// what would have been written.

import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damaged, pieces, transcripts } from '../../../testkit/damage.ts';
import { parseProxyVersion } from '../process/proxy-version.ts';
import { Conversation } from './conversation.ts';
import { MasterSocketError } from './master-socket-error.ts';
import {
  isGoodAdd,
  isGoodDelete,
  parseGetMap,
  parsePrepare,
  parseReload,
  parseShowMapLine,
  parseShowMapListing,
  parseUses,
} from './replies.ts';
import { EndlessLineError, MAX_LINE_BYTES, ReplyParser } from './reply-parser.ts';
import { parseShowProc } from './show-proc.ts';
import { parseShowStat } from './show-stat.ts';

const RUNS = { numRuns: 100 };

/** Body by command, without the closing empty line. */
function bodies(command: string | RegExp): readonly (readonly [string, string])[] {
  return transcripts.flatMap(([version, { exchanges }]) =>
    exchanges
      .filter((exchange) =>
        typeof command === 'string' ? exchange.command === command : command.test(exchange.command),
      )
      .map(({ reply }) => [version, reply.replace(/\n\n$/, '').replace(/^\n$/, '')] as const),
  );
}

/** Whatever is read of a damaged text was written there, word for word. */
function holdsUnderDamage(text: string, check: (text: string) => void): void {
  check(text);
  fc.assert(
    fc.property(damaged(Buffer.from(text, 'latin1')), (bytes) => check(bytes.toString('latin1'))),
    RUNS,
  );
}

test('every tested version has transcripts of every command whose reply is parsed', () => {
  expect(transcripts.map(([version]) => version)).toEqual(['2.6', '3.0', '3.2', '3.4']);
  for (const [, { exchanges }] of transcripts) expect(exchanges.length).toBeGreaterThan(25);
});

describe.each(bodies('show proc'))('show proc of %s', (_version, body) => {
  test('show proc of a real master is read', () => {
    const rows = parseShowProc(body);
    expect(rows?.master.pid).toBeGreaterThan(0);
    expect([...(rows?.workers ?? []), ...(rows?.oldWorkers ?? [])].length).toBeGreaterThan(0);
  });

  test('a damaged show proc is never read wrong', () => {
    holdsUnderDamage(body, (text) => {
      const rows = parseShowProc(text);
      if (rows === null) return;
      const listed = [rows.master, ...rows.workers, ...rows.oldWorkers];
      for (const { pid, reloads, version } of listed) {
        const lines = text
          .split('\n')
          .filter((line) => line.trim().startsWith(`${pid} `) || line.trim().startsWith(`${pid}\t`));
        expect(lines).toHaveLength(1);
        expect(lines[0]?.split(/\s+/)).toEqual(expect.arrayContaining([String(pid), version]));
        expect(lines[0]).toMatch(new RegExp(`\\s0*${reloads}\\s`));
        expect(Number.isSafeInteger(pid)).toBe(true);
      }
      const rowsOfText = text
        .split('\n# programs')[0]
        ?.split('\n')
        .filter((line) => !line.startsWith('#'));
      expect(listed.length).toBeGreaterThanOrEqual(rowsOfText?.length ?? 0);
    });
  });
});

describe.each(bodies(/ get map /))('get map of %s: %s', (_version, body) => {
  test('a damaged get map is never read wrong', () => {
    expect(parseGetMap(body).found).not.toBe('unknown');
    holdsUnderDamage(body, (text) => {
      const reply = parseGetMap(text);
      const lines = text.split('\n');
      if (reply.found === 'unknown') expect(reply.unknown).toBe(text);
      else if (!reply.found) expect(new Set(lines)).toEqual(new Set(['type=ip, case=sensitive, found=no']));
      else {
        const begin = `type=ip, case=sensitive, found=yes, idx=tree, key="${reply.key}", value="${reply.value}", type="`;
        for (const line of lines) expect(line.startsWith(begin) && line.endsWith('"')).toBe(true);
      }
      const uses = parseUses(text);
      if (uses !== null) expect(uses).toBe(lines.length);
    });
  });
});

test('of all recorded replies only the empty ones accept an addition, and one more a removal', () => {
  for (const [, { exchanges }] of transcripts) {
    for (const { reply } of exchanges) {
      holdsUnderDamage(reply, (text) => {
        if (isGoodAdd(text)) expect(text).toBe('');
        if (isGoodDelete(text)) expect(['', 'Key not found.']).toContain(text);
        const version = parsePrepare(text);
        if (version !== null) expect(text).toBe(`New version created: ${version}`);
        const reload = parseReload(text);
        if (reload.kind === 'success') expect(text).toMatch(/^Success=1\n/);
        if (reload.kind === 'silent') expect(text).toBe('');
      });
    }
  }
});

describe.each(bodies(/^@1 show map \/run\/pm\/blocked_ips.map$/))('show map P of %s', (_version, body) => {
  test('a damaged line of show map is never read wrong', () => {
    for (const line of body.split('\n').filter((one) => one !== '')) {
      expect(parseShowMapLine(line)).not.toBeNull();
      holdsUnderDamage(line, (text) => {
        const entry = parseShowMapLine(text);
        if (entry === null) return;
        expect(text).toMatch(/^0x[0-9a-f]+ [^ ]/);
        expect(text).toBe(`${text.slice(0, text.indexOf(' '))} ${entry.key} ${entry.value}`);
      });
    }
  });
});

describe.each(bodies('@1 show map'))('show map of %s', (_version, body) => {
  test('a damaged show map is never read wrong', () => {
    expect(parseShowMapListing(body)).toHaveLength(1);
    holdsUnderDamage(body, (text) => {
      const listings = parseShowMapListing(text);
      if (listings === null) return;
      const lines = text.split('\n').slice(1);
      for (const { id, file, entryCount, currentVersion, nextVersion } of listings) {
        // Damage may have duplicated a line: each is reported in order.
        const begin = `${id} (${file}) pattern loaded from `;
        const at = lines.findIndex((one) => one.replace(/^0+(?=\d)/, '').startsWith(begin));
        const line = lines.splice(0, at + 1).at(-1);
        expect(line).toBeDefined();
        if (entryCount !== null) {
          const numbers = /curr_ver=0*(\d+) next_ver=0*(\d+) entry_cnt=0*(\d+)$/
            .exec(line ?? '')
            ?.slice(1)
            .map(Number);
          expect(numbers).toEqual([currentVersion, nextVersion, entryCount]);
        } else expect(line).not.toMatch(/entry_cnt|curr_ver|next_ver/);
      }
    });
  });
});

describe.each(bodies('@1 show stat site_a 4 -1'))('show stat of %s', (_version, body) => {
  test('show stat is read although an upstream answered with commas and quotes', () => {
    const servers = parseShowStat(body);
    expect(servers?.map(({ name }) => name)).toEqual(['s1_up', 's2_dead', 's3_unchecked', 's4_off']);
    expect(servers?.map(({ status }) => status)).toEqual(['DOWN', 'DOWN', 'no check', 'MAINT']);
    for (const { address } of servers ?? []) expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(body).toContain('""now""');
  });

  test('a damaged show stat is never read wrong', () => {
    const fields = (line: string) => line.split(',').length;
    holdsUnderDamage(body, (text) => {
      const servers = parseShowStat(text);
      if (servers === null) return;
      const lines = text.split('\n').filter((line) => line !== '');
      expect(servers).toHaveLength(lines.length - 1);
      for (const [index, { name, status }] of servers.entries()) {
        const line = lines[index + 1] as string;
        expect(fields(line)).toBeGreaterThanOrEqual(fields(lines[0] as string));
        expect(line.replaceAll('"', '')).toContain(`,${name.replaceAll('"', '')},`);
        expect(status).not.toBe('');
      }
    });
  });
});

describe.each(transcripts)('-v of %s', (version, { version: output }) => {
  test('a damaged version is never read wrong', () => {
    expect(parseProxyVersion(output)?.text.startsWith(version)).toBe(true);
    holdsUnderDamage(output, (text) => {
      const read = parseProxyVersion(text);
      if (read === null) return;
      expect(text).toMatch(
        new RegExp(`Proxy version ${read.text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')} \\d{4}/\\d\\d/\\d\\d`),
      );
      expect(Number.isSafeInteger(read.major) && Number.isSafeInteger(read.minor)).toBe(true);
      expect(read.text).toMatch(new RegExp(`^0*${read.major}\\.0*${read.minor}(?!\\d)`));
    });
  });
});

/** All framed replies of a version on one connection, as pipelined commands would bring them. */
function wireOf(exchanges: readonly { command: string; reply: string }[]): { wire: Buffer; count: number } {
  const framed = exchanges.filter(
    ({ command, reply }) => command !== 'reload' && /(^|\n)\n$/.test(reply) && !/\n\n./.test(reply),
  );
  return { wire: Buffer.from(framed.map(({ reply }) => reply).join(''), 'latin1'), count: framed.length };
}

describe.each(transcripts)('the framing of %s', (_version, { exchanges }) => {
  const { wire, count } = wireOf(exchanges);

  const framed = (parts: readonly Buffer[]): string => {
    let seen = '';
    const parser = new ReplyParser({
      lines: (lines) => {
        seen += lines.map((line) => `${line}|`).join('');
      },
      end: () => {
        seen += '$';
      },
    });
    for (const part of parts) parser.push(part);
    return `${seen}${parser.remainder}`;
  };

  test('frames replies, damaged or not, the same at once, byte by byte and in any pieces', () => {
    expect(framed([wire]).match(/\$/g)).toHaveLength(count);
    const parts = fc
      .oneof(fc.constant(wire), damaged(wire))
      .chain((bytes) => pieces(bytes).map((cut) => [bytes, cut] as const));
    fc.assert(
      fc.property(parts, ([bytes, cut]) => void expect(framed(cut)).toBe(framed([bytes]))),
      { numRuns: 100 },
    );
  });

  test('buffers at most one line of a reply', () => {
    const parser = new ReplyParser({ lines: () => undefined, end: () => undefined });
    const more = Buffer.alloc(65_536, 'x');
    expect(() => {
      for (let sent = 0; sent <= MAX_LINE_BYTES; sent += more.length) parser.push(more);
    }).toThrow(EndlessLineError);
  });

  const converse = async (parts: readonly Buffer[]): Promise<string> => {
    const [ours, theirs] = duplexPair();
    const conversation = new Conversation({
      socket: ours as unknown as Socket,
      path: '/run/pm/m.sock',
      deadline: performance.now() + 60_000,
      onEnd: () => undefined,
    });
    theirs.on('error', () => undefined);
    theirs.resume();
    const commands = Array.from({ length: count }, () => '@1 show map');
    const outcome = conversation.finish(commands).then(
      (said) => JSON.stringify(said),
      (error: unknown) => {
        expect(error).toBeInstanceOf(MasterSocketError);
        expect((error as MasterSocketError).reason).not.toBe('deadline');
        return `failed after ${(error as MasterSocketError).responses.length}`;
      },
    );
    for (const part of parts) theirs.write(part);
    theirs.end();
    return await outcome;
  };

  test('a conversation returns all replies or an error at once, in whatever pieces they come', async () => {
    const whole = await converse([wire]);
    expect(JSON.parse(whole)).toHaveLength(count);
    await fc.assert(
      fc.asyncProperty(pieces(wire), async (parts) => void expect(await converse(parts)).toBe(whole)),
      { numRuns: 30 },
    );
  });

  test('a conversation returns one reply per command or an error, from damaged bytes too', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(wire), async (bytes) => {
        const outcome = await converse([bytes]);
        if (outcome.startsWith('[')) expect(JSON.parse(outcome)).toHaveLength(count);
      }),
      { numRuns: 100 },
    );
  });
});
