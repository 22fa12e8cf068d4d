// After the faults everything agrees without help, and matches what was acknowledged.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, patienceMs } from '../testkit/conditions.ts';
import { askProxy } from '../testkit/upstream.ts';
import { base, bystander, visitorsOf } from './addresses.ts';
import { checkAgreement, type Truth } from './agreement.ts';
import { sourceNames, verdictsOf, verdictsThrough } from './claims.ts';
import type { ClientContext } from './client-context.ts';
import { absent, type Model, type State } from './model.ts';
import { domains, type Program } from './program.ts';
import { clock } from './story.ts';
import { naming, peerOf } from './upstreams.ts';
import { visitFrontEnd } from './visited-front-end.ts';

const run = promisify(execFile);
const lookEveryMs = 40;
/** A release of 600 s, by a clock that may differ. */
const farMs = 120_000;

/** @param healed end of the last fault @returns milliseconds from there until everything agreed; null: never */
export async function check(context: ClientContext, program: Program, healed: number): Promise<number | null> {
  await releasesOver(context);
  const truth = await agreement(context, healed);
  if (truth === null) return null;
  const agreedMs = clock() - healed;
  judge(context, truth);
  await visitAll(context, program);
  await validate(context);
  return agreedMs;
}

/** What was released has been dropped, or is kept: nothing is due in a later round. */
async function releasesOver({ stack: { service }, story, releases }: ClientContext): Promise<void> {
  const path = `/api/sources/${encodeURIComponent(sourceNames.agent)}`;
  try {
    const state = await eventually('releases that are due have dropped the claims', async () => {
      const { status, body } = await service.call('GET', path);
      if (status === 404) return 'unknown' as const;
      if (status !== 200) return null;
      return body.release_at === null || Date.parse(body.release_at) > Date.now() + farMs ? ('over' as const) : null;
    });
    releases.settle(clock());
    if (state === 'unknown') return;
    // Also after a drop: so that the keeps of the next round say what happened in it.
    const { status, text } = await service.call('POST', `${path}/keep`);
    if (status !== 200) story.addBroken(`the keep at the end was answered ${status}: ${text}`);
  } catch (error) {
    story.addBroken((error as Error).message);
  }
}

async function agreement(context: ClientContext, healed: number): Promise<Truth | null> {
  const { story, stack } = context;
  const begun = clock();
  let differs = '';
  do {
    const look = await checkAgreement(stack.service, { withSites: stack.operator === null });
    if ('truth' in look) {
      story.record(begun, 'agreement', `${(clock() - healed).toFixed(0)} ms after the heal`);
      return look.truth;
    }
    if (look.differs !== differs) story.record(clock(), 'agreement', look.differs);
    differs = look.differs;
    await pause(lookEveryMs);
  } while (clock() < healed + patienceMs);
  story.addBroken(`after the heal it never agreed: ${differs}`);
  return null;
}

/** The database decides unknown outcomes; from here on its content is expected. */
function judge(context: ClientContext, truth: Truth): void {
  const now = clock();
  for (const kind of ['manual', 'agent', 'list'] as const) {
    const claimed = [...truth.blocked].flatMap(([ip, claims]): [string, State][] => {
      const until = claims.get(sourceNames[kind]);
      return until === undefined ? [] : [[ip, { present: true, until }]];
    });
    compare(context, `blocked by ${kind}`, context.claims[kind], new Map(claimed), now);
  }
  compare(context, 'trusted', context.trusted, forGood(truth.trusted), now);
  compare(context, 'a site', context.sites, forGood(truth.sites), now);
  const networks = truth.upstreams.map((line) => line.split(' ')[0]!);
  compare(context, 'a network of an upstream', context.upstreams, forGood(networks), now);
}

function forGood(names: Iterable<string>): Map<string, State> {
  return new Map([...names].map((name) => [name, { present: true, until: null }]));
}

function compare(
  { story, windows }: ClientContext,
  what: string,
  model: Model,
  seen: ReadonlyMap<string, State>,
  now: number,
): void {
  for (const name of new Set([...model.addresses, ...seen.keys()])) {
    const state = seen.get(name) ?? absent;
    const may = model.mayBe(name, now, now, 'acknowledged');
    const fine = windows.excuse('clock', now, now) || (state.present ? may.present : may.absent);
    if (!fine) {
      const should = model.possible(name, now, now, 'acknowledged').map((one) => JSON.stringify(one));
      story.addBroken(`${name} is ${JSON.stringify(state)} as ${what}, and should be ${should.join(' or ')}`);
    }
    model.settle(name, state);
  }
}

async function visitAll(context: ClientContext, program: Program): Promise<void> {
  const { story, stack } = context;
  const some = base.filter((_, index) => index % 100 === program.round % 100);
  const visitors = new Set([...program.bystanders, ...some, ...context.entries.flatMap(visitorsOf)]);
  for (const ip of visitors) {
    for (const frontEnd of stack.frontEnds) {
      const begun = clock();
      const seen = await visitFrontEnd(stack.service, frontEnd, ip).catch((error: Error) => error.message);
      const allowed = verdictsOf(context, ip, begun, clock(), 'acknowledged');
      if (typeof seen !== 'number' || !allowed.has(seen)) {
        story.addBroken(`in the end ${ip} saw ${seen} instead of ${[...allowed].join(' or ')} at ${frontEnd.name}`);
      }
    }
  }
  for (const ip of context.entries.filter((entry) => entry.includes(':'))) await askAbout(context, ip);
  if (stack.operator !== null) return;
  await visitThroughUpstreams(context);
  for (const domain of domains) {
    const wanted = context.sites.mayBe(domain, clock(), clock(), 'acknowledged').present ? 200 : 404;
    const { status } = await askProxy(stack.service.proxyPort, domain, program.bystanders[0]);
    if (status !== wanted) story.addBroken(`in the end ${domain} was answered ${status} instead of ${wanted}`);
  }
}

/** A blocked client is denied behind an upstream too, and names no other client itself. */
async function visitThroughUpstreams(context: ClientContext): Promise<void> {
  const { story, stack, entries } = context;
  const proxy = stack.frontEnds[0]!;
  const visit = async (from: string, client: string, verdicts: (begun: number, ended: number) => Set<number>) => {
    const begun = clock();
    const headers = { 'x-forwarded-for': client };
    const seen = await visitFrontEnd(stack.service, proxy, from, { headers }).catch((error: Error) => error.message);
    const allowed = verdicts(begun, clock());
    if (typeof seen === 'number' && allowed.has(seen)) return;
    story.addBroken(`in the end ${from}, naming ${client}, saw ${seen} instead of ${[...allowed].join(' or ')}`);
  };
  for (const entry of new Set(entries)) {
    for (const ip of entry.includes(':') ? [entry] : visitorsOf(entry)) {
      for (const name of naming) {
        await visit(peerOf(name), ip, (begun, ended) =>
          verdictsThrough(context, name, ip, begun, ended, 'acknowledged'),
        );
      }
      if (entry.includes(':')) continue;
      await visit(ip, bystander, (begun, ended) => verdictsOf(context, ip, begun, ended, 'acknowledged'));
    }
  }
}

async function askAbout({ stack, story, claims }: ClientContext, ip: string): Promise<void> {
  const begun = clock();
  const { body } = await stack.service.call('GET', `/api/check/${encodeURIComponent(ip)}`);
  const may = claims.mayBe(ip, begun, clock(), 'acknowledged');
  const fine = body.verdict === 'blocked' ? may.present : may.absent;
  // An entry that expires right now is reported as allowed before the workers remove it.
  if (!fine || (body.enforced !== true && may.present !== may.absent)) {
    story.addBroken(`in the end the check of ${ip} said ${JSON.stringify(body)}; it may be ${JSON.stringify(may)}`);
  }
}

async function validate({ stack, story }: ClientContext): Promise<void> {
  try {
    const files = stack.operator?.configurationPaths ?? [stack.service.paths.config];
    await run(stack.bin, ['-c', ...files.flatMap((path) => ['-f', path])]);
    for (const changed of (await stack.operator?.changedByOthers()) ?? []) story.addBroken(changed);
  } catch (error) {
    story.addBroken(`the live configuration is not valid: ${(error as Error).message}`);
  }
}
