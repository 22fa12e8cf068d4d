// DER, as far as a certificate needs it.

const UNIVERSAL = { boolean: 0x01, integer: 0x02, bitString: 0x03, octetString: 0x04, null: 0x05, oid: 0x06 } as const;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const size = Buffer.from(bytesOf(body.length));
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, body]);
}

function bytesOf(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return bytes;
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(SEQUENCE, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(SET, ...parts);
}

/** Of big-endian bytes without a sign. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  const signed = significant[0]! >= 0x80 ? [Buffer.from([0]), significant] : [significant];
  return element(UNIVERSAL.integer, ...signed);
}

export function boolean(value: boolean): Buffer {
  return element(UNIVERSAL.boolean, Buffer.from([value ? 0xff : 0]));
}

export function nothing(): Buffer {
  return element(UNIVERSAL.null);
}

/** `unused`: bits of the last byte that do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return element(UNIVERSAL.bitString, Buffer.from([unused]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(UNIVERSAL.octetString, bytes);
}

export function utf8(text: string): Buffer {
  return element(UTF8_STRING, Buffer.from(text, 'utf8'));
}

/** `2.5.29.17` */
export function oid(dotted: string): Buffer {
  const [first, second, ...others] = dotted.split('.').map(Number);
  const arcs = [first! * 40 + second!, ...others].flatMap((arc) => {
    const bytes = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
    return bytes;
  });
  return element(UNIVERSAL.oid, Buffer.from(arcs));
}

/** In whole seconds. RFC 5280: two digits for the year up to 2049, four from 2050 on. */
export function time(at: Date): Buffer {
  const digits = `${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050
    ? element(UTC_TIME, Buffer.from(digits.slice(2)))
    : element(GENERALIZED_TIME, Buffer.from(digits));
}

/** A tag of the structure around it, around a complete element. */
export function explicit(tag: number, part: Uint8Array): Buffer {
  return element(CONTEXT | CONSTRUCTED | tag, part);
}

/** A tag of the structure around it, instead of the element's own. */
export function implicit(tag: number, bytes: Uint8Array): Buffer {
  return element(CONTEXT | tag, bytes);
}
