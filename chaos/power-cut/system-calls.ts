// Reads the output of `strace -f -y -xx`, one finished call a line:
//   1234  pwrite64(17<\x2f\x61>, "\x31\x2e", 2, 4096) = 2
//   1234  fsync(17<\x2f\x61> <unfinished ...>
//   1234  <... fsync resumed>) = 0

export interface SystemCall {
  readonly thread: number;
  readonly name: string;
  /** With strings in hexadecimal. */
  readonly text: string;
  /** Never negative: failed calls are left out. */
  readonly result: number;
  /** Line numbers of begin and end: calls overlap where these do. */
  readonly began: number;
  readonly ended: number;
}

const whole = /^(\d+) +(\w+)\((.*)\) += (\d+|0x[0-9a-f]+)(?:<.*>)?$/;
const begun = /^(\d+) +(\w+)\((.*?) ?<unfinished \.\.\.>$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (\d+|0x[0-9a-f]+)(?:<.*>)?$/;

export function* systemCalls(lines: Iterable<string>): Iterable<SystemCall> {
  const waiting = new Map<string, { readonly text: string; readonly began: number }>();
  let number = 0;
  for (const line of lines) {
    number += 1;
    const start = begun.exec(line);
    if (start !== null) {
      waiting.set(`${start[1]} ${start[2]}`, { text: start[3] ?? '', began: number });
      continue;
    }
    const end = resumed.exec(line);
    const match = end ?? whole.exec(line);
    if (match === null) continue;
    const [, thread = '', name = '', text = '', result = ''] = match;
    const first = end === null ? undefined : waiting.get(`${thread} ${name}`);
    if (end !== null) waiting.delete(`${thread} ${name}`);
    yield {
      thread: Number(thread),
      name,
      text: (first?.text ?? '') + text,
      result: Number(result),
      began: first?.began ?? number,
      ended: number,
    };
  }
}

/** Names and written data, in order. */
export function stringsOf(text: string): Buffer[] {
  return [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, hex = '', cut]) => {
    if (cut !== undefined) throw new Error('strace cut a string short: it needs a larger -s');
    return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
  });
}

/** A descriptor (`17<…>`), a length, an offset. */
export function numberAt(text: string, index: number): number {
  const plain = text.replaceAll(/"[^"]*"(\.\.\.)?|<[^<>]*>|\{[^{}]*\}/g, '');
  return Number.parseInt(plain.split(',')[index]?.trim() ?? '', 10);
}
