/** A reply with entries, without their denied requests: they may be counted, at any time, between two replies. */
export function withoutHits(reply: string): unknown {
  return JSON.parse(reply, (key, value: unknown) => (key === 'hits' ? undefined : value));
}
