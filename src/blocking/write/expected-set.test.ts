import { expect, it } from 'vitest';
import { parseIp, sortKey } from '../../domain/ip.ts';
import { Fingerprint } from '../compare/fingerprint.ts';
import { ExpectedSet } from './expected-set.ts';

const of = (...texts: string[]): Fingerprint => {
  const fingerprint = new Fingerprint();
  for (const text of texts) fingerprint.add(text);
  return fingerprint;
};
const page = (...texts: string[]) => {
  const parsed = parseIp(texts.at(-1) ?? '');
  return { texts, last: parsed.ok ? sortKey(parsed.entry) : null };
};
const added = (...texts: string[]) => ({ added: texts, removed: [] });
const removed = (...texts: string[]) => ({ added: [], removed: texts });

it('matches the table whatever changes before or after the cursor while it is read', () => {
  const set = new ExpectedSet();
  set.noteCommitted(added('10.0.0.1', '10.0.0.3', '10.0.0.7', '10.0.0.9'));
  const pass = set.beginPass();
  set.noteCommitted(added('10.0.0.2'));
  pass.read(page('10.0.0.1', '10.0.0.2', '10.0.0.3'));
  set.noteCommitted(added('10.0.0.0', '10.0.0.8'));
  set.noteCommitted(removed('10.0.0.3', '10.0.0.9'));
  pass.read(page('10.0.0.7', '10.0.0.8'));
  expect(set.adopt(pass)).toBe(true);
  expect(set.fingerprint.equals(of('10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.7', '10.0.0.8'))).toBe(true);
});

it('reports a table that differs from the service’s own changes, and adopts it', () => {
  const set = new ExpectedSet();
  set.noteCommitted(added('10.0.0.1'));
  const pass = set.beginPass();
  pass.read(page('10.0.0.2'));
  expect(set.adopt(pass)).toBe(false);
  expect(set.fingerprint.equals(of('10.0.0.2'))).toBe(true);
});

it('counts a change between the last page and the end of the pass once', () => {
  const set = new ExpectedSet();
  const pass = set.beginPass();
  pass.read(page('10.0.0.5'));
  set.adopt(pass);
  set.noteCommitted(added('10.0.0.1'));
  set.endPass(pass);
  expect(set.fingerprint.equals(of('10.0.0.1', '10.0.0.5'))).toBe(true);
});
