/** Whether the client asked for text by name, and not for JSON as much or more. Wildcards ask for nothing by name. */
export function prefersText(accept: string | undefined): boolean {
  return prefers(accept, 'text/plain', 'application/json');
}

/** Whether `type` was asked for by name, and `other` not as much or more. */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  return quality(accept, type) > quality(accept, other);
}

function quality(accept: string | undefined, type: string): number {
  let best = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    best = Math.max(best, q === undefined ? 1 : Number(q) || 0);
  }
  return best;
}
