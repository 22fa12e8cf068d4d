import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, codes, lookUpCode } from './catalogue.ts';

describe('the catalogue', () => {
  it.each([
    [100, 'Parameter', 400],
    [101, 'Parameter', 400],
    [401, 'Authentication', 401],
    [403, 'Authorization', 403],
    [404, 'Search', 404],
    [409, 'State', 409],
    [500, 'Internal', 500],
    [1002, 'Integrity', 409],
    [1100, 'Search', 404],
    [3000, 'External', 503],
    [5000, 'Configuration', 422],
    [5001, 'Configuration', 422],
    [5002, 'Configuration', 422],
    [5003, 'Configuration', 422],
    [6000, 'Limit', 413],
    [6001, 'Limit', 429],
  ])('has %i as %s, answered with %i', (code, kind, status) => {
    expect(lookUpCode(code)).toMatchObject({ kind, status });
  });

  it('reads an unknown code as kind "Other", message "unknown"', () => {
    expect(lookUpCode(4_294_967_295)).toMatchObject({ kind: 'Other', message: 'unknown' });
    expect(lookUpCode(0)).toMatchObject({ kind: 'Other', message: 'unknown' });
  });

  it('gives every number one name and one message of its own', () => {
    const entries = [...catalogue.values()];
    // A duplicate number would be lost in the map.
    const written = readFileSync(new URL('catalogue.ts', import.meta.url), 'utf8').match(/^ {2}\[\d+,/gm);
    expect(entries).toHaveLength(written?.length ?? 0);
    expect(new Set(entries.map((entry) => entry.name)).size).toBe(entries.length);
    expect(new Set(entries.map((entry) => entry.message)).size).toBe(entries.length);
    expect(Object.keys(codes)).toHaveLength(entries.length);
    expect(codes.ShrinkRefused).toBe(6006);
  });

  it('keeps to its groups and to statuses of errors', () => {
    const kinds: [number, number, string][] = [
      [100, 199, 'Parameter'],
      [1000, 1099, 'Integrity'],
      [1100, 1199, 'Search'],
      [3000, 3999, 'External'],
      [5000, 5999, 'Configuration'],
    ];
    for (const [code, { kind, status }] of catalogue) {
      const group = kinds.find(([first, last]) => first <= code && code <= last);
      if (group !== undefined) expect(kind, String(code)).toBe(group[2]);
      else expect(code >= 6000 || code === status, String(code)).toBe(true);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(codes)).toBe(true);
    expect([...catalogue.values()].every((entry) => Object.isFrozen(entry))).toBe(true);
  });
});
