import { expect, it } from 'vitest';
import { FakeAuthority, refusal, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { newKey } from './accounts.ts';
import { acmeOperations, observedClient } from './observed-client.ts';

it('reports each operation with its result, and passes answers and errors on', async () => {
  const authority = new FakeAuthority(() => new Date());
  const seen: string[] = [];
  const client = observedClient(authority.connect(authority.directory, newKey().privateKey), (operation, result) => {
    seen.push(`${operation} ${result}`);
  });
  expect((await client.directory()).renewalInfo).toBe(false);
  const errors = [unreachable(), refusal({ status: 429 }), refusal({ type: 'malformed' }), new TypeError('defect')];
  for (const error of errors) {
    authority.before = () => {
      throw error;
    };
    await expect(client.order('https://ca.example/order/1')).rejects.toBe(error);
  }
  expect(seen).toEqual(['directory done', ...['unreachable', 'limited', 'refused', 'failed'].map((r) => `order ${r}`)]);
  expect(acmeOperations.every((operation) => operation in client)).toBe(true);
});
