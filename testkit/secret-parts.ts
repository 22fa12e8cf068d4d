import { createPrivateKey } from 'node:crypto';

const PART = 24;

/** The parts of 24 characters of a key in PEM that a text contains: the first of each run. */
export function partsShown(pem: string, text: string): string[] {
  const base64 = pem.replace(/-----.*?-----|\n/g, '');
  const shown: string[] = [];
  for (let at = 0; at + PART <= base64.length; at += 1) {
    const part = base64.slice(at, at + PART);
    if (!text.includes(part)) continue;
    shown.push(part);
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
