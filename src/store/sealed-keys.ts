import type { Database } from './open-database.ts';

/** Private keys in the database, sealed with the secret: of certificates, accounts and open orders. */
export async function countSealedKeys({ read }: Database): Promise<number> {
  const counts = [
    read.selectFrom('certificate_versions').select((eb) => eb.fn.countAll<number>().as('total')),
    read.selectFrom('acme_accounts').select((eb) => eb.fn.countAll<number>().as('total')),
    read
      .selectFrom('acme_orders')
      .where('key_sealed', 'is not', null)
      .select((eb) => eb.fn.countAll<number>().as('total')),
  ];
  let total = 0;
  for (const count of counts) total += (await count.executeTakeFirstOrThrow()).total;
  return total;
}
