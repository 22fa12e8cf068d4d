import { describe, expect, it } from 'vitest';
import { HealthFindings, healthParts } from './health-verdict.ts';

describe('what a probe found', () => {
  it('is told in the order in which it was found, and says which parts it concerns', () => {
    const found = new HealthFindings();
    found.add('master_socket', 'nobody answers');
    found.add('proxy', 'a stranger listens', 'the rule is missing');
    found.add('version');
    expect(found.reasons).toEqual(['nobody answers', 'a stranger listens', 'the rule is missing']);
    const { status, parts } = found.verdict('degraded');
    expect(status).toBe('degraded');
    expect(healthParts.filter((part) => !parts[part])).toEqual(['master_socket', 'proxy']);
  });

  it('is neither well nor wrong where it was not looked at, but for what was wrong before', () => {
    const found = new HealthFindings();
    found.miss('map_file', 'map file', { seen: false, why: 'not looked at', wasWrong: false });
    found.miss('database', 'database', { seen: false, why: 'not looked at; it was full', wasWrong: true });
    found.miss('runtime_map', 'running map', { seen: false, why: 'not looked at', wasWrong: false });
    found.add('runtime_map', 'a worker lacks something');
    found.take('proxy', 'proxy', { seen: true, value: null }, (problem) => problem);
    expect(found.reasons).toContain('map file: not looked at');
    const { parts } = found.verdict('degraded');
    expect(parts).toMatchObject({ map_file: null, database: false, runtime_map: false, proxy: true });
  });

  it('is nothing where all is well', () => {
    const { parts } = new HealthFindings().verdict('ok');
    expect(healthParts.every((part) => parts[part])).toBe(true);
  });
});
