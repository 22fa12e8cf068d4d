import { createPrivateKey } from 'node:crypto';

const PART = 24;
/** Each part has one of the pieces that begin at a multiple of this: a twelfth of the searches in megabytes of text. */
const STEP = 12;

/** The parts of 24 characters of a key in PEM that a text contains: the first of each run. */
export function partsShown(pem: string, text: string): string[] {
  const base64 = pem.replace(/-----.*?-----|\n/g, '');
  const isShown = (at: number, length: number) => text.includes(base64.slice(at, at + length));
  const pieces = new Set<number>();
  for (let at = 0; at < base64.length; at += STEP) if (isShown(at, PART - STEP + 1)) pieces.add(at);
  const shown: string[] = [];
  for (let at = 0; at + PART <= base64.length; at += 1) {
    if (!pieces.has(Math.ceil(at / STEP) * STEP) || !isShown(at, PART)) continue;
    shown.push(base64.slice(at, at + PART));
    at += PART - 1;
  }
  return shown;
}

/** What a text contains of a key on P-256: parts of its PEM, or its number as bytes (in `latin1`), hex or base64. */
export function keyShown(pem: string, text: string): string[] {
  const { d = '' } = createPrivateKey(pem).export({ format: 'jwk' });
  const number = Buffer.from(d, 'base64url');
  const hex = number.toString('hex');
  // Without its last characters, which depend on what follows.
  const forms = [number.toString('latin1'), hex, hex.toUpperCase(), d, number.toString('base64').slice(0, -3)];
  return [...partsShown(pem, text), ...forms.filter((form) => text.includes(form)).map((form) => JSON.stringify(form))];
}
