import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { frontEndsOf } from '../configuration/rules/front-ends.ts';
import { ownCountingLines } from '../configuration/template/counting-rules.ts';
import { countingLines } from './report.ts';

const maps = { blockedMap: '/b.map', trustedMap: '/t.map', upstreamsMap: '/u.map', proxyProtocolMap: '/p.map' };
const printed = (insight: 'on' | 'denied' | 'off', ...lines: readonly string[]): string => {
  const texts = [{ path: 'own.cfg', text: lines.join('\n') }];
  return countingLines({ texts, frontEnds: frontEndsOf(texts, maps) }, insight).join('\n');
};
const frontEnd = ['frontend own', '    mode http', '    bind :80'];

it('the lines for counting are printed until the configuration has them', () => {
  const lines = printed('on', ...frontEnd);
  expect(lines).toContain('each front end (here own) needs');
  expect(lines).toContain('track-sc1 src table pm_clients');
  expect(printed('on', ...frontEnd, lines)).toBe('');
  expect(printed('off', ...frontEnd)).toBe('');
  expect(printed('on', 'frontend own', '    mode tcp', '    bind :80')).toBe('');
  expect(printed('denied', ...frontEnd)).not.toContain('pm_clients');
});

it('the lines for counting use a stick counter that is free', () => {
  const track = (counter: number) => `    http-request track-sc${counter} src table mine`;
  expect(printed('on', ...frontEnd, track(1))).toContain('No other rule may use the stick counter sc2.');
});

it('the lines for counting are printed without those of other clients if no stick counter is free', () => {
  const track = [0, 1, 2].map((counter) => `    http-request track-sc${counter} src table mine`);
  const lines = printed('on', ...frontEnd, ...track);
  expect(lines).toContain('each front end (here own) needs this line');
  expect(lines).toContain(`    ${ownCountingLines(null).frontEnd.join('\n')}\n\nbackend pm_denied\n`);
  expect(lines).toContain('there are no candidates: your rules use the stick counters sc0, sc1 and sc2.');
  expect(lines).not.toContain('pm_clients');
  expect(printed('denied', ...frontEnd, ...track)).not.toContain('candidates');
});

it('the lines for counting are those of the documentation', async () => {
  const { frontEnd: rules, sections } = ownCountingLines(1);
  const page = await readFile(new URL('../../docs/insight.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`\n${rules.join('\n')}\n\`\`\``);
  expect(page).toContain(`\`\`\`${sections.join('\n')}\n\`\`\``);
});
