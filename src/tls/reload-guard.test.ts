// A certificate that HAProxy refuses does not keep a configuration from being loaded.
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeOnProductProxies } from '../../testkit/proxies.ts';
import { madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { TlsProxy } from '../../testkit/tls/tls-proxy.ts';
import { guardedCheck } from '../configuration/reload/guarded-check.ts';
import type { CertificateToInstall } from './installation.ts';

const FIRST = 'c-aaaaaaaaaa';
const SECOND = 'c-bbbbbbbbbb';

describeOnProductProxies('a certificate that HAProxy refuses', ({ bin }) => {
  const good = madeCertificate(['a.example'], { id: FIRST });
  const other = madeCertificate(['b.example'], { id: SECOND });
  const mismatched: CertificateToInstall = {
    ...other,
    pem: { reveal: () => other.certificate + madeCertificate(['x.example']).privateKey },
  };
  let tls: TlsProxy;

  beforeEach(async () => {
    tls = await TlsProxy.start(bin, { stored: [good, other] });
  });

  afterEach(() => tls.stop());

  const check = async () => {
    await tls.keeper.refresh();
    return await guardedCheck(bin, tls.proxy.paths.config, (output) => tls.keeper.substitute(output));
  };

  it.each([
    ['a key of another certificate', mismatched],
    ['no key', { ...other, pem: { reveal: () => other.certificate } }],
    ['a damaged certificate', { ...other, pem: { reveal: () => other.pem.reveal().replace(/^M.{20}/m, 'MAAA') } }],
    ['nothing in it', { ...other, pem: { reveal: () => 'nothing\n' } }],
  ])('with %s is replaced by the default certificate, and comes back', async (_what, damaged) => {
    tls.stored.set(SECOND, damaged);
    await tls.keeper.put(damaged);
    expect((await check()).valid).toBe(true);
    expect(tls.keeper.problems()).toEqual([expect.stringMatching(/^HAProxy refuses certificate c-bbbbbbbbbb, /)]);
    expect(tls.keeper.isDurable(SECOND)).toBe(false);
    await tls.proxy.reload();
    expect(await tls.served('a.example')).toBe(good.sha1);
    expect(await tls.served('b.example')).not.toBe(other.sha1);
    // Still refused.
    expect(await tls.keeper.restore((pem) => tls.check.refusal(pem))).toEqual([]);
    expect((await check()).valid).toBe(true);
    // Replaced, or accepted by another HAProxy.
    tls.stored.set(SECOND, other);
    expect(await tls.keeper.restore((pem) => tls.check.refusal(pem))).toEqual([SECOND]);
    expect(tls.keeper.problems()).toEqual([]);
    expect(await readFile(tls.keeper.pathOf(SECOND), 'utf8')).toBe(other.pem.reveal());
    await tls.reconciler.check(true);
    expect(await tls.served('b.example')).toBe(other.sha1);
  });

  it('several are replaced together', async () => {
    for (const id of [FIRST, SECOND]) {
      const damaged = { ...mismatched, id };
      tls.stored.set(id, damaged);
      await tls.keeper.put(damaged);
    }
    expect((await check()).valid).toBe(true);
    expect(tls.keeper.problems()).toHaveLength(2);
  });

  it('on disk alone is written again from the database', async () => {
    await writeFile(tls.keeper.pathOf(FIRST), 'damaged');
    expect((await check()).valid).toBe(true);
    expect(tls.keeper.problems()).toEqual([]);
    expect(await readFile(tls.keeper.pathOf(FIRST), 'utf8')).toBe(good.pem.reveal());
  });

  it('as the default certificate is replaced by a new one, and kept', async () => {
    await writeFile(tls.files.defaultCertificate, 'of the operator');
    expect((await check()).valid).toBe(true);
    expect(await readFile(`${tls.files.defaultCertificate}.refused`, 'utf8')).toBe('of the operator');
  });

  it('that is not ours is left as it is', async () => {
    const theirs = `${tls.proxy.paths.folder}/theirs.pem`;
    await writeFile(theirs, 'damaged');
    const config = await readFile(tls.proxy.paths.config, 'utf8');
    await writeFile(tls.proxy.paths.config, config.replace(/( crt-list )/, ` crt ${theirs}$1`));
    expect((await check()).valid).toBe(false);
    expect(await readFile(theirs, 'utf8')).toBe('damaged');
  });
});

describeOnProductProxies('the check of one certificate', ({ bin }) => {
  it('accepts a good one, and says in the words of HAProxy why it refuses another', async () => {
    const tls = await TlsProxy.start(bin);
    const made = madeCertificate(['a.example'], { chained: true });
    expect(await tls.check.refusal(made.pem)).toBeNull();
    const why = await tls.check.refusal({ reveal: () => made.certificate });
    expect(why).toMatch(/[Nn]o [Pp]rivate [Kk]ey/);
    expect(why).not.toContain(tls.files.folder);
    await tls.stop();
  });
});

describe('a guarded check', () => {
  it('ends when no certificate can be replaced', async () => {
    const outputs: string[] = [];
    const refuse = async (output: string) => outputs.push(output) < 3;
    expect((await guardedCheck('/bin/false', '/dev/null', refuse)).valid).toBe(false);
    expect(outputs).toHaveLength(3);
  });
});
