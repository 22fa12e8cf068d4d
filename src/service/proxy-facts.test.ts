import { describe, expect, it } from 'vitest';
import { ProxyFacts } from './proxy-facts.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('what is known of the proxy', () => {
  const facts = new ProxyFacts('haproxy', log as unknown as ConstructorParameters<typeof ProxyFacts>[1]);

  it('is of the one that runs: a reload after an upgrade runs another than the start found', () => {
    expect(facts.versionOf('3.0.11-1+deb13u3')).toBe('3.0.11-1+deb13u3');
    expect(facts.unsupportedBy('3.0.11-1+deb13u3')).toEqual([]);
    expect(facts.unsupportedBy('2.2.9-2+deb11u6')).toEqual([
      'versioned maps: unsupported by 2.2.9-2+deb11u6 (2.4 has them)',
    ]);
  });

  it('is unknown, and nothing is promised, before anything was read', () => {
    expect(facts.versionOf(null)).toBe('unknown');
    expect(facts.unsupportedBy(null)).toHaveLength(2);
  });
});
