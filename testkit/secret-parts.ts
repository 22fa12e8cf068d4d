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
