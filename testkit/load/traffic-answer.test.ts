import { describe, expect, it } from 'vitest';
import { AnswerReader, GarbledAnswer } from './traffic-answer.ts';

const cases: [string, string, { status: number; closes: boolean }][] = [
  ['kept', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', { status: 200, closes: false }],
  ['closed', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok', { status: 200, closes: true }],
  ['of 1.0', 'HTTP/1.0 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', { status: 503, closes: true }],
  [
    'without a reason',
    'HTTP/1.1 403\r\nContent-Length: 1\r\nX: connection: close\r\n\r\n-',
    { status: 403, closes: false },
  ],
];

describe.each(cases)('an answer %s', (_, text, expected) => {
  it('is complete at its last byte, not before', () => {
    const whole = new AnswerReader();
    expect(whole.push(Buffer.from(text))).toBe(true);
    expect(whole).toMatchObject(expected);

    const reader = new AnswerReader();
    const seen = [...text].map((byte) => reader.push(Buffer.from(byte)));
    expect(seen.indexOf(true)).toBe(text.length - 1);
    expect(reader).toMatchObject(expected);
  });
});

it.each([
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['no length', 'HTTP/1.1 200 OK\r\nX: 1\r\n\r\n'],
  ['more than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
])('%s is garbled', (_, text) => {
  expect(() => new AnswerReader().push(Buffer.from(text))).toThrow(GarbledAnswer);
});
