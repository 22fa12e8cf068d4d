// What a denied client sees, and what an operator learns from the reference that it quotes.
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('a denied client', ({ bin }) => {
  let service: RealService;
  let user: CommandLineUser;
  let page: string;
  const reload = async () => (await service.call('POST', '/api/config/reload')).body;
  const pageOf = (from: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: service.proxyPort, localAddress: from, agent: false };
      request(options, (response) => void text(response).then(resolve, reject))
        .once('error', reject)
        .end();
    });
  const referenceOf = async (from: string) =>
    /[0-9A-F]{8}-[0-9A-F]{8}-[0-9A-F]{4,8}/.exec(await pageOf(from))?.[0] ?? '';
  const pages = async () => (await readdir(dirname(service.paths.config))).filter((name) => name.startsWith('denied.'));

  beforeAll(async () => {
    service = await RealService.start({
      bin,
      async before({ prefix }) {
        page = join(prefix, 'page.html');
        writeFileSync(page, '');
      },
      command: (words) => ['env', `PROXY_MANAGER_DENIED_PAGE=${page}`, ...words],
    });
    user = new CommandLineUser(service);
  });
  afterAll(() => service?.stop());

  it('gets the built-in page as long as the own one cannot be used, whose refusal names the reason', async () => {
    await service.block('127.0.0.2', { reason: 'scans' });
    expect(await pageOf('127.0.0.2')).toContain('<h1>Access denied</h1>');
    const { warnings, changed } = await reload();
    expect(warnings).toEqual([`the denied page ${page} is empty; the built-in page is used`]);
    expect(changed).toBe(false);
    expect(await service.logText()).toContain('Denied page refused');
    expect((await service.health()).body).toMatchObject({ status: 'ok', notices: warnings });
  });

  it('gets the own page after a reload, and the last good one while the next cannot be used', async () => {
    writeFileSync(page, 'first 100% {{ reference }}');
    expect((await reload())['warnings']).toEqual([]);
    expect(await pageOf('127.0.0.2')).toMatch(/^first 100% 7F000002-/);
    writeFileSync(page, 'x'.repeat(15_001));
    const validation = await service.call('POST', '/api/config/validate');
    const refusal = `the denied page ${page} has more than 15,000 bytes; the last good one stays in use`;
    expect(validation.body).toMatchObject({ valid: true, warnings: [refusal] });
    expect((await service.health()).body).toMatchObject({ status: 'ok', notices: [refusal] });
    expect(await reload()).toMatchObject({ status: 'completed', warnings: [refusal], changed: false });
    expect(await pageOf('127.0.0.2')).toMatch(/^first 100% 7F000002-/);
    writeFileSync(page, 'second {{ reference }}');
    await reload();
    await reload();
    expect((await service.health()).body).toMatchObject({ status: 'ok', notices: [] });
    expect(await pageOf('127.0.0.2')).toMatch(/^second 7F000002-/);
    // The first one is a known good no longer.
    expect(await pages()).toHaveLength(1);
  });

  it('quotes a reference that says which address was denied, when and why', async () => {
    const reference = await referenceOf('127.0.0.2');
    const { code, out } = await user.run(['check', '--reference', ` ${reference.toLowerCase()} `]);
    expect(out).toMatch(/^request \d+ of its worker, from 127\.0\.0\.2 at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(.*\)\n/);
    expect(out).toContain('\n127.0.0.2 is blocked by its own entry (scans), permanently; verified in every worker\n');
    expect(out).toMatch(/\t_settings\t\S+\tblock\t127\.0\.0\.2\tdone\t/);
    expect(code).toBe(0);
    await service.unblock('127.0.0.2');
    const later = await user.run(['check', '--reference', reference, '-o', 'json']);
    const { check, audit } = JSON.parse(later.out);
    expect(check).toMatchObject({ ip_address: '127.0.0.2', verdict: 'allowed' });
    expect(audit.map((row: { operation: string }) => row.operation)).toEqual(['unblock', 'block']);
  });

  it('of a network that was unblocked since is found by the reference', async () => {
    await service.block('127.0.7.0/24');
    const reference = await referenceOf('127.0.7.9');
    expect((await user.run(['check', '--reference', reference])).out).toContain('is blocked by 127.0.7.0/24');
    await service.unblock('127.0.7.0/24');
    const { out } = await user.run(['check', '--reference', reference]);
    expect(out).toContain('127.0.7.9 is allowed: no entry covers it');
    expect(out).toMatch(/\tunblock\t127\.0\.7\.0\/24\tdone\t/);
  });

  it('that quotes no reference, or an address beside it, is a usage error', async () => {
    for (const words of [['--reference', 'nonsense'], ['--reference', '7F000002-6925B0F5-0001', '127.0.0.2'], []]) {
      expect(await user.run(['check', ...words])).toMatchObject({ code: 2, out: '' });
    }
  });
});
