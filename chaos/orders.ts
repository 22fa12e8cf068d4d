// Certificates that are ordered and renewed while faults strike: each is issued once, and served. An order may wait for
// minutes after an authority was away, so it goes on over later rounds.
import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { reachableAt } from '../src/issuance/schedule.ts';
import type { Answer, JsonBody } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import type { ChaosStack } from './stack.ts';
import { clock, type Story } from './story.ts';

interface Ordered {
  readonly name: string;
  id: string;
  /** How often it must have been issued, and may have been: without a reply both are possible. */
  least: number;
  most: number;
  /** Since when it should go on. */
  since: number;
  done: boolean;
}

/** While the authority may be asked: an order, its retries, and those before it. */
const deadlineMs = 240_000;
const perWaitingMs = 5_000;
/** Of the service, however often the authority did not answer. */
const longestPauseMs = reachableAt(Number.MAX_SAFE_INTEGER, new Date(0)).getTime();
const perRound = 3;
const checkedLast = 5;
const lookEveryMs = 200;
/** The service orders for the same names twice a day. */
const mostIssues = 2;
const challengesNotAnswered: readonly unknown[] = [6052, 6063];

export class Orders {
  readonly #stack: ChaosStack;
  readonly #all: Ordered[] = [];
  /** Until when the service does not ask the authority, as it says: nothing goes on before. */
  #pausedUntil = 0;

  constructor(stack: ChaosStack) {
    this.#stack = stack;
  }

  /** Orders some, and renews an earlier one in every second round. Resolves with the replies. */
  async begin(round: number, story: Story): Promise<void> {
    await pause((round * 137) % 800);
    const renewed = round % 2 === 0 ? this.#all.findLast(({ done, most }) => done && most < mostIssues) : undefined;
    const names = Array.from({ length: perRound }, (_, at) => `r${round}-${this.#all.length + at}.chaos.test`);
    await Promise.all([
      ...names.map((name) => this.#order(name, story)),
      ...(renewed === undefined ? [] : [this.#renew(renewed, story)]),
    ]);
  }

  /** What goes on is left to later rounds; what is done is checked. @param clockWasWrong times may be of another day */
  async check(story: Story, clockWasWrong: boolean): Promise<void> {
    if (clockWasWrong) {
      this.#pausedUntil = 0;
      for (const one of this.#all) one.since = clock();
    }
    await this.#lookAtAll();
    for (const one of this.#late()) story.addBroken(await this.#reportOf(one));
    for (const one of [...this.#uploaded(), ...this.#all.filter(({ done }) => done).slice(-checkedLast)]) {
      const wrong = await this.#servedWrong(one);
      if (wrong !== null) story.addBroken(wrong);
    }
    this.#judgeCounts(story);
  }

  /** Waits for all. */
  async finish(story: Story): Promise<void> {
    const begun = clock();
    for (const one of this.#all) one.since = begun;
    while (this.#all.some(({ done }) => !done) && this.#late().length === 0) {
      await this.#lookAtAll();
      await pause(lookEveryMs);
    }
    for (const one of this.#late()) story.addBroken(await this.#reportOf(one));
    for (const one of this.#all.filter(({ done }) => done)) {
      const wrong = await this.#servedWrong(one);
      if (wrong !== null) story.addBroken(wrong);
    }
    this.#judgeCounts(story);
    const map = `${this.#stack.service.paths.prefix}/etc/proxy/acme_challenges.map`;
    const [shown = ''] = await this.#stack.service.raw(`@1 show map ${map}`);
    if (shown.trim() !== '') story.addBroken(`challenges of no order are left: ${shown}`);
  }

  async #lookAtAll(): Promise<void> {
    const answer = await this.#call('GET', '/api/acme');
    for (const { until } of (answer?.body['pauses'] ?? []) as JsonBody[]) {
      const left = Math.min(Date.parse(String(until)) - Date.now(), longestPauseMs);
      this.#pausedUntil = Math.max(this.#pausedUntil, clock() + left);
    }
    for (const one of this.#all.filter(({ done }) => !done)) await this.#look(one);
  }

  /** What should be done by now. */
  #late(): readonly Ordered[] {
    const waiting = this.#all.filter(({ done }) => !done);
    const mostMs = deadlineMs + waiting.length * perWaitingMs;
    // However often the service states a pause, it may not take longer than its longest one.
    return waiting.filter(({ since }) => {
      const from = Math.min(Math.max(since, this.#pausedUntil), since + longestPauseMs);
      return clock() - from > mostMs;
    });
  }

  async #order(name: string, story: Story): Promise<void> {
    const begun = clock();
    const answer = await this.#call('POST', '/api/acme/certificates', { names: [name] });
    story.record(begun, `order ${name}`, textOf(answer));
    // Nothing is ordered while no worker would answer the challenge.
    if (challengesNotAnswered.includes(answer?.body['code'])) return;
    // Refused without a change, unless the reply was lost.
    if (answer !== null && answer.status !== 202 && answer.status < 500) {
      story.addBroken(`the order of ${name} was answered ${textOf(answer)}`);
      return;
    }
    const known = answer?.status === 202;
    const id = known ? String(answer.body['id']) : '';
    this.#all.push({ name, id, least: known ? 1 : 0, most: 1, since: clock(), done: false });
  }

  async #renew(one: Ordered, story: Story): Promise<void> {
    const begun = clock();
    const answer = await this.#call('POST', `/api/acme/certificates/${one.id}/renew`);
    story.record(begun, `renew ${one.name}`, textOf(answer));
    one.most += 1;
    if (answer?.status !== 202) return;
    Object.assign(one, { least: one.least + 1, since: clock(), done: false });
  }

  /** Done: nothing of it is open, and the last order was stored. A failed one is repeated as an operator would. */
  async #look(one: Ordered): Promise<void> {
    if (one.id === '') {
      const all = await this.#call('GET', '/api/acme');
      if (all?.status !== 200) return;
      const found = (all.body['next'] as JsonBody[]).find(({ names }) => names[0] === one.name);
      if (found === undefined) one.done = one.most === 1;
      if (found === undefined) return;
      one.id = String(found['id']);
      one.least = 1;
    }
    const answer = await this.#call('GET', `/api/acme/certificates/${one.id}`);
    if (answer?.status !== 200) return;
    const [last] = answer.body['attempts'] as JsonBody[];
    const isDue = Date.parse(answer.body['due_at'] as string) <= Date.now();
    if (last?.['state'] === 'stored' && !isDue) one.done = true;
    if (last?.['state'] === 'failed' && !isDue) {
      await this.#call('POST', `/api/acme/certificates/${one.id}/renew`);
    }
  }

  #uploaded(): readonly Pick<Ordered, 'id' | 'name' | 'least'>[] {
    const { uploaded } = this.#stack;
    return uploaded === null ? [] : [{ ...uploaded, least: 1 }];
  }

  /** Null: new connections get the version that is stored. */
  async #servedWrong({ id, name, least }: Pick<Ordered, 'id' | 'name' | 'least'>): Promise<string | null> {
    if (least === 0) return null;
    const end = clock() + 60_000;
    for (;;) {
      const chain = await this.#call('GET', `/api/certificates/${id}/chain`);
      const served = await servedSha1(this.#stack.httpsPort, name).catch((error: Error) => error.message);
      const stored = chain?.status === 200 ? new X509Certificate(chain.text).fingerprint.replaceAll(':', '') : null;
      if (stored !== null && served === stored) return null;
      if (clock() > end) return `the certificate of ${name} is not served: ${served} instead of ${stored}`;
      await pause(lookEveryMs);
    }
  }

  #judgeCounts(story: Story): void {
    const issued = this.#stack.authority?.front.issued ?? [];
    for (const { name, least, most, done } of this.#all) {
      const count = issued.filter((one) => one === name).length;
      if (count > most) story.addBroken(`${name} was issued ${count} times instead of ${most}`);
      if (done && count < least) story.addBroken(`${name} was issued ${count} times instead of ${least}`);
    }
  }

  async #reportOf({ name, id }: Ordered): Promise<string> {
    const answer = await this.#call('GET', `/api/acme/certificates/${id}`);
    return `the order of ${name} did not end: ${answer?.text.slice(0, 2_000)}`;
  }

  /** Null: no reply, since the service is dead or the connection was cut. */
  async #call(method: string, path: string, body?: object): Promise<Answer | null> {
    return await this.#stack.service.call(method, path, body === undefined ? {} : { body }).catch(() => null);
  }
}

function textOf(answer: Answer | null): string {
  return answer === null ? 'no reply' : `${answer.status} ${answer.status >= 400 ? answer.text.slice(0, 300) : ''}`;
}
