// Each order ends, but not while its certificate may still be issued: the next order would be issued a second one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failedReply, problemOf, refusal, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { selfSigned } from '../../testkit/tls/uploads.ts';
import type { AcmeClient } from '../acme/authority.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

/** From the next start on. */
function changed(change: (client: AcmeClient) => Partial<AcmeClient>): void {
  const connect = kit.authority.connect.bind(kit.authority);
  kit.authority.connect = (directory, key) => {
    const client = connect(directory, key);
    return { ...client, ...change(client) };
  };
  kit.restart();
}

async function until(state: string): Promise<void> {
  while ((await openStates())[0] !== state) if (!(await kit.advance())) throw new Error('the order ended');
}

/** The authority does not answer to the first request to validate, or to issue. */
async function untilUnanswered(state: 'told' | 'finalizing'): Promise<void> {
  const operation = { told: 'answerChallenge', finalizing: 'finalize' }[state];
  kit.authority.before = (asked) => {
    if (asked === operation) throw unreachable();
  };
  await until(state);
  kit.authority.before = () => undefined;
}

const states = ['told', 'finalizing'] as const;

const openStates = async () => (await kit.orders.allOpen()).map(({ state }) => state);

describe('one certificate is issued', () => {
  /** The authority issues a minute after it was asked. */
  function slowly(): void {
    let done = 0;
    const slow = async (order: ReturnType<AcmeClient['order']>) => {
      const answer = await order;
      if (answer.status !== 'valid' || kit.now >= done) return answer;
      return { ...answer, status: 'processing' as const, certificateUrl: null };
    };
    changed((client) => ({
      order: async (url) => await slow(client.order(url)),
      finalize: async (url, csr) => {
        done = kit.now + MINUTE;
        return await slow(client.finalize(url, csr));
      },
    }));
  }

  it.each(states)('if the service was off for 25 hours in the state %s', async (state) => {
    slowly();
    const id = await kit.request('a.example');
    await untilUnanswered(state);
    kit.now += 25 * HOUR;
    kit.restart();
    await kit.untilIdle();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect([kit.authority.newOrders, kit.authority.issued.length]).toEqual([1, 1]);
  });

  it('if the clock jumps ahead by two days while it is issued', async () => {
    slowly();
    const id = await kit.request('a.example');
    await until('finalizing');
    await kit.settle();
    kit.skew = 2 * DAY;
    await kit.untilIdle();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect(kit.authority.issued).toHaveLength(1);
  });

  it('if the authority does not answer for six days', async () => {
    const id = await kit.request('a.example');
    await untilUnanswered('finalizing');
    let lost = false;
    const end = kit.now + 6 * DAY;
    kit.authority.after = (asked) => {
      if (asked !== 'finalize' || lost) return;
      lost = true;
      throw unreachable();
    };
    kit.authority.before = () => {
      if (lost && kit.now < end) throw unreachable();
    };
    await kit.pass(6 * DAY + HOUR);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect([kit.authority.newOrders, kit.authority.issued.length]).toEqual([1, 1]);
  });

  it('if a server of the authority does not know yet that the names are valid, or refuses to show the order', async () => {
    let asked = 0;
    changed((client) => ({
      order: async (url) => {
        const answer = await client.order(url);
        if ((await openStates())[0] !== 'finalizing') return answer;
        asked += 1;
        if (asked === 1) throw refusal({ type: 'malformed', detail: 'no such order', status: 404 });
        return asked === 2 ? { ...answer, status: 'pending' } : answer;
      },
    }));
    const id = await kit.request('a.example');
    await kit.untilIdle();
    expect(asked).toBeGreaterThan(2);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect(kit.authority.newOrders).toBe(1);
  });

  it.each(states)('if the authority forgets the account in the state %s, and registers it again', async (state) => {
    const id = await kit.request('a.example');
    await untilUnanswered(state);
    let forgotten = true;
    kit.authority.before = (asked) => {
      if (asked === 'register') forgotten = false;
      else if (forgotten && asked !== 'directory') throw refusal({ type: 'accountDoesNotExist', status: 400 });
    };
    await kit.untilIdle();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect(kit.authority.newOrders).toBe(1);
  });

  it('if its challenge is validated just before a second request after a restart, which is refused', async () => {
    let refused = 0;
    changed((client) => ({
      answerChallenge: async (url) => {
        await client.answerChallenge(url);
        kit.now += 3 * SECOND;
        await client.authorization(url.replace('/challenge', ''));
        refused += 1;
        throw refusal({ type: 'malformed', detail: 'cannot update challenge with status valid', status: 400 });
      },
    }));
    const id = await kit.request('a.example');
    await kit.untilIdle();
    expect(refused).toBe(1);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect(kit.authority.newOrders).toBe(1);
  });

  it.each(['malformed', 'unauthorized', 'orderNotReady', 'serverInternal'])(
    'if a second request for it is refused with %s, as the first, whose reply was lost, was carried out',
    async (type) => {
      let asked = 0;
      changed((client) => ({
        // A server of the authority does not know yet.
        order: async (url) => {
          const answer = await client.order(url);
          return asked === 1 ? { ...answer, status: 'ready', certificateUrl: null } : answer;
        },
        finalize: async (url, csr) => {
          asked += 1;
          if (asked > 1) throw refusal({ type, status: 403 }, null, { ofOrder: true });
          await client.finalize(url, csr);
          throw unreachable();
        },
      }));
      const id = await kit.request('a.example');
      await kit.untilIdle();
      expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
      expect([asked, kit.authority.newOrders, kit.authority.issued.length]).toEqual([2, 1, 1]);
    },
  );

  it.each([true, false])('and stored although the directory cannot be read (windows: %s)', async (hasWindows) => {
    const window = (_notBefore: Date, notAfter: Date) => ({ start: new Date(notAfter.getTime() - DAY), end: notAfter });
    if (hasWindows) kit.authority.window = window;
    let issued = false;
    kit.authority.before = (asked) => {
      issued ||= asked === 'certificate';
      if (issued && asked === 'directory') throw unreachable();
    };
    const id = await kit.request('a.example');
    await kit.untilIdle();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    // Its window is asked for when the authority answers again.
    kit.authority.before = () => undefined;
    await kit.pass(DAY);
    const dueBy = hasWindows ? 'ari' : 'age';
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy, ariId: hasWindows ? expect.any(String) : null });
    expect(kit.authority.requests.filter((asked) => asked === 'renewalInfo').length).toBe(hasWindows ? 4 : 0);
  });

  it('if it is not valid yet by a clock that is behind, and it is stored when that is correct', async () => {
    kit.skew = -3 * HOUR;
    const id = await kit.request('a.example');
    await kit.pass(HOUR);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { class: 'will retry', type: 'clock' } });
    kit.skew = 0;
    await kit.pass(HOUR);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1, problem: null });
    expect(kit.authority.issued).toHaveLength(1);
  });
});

describe('an order ends', () => {
  const lastOf = async (id: string) => (await kit.issuance.attempts(id, 9)).at(-1);

  it.each([
    ['does not answer', unreachable, 'unreachable'],
    ['finds it not ready', () => refusal({ type: 'orderNotReady', status: 403 }), 'orderNotReady'],
  ])('after a day in which the authority %s when it is to issue', async (_what, error, type) => {
    kit.authority.before = (asked) => {
      if (asked === 'finalize') throw error();
    };
    const id = await kit.request('a.example');
    await kit.pass(23 * HOUR);
    expect(await openStates()).toEqual(['finalizing']);
    await kit.pass(3 * HOUR);
    expect(await lastOf(id)).toMatchObject({ state: 'failed', problem: { class: 'will retry', type } });
  });

  it.each([
    ['at once, if the authority judged the request', 'badCSR', 0],
    ['a day later, if it refuses for another reason', 'serverInternal', 25 * HOUR],
  ])('and does not count as an issue, %s', async (_when, type, afterMs) => {
    kit.authority.before = (asked) => {
      if (asked === 'finalize') throw refusal({ type, detail: 'no', status: 403 }, null, { ofOrder: true });
    };
    const id = await kit.request('a.example');
    const begun = kit.now;
    let ended = 0;
    await kit.pass(26 * HOUR, async () => {
      if (ended === 0 && (await lastOf(id))?.state === 'failed') ended = kit.now - begun;
    });
    expect(ended).toBeGreaterThan(afterMs - 2 * HOUR);
    expect(ended).toBeLessThan(afterMs + HOUR);
    expect(await lastOf(id)).toMatchObject({ finalizedAt: null, problem: { type, detail: 'no' } });
  });

  it('after an hour of failures of this machine, before the authority may issue', async () => {
    kit.authority.createCsr = () => {
      throw new Error('no memory');
    };
    const id = await kit.request('a.example');
    await kit.pass(2 * HOUR);
    expect(await lastOf(id)).toMatchObject({ state: 'failed', problem: { type: 'internal', detail: 'no memory' } });
  });

  it('at the time that the authority named, if it is not done an hour later', async () => {
    const expires = new Date(kit.now + 5 * HOUR);
    changed((client) => ({
      order: async (url) => ({ ...(await client.order(url)), expires }),
      finalize: async (url) => ({
        ...(await client.order(url.replace('/finalize', ''))),
        ...{ expires, status: 'processing' },
      }),
    }));
    const id = await kit.request('a.example');
    await kit.pass(5 * HOUR - MINUTE);
    expect(await openStates()).toEqual(['finalizing']);
    await kit.pass(2 * HOUR);
    expect(await lastOf(id)).toMatchObject({ state: 'failed', problem: { detail: expect.stringMatching(/expired/) } });
  });

  it('when all names are validated, not at the first that fails', async () => {
    kit.authority.validation = (name) => (name === 'bad.example' ? problemOf('dns', 'NXDOMAIN') : null);
    kit.authority.validationMs = (name) => (name === 'slow.example' ? 30 * SECOND : SECOND);
    const id = await kit.request('bad.example', 'slow.example');
    await kit.pass(20 * SECOND);
    expect(await openStates()).toEqual(['told']);
    expect(kit.authority.shown.size).toBe(2);
    await kit.pass(MINUTE);
    expect(await lastOf(id)).toMatchObject({ problem: { type: 'dns', subproblems: [{ name: 'bad.example' }] } });
  });

  it('if a name is missing in what was issued, and nothing is stored', async () => {
    changed((client) => ({
      createOrder: async (request) => await client.createOrder({ ...request, names: request.names.slice(0, 1) }),
    }));
    const id = await kit.request('a.example', 'b.example');
    await kit.untilIdle();
    expect(await lastOf(id)).toMatchObject({
      problem: { type: 'certificate', detail: expect.stringMatching(/b\.ex/) },
    });
    expect(await kit.certificates.get(id)).toBeNull();
  });

  it('before anything is asked, if a name belongs to another certificate', async () => {
    await kit.request('a.example');
    await kit.untilIdle();
    const other = await kit.request('b.example');
    const upload = selfSigned(['b.example'], { now: new Date(kit.now) });
    await kit.certificates.create(upload, {}, caller);
    await kit.untilIdle();
    expect(await lastOf(other)).toMatchObject({ state: 'failed', problem: { class: 'needs attention' } });
    expect(kit.authority.newOrders).toBe(1);
  });
});

describe('an order whose address always fails', () => {
  const asked: number[] = [];
  /** Reading the first order, and no other. */
  function failing(error: () => Error): void {
    asked.length = 0;
    changed((client) => ({
      order: async (url) => {
        if (!url.endsWith('/1')) return await client.order(url);
        asked.push(kit.now);
        throw error();
      },
    }));
  }

  it.each([
    ['answers with a failure', failedReply],
    ['is limited', (at: Date | null) => refusal({ type: 'rateLimited', status: 429 }, at, { ofOrder: true })],
  ])('delays no other, and ends within the hour, if it %s', async (_what, error) => {
    failing(() => error(null));
    const id = await kit.request('bad.example');
    await kit.settle();
    const other = await kit.request('good.example');
    await kit.pass(MINUTE);
    expect(await kit.certificates.get(other)).toMatchObject({ version: 1 });
    expect(await kit.issuance.pauses()).toEqual([]);
    expect(await openStates()).toEqual(['created']);
    expect(asked.length).toBeLessThan(20);
    await kit.pass(90 * MINUTE);
    const attempts = await kit.issuance.attempts(id, 9);
    expect(attempts.at(-1)).toMatchObject({ state: 'failed' });
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
  });

  it('is asked when the authority says, also after a restart, but not after its time', async () => {
    failing(() => failedReply(new Date(kit.now + 40 * MINUTE)));
    const id = await kit.request('bad.example');
    await kit.settle();
    kit.restart();
    // The hour of the new run.
    await kit.pass(125 * MINUTE);
    expect(asked.map((at) => (at - asked[0]!) / MINUTE)).toEqual([0, 40, 80, 120]);
    expect((await kit.issuance.attempts(id, 9)).at(-1)).toMatchObject({ state: 'failed' });
    expect(await kit.issuance.pauses()).toEqual([]);
  });
});

it('a wait that the authority asks for is not shortened by a restart', async () => {
  let asked = 0;
  changed((client) => ({
    authorization: async (url) => {
      asked += 1;
      return { ...(await client.authorization(url)), retryAfter: new Date(kit.now + 10 * MINUTE) };
    },
  }));
  const id = await kit.request('a.example');
  await kit.settle();
  const before = asked;
  expect(before).toBe(2);
  kit.restart();
  await kit.pass(9 * MINUTE);
  expect(asked).toBe(before);
  expect(await kit.wanted.get(id)).toMatchObject({ problem: { class: 'limited', type: 'wait' } });
  await kit.pass(2 * MINUTE);
  expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
});

it('a renewal that is refused because of the account keeps what it replaces, and says where to agree', async () => {
  kit.authority.window = (notBefore, notAfter) => ({ start: notBefore, end: notAfter });
  kit.authority.pollMs = DAY;
  const id = await kit.request('a.example');
  await kit.untilIdle();
  kit.authority.before = (asked) => {
    if (asked !== 'createOrder') return;
    throw refusal({ type: 'userActionRequired', status: 403, instance: 'https://ca.example/terms' });
  };
  await kit.issuance.renew(id, caller);
  await kit.settle();
  const [order] = await kit.issuance.attempts(id, 1);
  expect(order?.replaces).not.toBeNull();
  expect(order?.problem?.advice).toMatch(/Agree to the new terms.*https:\/\/ca\.example\/terms$/);
});

it('a refused order has no advice for a failed validation', async () => {
  kit.authority.before = (asked) => {
    if (asked === 'createOrder') throw refusal({ type: 'unauthorized', detail: 'not your name', status: 403 });
  };
  const id = await kit.request('a.example');
  await kit.settle();
  expect(await kit.wanted.get(id)).toMatchObject({ problem: { detail: 'not your name', advice: null } });
});
