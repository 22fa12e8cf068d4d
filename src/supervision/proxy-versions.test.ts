import { describe, expect, it } from 'vitest';
import { ProxyVersions } from './proxy-versions.ts';

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

describe('known versions of HAProxy', () => {
  const facts = new ProxyVersions('haproxy', log as unknown as ConstructorParameters<typeof ProxyVersions>[1]);

  it('version and capabilities are those of the running proxy, which an upgrade may have changed since the start', () => {
    expect(facts.versionOf('3.0.11-1+deb13u3')).toBe('3.0.11-1+deb13u3');
    expect(facts.unsupportedBy('3.0.11-1+deb13u3')).toEqual([]);
    expect(facts.unsupportedBy('2.2.9-2+deb11u6')).toEqual([
      'versioned maps: unsupported by 2.2.9-2+deb11u6 (2.4 has them)',
    ]);
  });

  it.each([
    ['2.6.12-1+deb12u4', null],
    ['3.4.0-64a335366', null],
    ['2.8.5', 'HAProxy 2.8.5 is not a tested version; tested are 2.6, 3.0, 3.2, 3.4'],
    ['3.5-dev5', 'HAProxy 3.5-dev5 is not a tested version; tested are 2.6, 3.0, 3.2, 3.4'],
    [null, null],
  ])('says of %s whether it is a tested version', (running, sentence) => {
    expect(facts.untested(running)).toBe(sentence);
  });

  it('the version is unknown and no capability assumed before the first read', () => {
    expect(facts.versionOf(null)).toBe('unknown');
    expect(facts.unsupportedBy(null)).toHaveLength(2);
  });
});
