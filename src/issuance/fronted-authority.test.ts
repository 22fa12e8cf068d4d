// Issuance with a real authority behind a front end: limits, lost replies and renewal windows, in real time.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AcmeFront, problem } from '../../testkit/acme/front.ts';
import { describeWithPebble } from '../../testkit/acme/pebble.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';
import { pause as wait } from '../concurrency/pause.ts';

const DAY = 86_400_000;

describeWithPebble('an authority behind a front end', () => {
  let web: PebbleWithWeb;
  let front: AcmeFront;
  let kit: IssuanceKit<PebbleAuthority>;
  beforeAll(async () => {
    web = await PebbleWithWeb.start();
  });
  afterAll(() => web?.stop());
  beforeEach(async () => {
    front = await AcmeFront.start(web.pebble);
    kit = await IssuanceKit.openWith(new PebbleAuthority(web, front));
  });
  afterEach(async () => {
    await kit?.remove();
    await front?.stop();
  });

  const countOf = (operation: string) => front.requests.filter((one) => one === operation).length;
  /** The names that were asked for, in order, whether or not a certificate followed. */
  const replaced = () => front.orders.map(({ replaces }) => replaces !== null);

  it.each([
    { form: 'seconds', retryAfter: () => '2' },
    { form: 'a date', retryAfter: () => new Date(Date.now() + 3_000).toUTCString() },
  ])('gets no order before the end of a limit in $form, also over a restart', async ({ retryAfter }) => {
    front.failNext('createOrder', problem(429, 'rateLimited', 'too many new orders', retryAfter()));
    const id = await kit.request('limited.example');
    await kit.settle();
    const [pause] = await kit.issuance.pauses();
    expect(pause).toMatchObject({ scope: 'orders', problem: { class: 'limited', detail: 'too many new orders' } });
    kit.restart();
    await kit.settle();
    expect([countOf('createOrder'), Date.now() < pause!.until.getTime()]).toEqual([1, true]);
    await wait(pause!.until.getTime() - Date.now());
    await kit.untilIdle();
    expect(await kit.issuance.attempts(id, 3)).toMatchObject([{ state: 'stored' }, { state: 'failed' }]);
  });

  it('issues once although the replies to finalize and to the certificate are lost', async () => {
    const before = web.issued;
    front.failNext('finalize', 'lost');
    front.failNext('certificate', 'lost');
    front.failNext('order', problem(503, 'serverInternal', 'busy'));
    const id = await kit.request('lost.example');
    kit.longestWaitMs = 2_000;
    await kit.untilIdle();
    expect(await kit.issuance.attempts(id, 2)).toMatchObject([{ state: 'stored', problem: null }]);
    expect([web.issued - before, countOf('finalize') > 0]).toEqual([1, true]);
  });

  it('renews once in a window of the past, says what it replaces, and asks for the window of the new one', async () => {
    const start = Date.now();
    front.window = ({ validFromDate }) =>
      front.fetched.size < 2
        ? { start: new Date(start - 2 * DAY), end: new Date(start - DAY) }
        : { start: new Date(validFromDate.getTime() + 20 * DAY), end: new Date(validFromDate.getTime() + 21 * DAY) };
    const id = await kit.request('revoked.example');
    await kit.untilIdle();
    while (front.fetched.size < 2) await kit.advance();
    await kit.untilIdle();
    expect(replaced()).toEqual([false, true]);
    expect(front.orders[1]!.replaces).toBe([...front.fetched.keys()][0]);
    while (countOf('renewalInfo') < 2) await kit.advance();
    await kit.settle();
    expect(await kit.issuance.get(id)).toMatchObject({ dueBy: 'ari', problem: null });
    expect(front.orders).toHaveLength(2);
  });

  it('orders once more without what it replaces if the authority refuses that', async () => {
    const id = await kit.request('replaced.example');
    front.window = () => ({ start: new Date(Date.now() + 20 * DAY), end: new Date(Date.now() + 21 * DAY) });
    await kit.untilIdle();
    front.failNext('createOrder', problem(409, 'alreadyReplaced', 'it is replaced already'));
    await kit.issuance.renew(id, caller);
    await kit.untilIdle();
    expect(replaced()).toEqual([false, false]);
    expect(await kit.issuance.attempts(id, 3)).toMatchObject([{ state: 'stored' }, { state: 'stored' }]);
  });
});
