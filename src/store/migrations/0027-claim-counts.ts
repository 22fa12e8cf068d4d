import { type Kysely, sql } from 'kysely';

/**
 * Each source knows how many claims it has (ADR 0114). Triggers count what is changed or deleted, also by another program.
 * The service itself counts what it inserts: a trigger for each line of a long list would cost a third of its insert.
 */
export async function claimCounts(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sources add column claims integer not null default 0`.execute(db);
  await sql`alter table sources add column alone integer not null default 0`.execute(db);
  await sql`alter table sources add column last_claimed_at text`.execute(db);
  await sql`
    with counted as (
      select source, count(*) as claims, sum(others = 0) as alone, max(coalesce(claimed_at, blocked_at)) as last
      from blocked_ips where sort_key is not null group by source
      union all select source, count(*), 0, max(claimed_at) from claims group by source
    )
    update sources set claims = total.claims, alone = total.alone, last_claimed_at = total.last
    from (select source, sum(claims) as claims, sum(alone) as alone, max(last) as last from counted group by source)
      as total where total.source = sources.id`.execute(db);
  await sql`
    create trigger blocked_ips_uncounted after delete on blocked_ips when old.sort_key is not null
    begin ${carriedLess}; end`.execute(db);
  await sql`
    create trigger blocked_ips_recounted after update of sort_key, source, claimed_at, blocked_at on blocked_ips
    when ${isOtherClaim}
    begin ${carriedLess}; ${carriedMore}; end`.execute(db);
  // Of most addresses that a further source claims this is all that changes.
  await sql`
    create trigger blocked_ips_shared after update of others on blocked_ips
    when (new.others = 0) <> (old.others = 0) and new.sort_key is not null and not (${isOtherClaim})
    begin
      update sources set alone = alone + (new.others = 0) - (old.others = 0) where id = new.source;
    end`.execute(db);
  await sql`create trigger claims_uncounted after delete on claims begin ${furtherLess}; end`.execute(db);
  await sql`
    create trigger claims_recounted after update of source, claimed_at on claims
    begin ${furtherLess}; ${furtherMore}; end`.execute(db);
}

const isOtherClaim = sql`new.sort_key is not old.sort_key or new.source <> old.source
  or coalesce(new.claimed_at, new.blocked_at) <> coalesce(old.claimed_at, old.blocked_at)`;
const carriedMore = sql`update sources set claims = claims + 1, alone = alone + (new.others = 0),
    last_claimed_at = max(coalesce(last_claimed_at, ''), coalesce(new.claimed_at, new.blocked_at))
  where id = new.source and new.sort_key is not null`;
const carriedLess = sql`update sources set claims = claims - 1, alone = alone - (old.others = 0)
  where id = old.source and old.sort_key is not null`;
const furtherMore = sql`update sources set claims = claims + 1,
    last_claimed_at = max(coalesce(last_claimed_at, ''), new.claimed_at) where id = new.source`;
const furtherLess = sql`update sources set claims = claims - 1 where id = old.source`;
