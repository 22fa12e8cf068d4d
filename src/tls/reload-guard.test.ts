// A certificate that HAProxy refuses does not keep a configuration from being loaded.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillDisk, mayMount, mountDisk, unmountDisk } from '../../testkit/own-disk.ts';
import { dealt, describeOnProductProxies, isDealtTo, longTests } from '../../testkit/proxies.ts';
import { madeCertificate } from '../../testkit/tls/made-certificate.ts';
import { TlsProxy } from '../../testkit/tls/tls-proxy.ts';
import { checkGuarded } from '../configuration/reload/guarded-check.ts';
import type { CertificateToInstall } from './installation.ts';

const FIRST = 'c-aaaaaaaaaa';
const SECOND = 'c-bbbbbbbbbb';

describeOnProductProxies('a certificate that HAProxy refuses', ({ bin }) => {
  const dealtIt = dealt(bin, it);
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
    return await checkGuarded(bin, tls.proxy.paths.config, (output, refused) => tls.keeper.substitute(output, refused));
  };

  const damages: [string, CertificateToInstall][] = [
    ['a key of another certificate', mismatched],
    ['no key', { ...other, pem: { reveal: () => other.certificate } }],
    ['a damaged certificate', { ...other, pem: { reveal: () => other.pem.reveal().replace(/^M.{20}/m, 'MAAA') } }],
    ['nothing in it', { ...other, pem: { reveal: () => 'nothing\n' } }],
  ];
  const dealtDamages = damages.filter((_, index) => isDealtTo(bin, index));
  it.each(dealtDamages)('with %s is replaced by the default certificate, and comes back', async (_what, damaged) => {
    tls.stored.set(SECOND, damaged);
    await tls.keeper.put(damaged);
    expect((await check()).valid).toBe(true);
    expect(tls.keeper.problems()).toEqual([expect.stringMatching(/^HAProxy refuses certificate c-bbbbbbbbbb, /)]);
    expect(tls.keeper.isDurable(other)).toBe(false);
    // A verification, for example: the next reload would refuse it again.
    await tls.keeper.put(damaged);
    expect(tls.keeper.isDurable(other)).toBe(false);
    await tls.proxy.reload();
    expect(await tls.served('a.example')).toBe(good.sha1);
    expect(await tls.served('b.example')).not.toBe(other.sha1);
    // Still refused.
    expect(await tls.keeper.restore(false)).toEqual([]);
    expect(tls.keeper.isBehind).toBe(false);
    expect(await tls.keeper.restore()).toEqual([]);
    expect((await check()).valid).toBe(true);
    // Replaced, or accepted by another HAProxy.
    tls.stored.set(SECOND, other);
    expect(await tls.keeper.restore()).toEqual([SECOND]);
    expect(tls.keeper.problems()).toEqual([]);
    expect(await readFile(tls.keeper.pathOf(SECOND), 'utf8')).toBe(other.pem.reveal());
    await tls.reconciler.check(true);
    expect(await tls.served('b.example')).toBe(other.sha1);
  });

  dealtIt('is replaced with all others of its kind by one more check', async () => {
    const ids = Array.from(
      { length: longTests ? 60 : 16 },
      (_, at) => `c-aaaaaaaa${'abcdefgh'[at >> 3]}${'abcdefgh'[at & 7]}`,
    );
    for (const id of ids) tls.stored.set(id, { ...mismatched, id });
    await tls.keeper.load();
    const outputs: (string | null)[] = [];
    const substitute = (output: string | null) => {
      outputs.push(output);
      return tls.keeper.substitute(output);
    };
    expect((await checkGuarded(bin, tls.proxy.paths.config, substitute)).valid).toBe(true);
    expect(outputs).toHaveLength(1);
    expect(tls.keeper.problems()).toHaveLength(6);
    expect(tls.keeper.problems().at(-1)).toBe(`HAProxy refuses ${ids.length - 5} more certificates`);
    expect(tls.keeper.isDurable(other)).toBe(true);
    for (const id of ids) tls.stored.set(id, { ...other, id });
    expect(await tls.keeper.restore()).toEqual(ids);
  });

  it.skipIf(!mayMount())('is replaced on a full disk too', async () => {
    const { folder } = tls.files;
    await mountDisk(folder, 1);
    await chmod(folder, 0o700);
    try {
      tls.stored.set(SECOND, mismatched);
      await tls.keeper.load();
      await fillDisk(folder);
      const checked = await checkGuarded(bin, tls.proxy.paths.config, (output) => tls.keeper.substitute(output));
      expect(checked.valid).toBe(true);
      expect(tls.keeper.problems()).toEqual([expect.stringMatching(/^HAProxy refuses certificate c-bbbbbbbbbb, /)]);
    } finally {
      await unmountDisk(folder);
    }
  });

  dealtIt('on disk alone is written again from the database', async () => {
    await writeFile(tls.keeper.pathOf(FIRST), 'damaged');
    expect((await check()).valid).toBe(true);
    expect(tls.keeper.problems()).toEqual([]);
    expect(await readFile(tls.keeper.pathOf(FIRST), 'utf8')).toBe(good.pem.reveal());
  });

  dealtIt(
    'because it was missing or damaged on disk during the check is written back, and is not replaced',
    async () => {
      const { files, keeper } = tls;
      const paths = [keeper.pathOf(FIRST), files.list, files.defaultCertificate];
      const cases = [
        ...paths.map((path) => ({ change: () => rm(path), meanwhile: async () => undefined })),
        ...paths.map((path) => ({ change: () => rm(path), meanwhile: () => keeper.refresh() })),
        { change: () => writeFile(keeper.pathOf(FIRST), 'damaged'), meanwhile: async () => undefined },
      ];
      for (const { change, meanwhile } of cases) {
        await change();
        const numbers: number[] = [];
        const { valid } = await checkGuarded(bin, tls.proxy.paths.config, async (output, refused) => {
          numbers.push(refused.number);
          await meanwhile();
          return await keeper.substitute(output, refused);
        });
        expect([valid, numbers]).toEqual([true, [1]]);
      }
      expect(keeper.problems()).toEqual([]);
      expect(await readFile(keeper.pathOf(FIRST), 'utf8')).toBe(good.pem.reveal());
    },
  );

  dealtIt('because another process removes it again and again is replaced, so that a block is enforced', async () => {
    const path = tls.keeper.pathOf(FIRST);
    await rm(path);
    const { valid } = await checkGuarded(bin, tls.proxy.paths.config, async (output, refused) => {
      const isChanged = await tls.keeper.substitute(output, refused);
      if (refused.number < 4) await rm(path);
      return isChanged;
    });
    expect(valid).toBe(true);
    expect(tls.keeper.problems()).toEqual([expect.stringMatching(/^HAProxy refuses certificate c-aaaaaaaaaa, /)]);
    // HAProxy has nothing against it, so it does not wait for the next complete comparison.
    expect(tls.keeper.isBehind).toBe(true);
    expect(await tls.keeper.restore(false)).toEqual([FIRST]);
    expect(tls.keeper.problems()).toEqual([]);
  });

  dealtIt('stays replaced when the service is started again, and comes back once HAProxy accepts it', async () => {
    tls.stored.set(SECOND, mismatched);
    await tls.keeper.put(mismatched);
    expect((await check()).valid).toBe(true);
    const restarted = await tls.restarted();
    // HAProxy may be started by its unit meanwhile.
    expect((await checkGuarded(bin, tls.proxy.paths.config, undefined)).valid).toBe(true);
    expect(restarted.problems()).toEqual([
      expect.stringMatching(/^HAProxy refuses certificate c-bbbbbbbbbb, .*inconsist/),
    ]);
    tls.stored.set(SECOND, other);
    expect((await tls.restarted()).problems()).toEqual([]);
    expect(await readFile(tls.keeper.pathOf(SECOND), 'utf8')).toBe(other.pem.reveal());
  });

  it.each(['known', 'not known'].filter((_, index) => isDealtTo(bin, index)))(
    'and a default certificate that it refuses too are replaced if its output is %s',
    async (what) => {
      const operators = `${tls.proxy.paths.folder}/operators.pem`;
      await writeFile(operators, good.pem.reveal());
      const config = await readFile(tls.proxy.paths.config, 'utf8');
      await writeFile(tls.proxy.paths.config, config.replace(tls.files.defaultCertificate, operators));
      tls.stored.set(SECOND, mismatched);
      await tls.keeper.put(mismatched);
      expect((await check()).valid).toBe(true);
      await writeFile(tls.files.defaultCertificate, 'of the operator');
      if (what === 'known') expect((await check()).valid).toBe(true);
      else expect(await tls.keeper.substitute(null)).toBe(true);
      expect((await checkGuarded(bin, tls.proxy.paths.config, undefined)).valid).toBe(true);
      expect(await readFile(`${tls.files.defaultCertificate}.refused`, 'utf8')).toBe('of the operator');
    },
  );

  dealtIt('as the default certificate is replaced by a new one, and kept', async () => {
    await writeFile(tls.files.defaultCertificate, 'of the operator');
    expect((await check()).valid).toBe(true);
    expect(await readFile(`${tls.files.defaultCertificate}.refused`, 'utf8')).toBe('of the operator');
  });

  dealtIt('is not one that is only named', async () => {
    const named = `[WARNING]  (1) : '${tls.keeper.pathOf(FIRST)}' is weak\n[ALERT]    (1) : something else\n`;
    expect(await tls.keeper.substitute(named)).toBe(false);
    await tls.keeper.put(mismatched);
    const both = `[ALERT]    (1) : '${tls.keeper.pathOf(FIRST)}' and '${tls.keeper.pathOf(SECOND)}'\n`;
    expect(await tls.keeper.substitute(both)).toBe(true);
    expect(tls.keeper.problems()).toEqual([expect.stringMatching(/^HAProxy refuses certificate c-bbbbbbbbbb, /)]);
    // The check of each accepts them, so that it is the complete configuration that refuses.
    expect(await tls.keeper.substitute(both)).toBe(true);
    expect(tls.keeper.problems()).toHaveLength(2);
  });

  dealtIt('that is not ours is left as it is', async () => {
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
    const refuse = async (output: string | null) => outputs.push(String(output)) < 3;
    expect((await checkGuarded('/bin/false', '/dev/null', refuse)).valid).toBe(false);
    expect(outputs).toHaveLength(3);
  });
});
