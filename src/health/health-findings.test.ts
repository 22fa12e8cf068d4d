import { describe, expect, it } from 'vitest';
import { HealthFindings, healthParts } from './health-verdict.ts';

describe('the findings of a probe', () => {
  it('keep their order, and name the parts that they concern', () => {
    const found = new HealthFindings();
    found.add('master_socket', 'no answer');
    found.add('proxy', 'foreign listener', 'the rule is missing');
    found.add('version');
    expect(found.reasons).toEqual(['no answer', 'foreign listener', 'the rule is missing']);
    const { status, parts } = found.verdict('degraded');
    expect(status).toBe('degraded');
    expect(healthParts.filter((part) => !parts[part])).toEqual(['master_socket', 'proxy']);
  });

  it('report an unchecked part as neither ok nor wrong, unless it was wrong before', () => {
    const found = new HealthFindings();
    found.addNotChecked('map_file', 'map file', { checked: false, why: 'not checked', wasWrong: false });
    found.addNotChecked('database', 'database', { checked: false, why: 'not checked; it was full', wasWrong: true });
    found.addNotChecked('runtime_map', 'running map', { checked: false, why: 'not checked', wasWrong: false });
    found.add('runtime_map', 'a worker is out of sync');
    found.take('proxy', 'proxy', { checked: true, value: null }, (problem) => problem);
    expect(found.reasons).toContain('map file: not checked');
    const { parts } = found.verdict('degraded');
    expect(parts).toMatchObject({ map_file: null, database: false, runtime_map: false, proxy: true });
  });

  it('report every part as ok without findings', () => {
    const { parts } = new HealthFindings().verdict('ok');
    expect(healthParts.every((part) => parts[part])).toBe(true);
  });
});
