// The identifier of a certificate for renewal information (RFC 9773, 4.1).
import { X509Certificate } from 'node:crypto';

interface Element {
  readonly tag: number;
  readonly contents: Buffer;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OID = 0x06;
const OCTET_STRING = 0x04;
const EXTENSIONS = 0xa3;
/** [0] of AuthorityKeyIdentifier. */
const KEY_IDENTIFIER = 0x80;
/** 2.5.29.35 */
const AUTHORITY_KEY_IDENTIFIER = Buffer.from([0x55, 0x1d, 0x23]);

/**
 * The key identifier of the issuer and the serial number, each in base64url. The serial number is as encoded, with its
 * leading zero byte.
 * @param pem the first certificate counts
 * @returns null: it names no key of its issuer, or cannot be read
 */
export function ariId(pem: string): string | null {
  const [certificate] = elementsOf(new X509Certificate(pem).raw);
  const [tbs] = elementsOf(certificate?.contents ?? Buffer.alloc(0));
  const fields = elementsOf(tbs?.contents ?? Buffer.alloc(0));
  const serial = fields.find(({ tag }) => tag === INTEGER);
  const [list] = elementsOf(fields.find(({ tag }) => tag === EXTENSIONS)?.contents ?? Buffer.alloc(0));
  for (const extension of elementsOf(list?.contents ?? Buffer.alloc(0))) {
    const parts = extension.tag === SEQUENCE ? elementsOf(extension.contents) : [];
    const value = parts.find(({ tag }) => tag === OCTET_STRING);
    if (!parts.some(({ tag, contents }) => tag === OID && contents.equals(AUTHORITY_KEY_IDENTIFIER))) continue;
    const [identifier] = elementsOf(value?.contents ?? Buffer.alloc(0));
    const key = elementsOf(identifier?.contents ?? Buffer.alloc(0)).find(({ tag }) => tag === KEY_IDENTIFIER);
    if (key === undefined || serial === undefined) return null;
    return `${key.contents.toString('base64url')}.${serial.contents.toString('base64url')}`;
  }
  return null;
}

/** Of DER; what does not fit ends the list. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const tag = bytes[at]!;
    const first = bytes[at + 1]!;
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    if (sizeBytes > 4 || at + 2 + sizeBytes > bytes.length) break;
    const length = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const from = at + 2 + sizeBytes;
    if (from + length > bytes.length) break;
    elements.push({ tag, contents: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
