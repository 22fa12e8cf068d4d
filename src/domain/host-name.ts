const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * What keeps a lower-case text from being a host name (RFC 1123: at most 253 characters, labels of 1 to 63 letters,
 * digits and inner hyphens, a last label that is not a number), or undefined when it is one.
 */
export function hostNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > 253) return 'is longer than 253 characters';
  if (/[^ -~]/.test(name)) return 'has characters that are not printable ASCII; write it in its xn-- form';
  if (name.endsWith('.')) return 'ends in a dot; leave it out';
  const labels = name.split('.');
  for (const label of labels) {
    if (label === '') return 'has an empty part between its dots';
    if (label.length > 63) return 'has a part longer than 63 characters';
    if (!LABEL.test(label)) return 'may hold only letters, digits, dots, and hyphens inside a part';
  }
  // RFC 1123 2.1: a name whose last part is a number cannot be told from an address.
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) as string)) return 'ends in a number, as only an IP address does';
  return undefined;
}

/** Lower case for A to Z alone: `toLowerCase` turns some letters of other scripts (the Kelvin sign) into ASCII. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
