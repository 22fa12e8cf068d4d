// Which problem of a certificate counts: why its last order failed, or what its open order waits for.
import { type RawBuilder, sql } from 'kysely';

/**
 * Of a row of `acme_certificates`, JSON or null: what an operator has to correct; otherwise what the open order waits for,
 * which is over with that wait; otherwise why the last order failed.
 */
export const shownProblem = sql<string | null>`case
  when json_extract(acme_certificates.problem_json, '$.class') = 'needs attention' then acme_certificates.problem_json
  else coalesce(
    (select acme_orders.problem_json from acme_orders
      where acme_orders.certificate = acme_certificates.id and acme_orders.closed_at is null),
    acme_certificates.problem_json) end`;

/** `json` for `acme_certificates.problem_json`: a limit, which ends by itself, replaces nothing that needs attention. */
export function unlessAttention(json: string | null): RawBuilder<string> {
  return sql`case when json_extract(problem_json, '$.class') = 'needs attention' then problem_json else ${json} end`;
}
