// The certificate of a service that dies at crash points: in database, files and worker it is one version, or gone.
import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../conditions.ts';
import type { RealService } from '../real-service.ts';
import { madeCertificate, servedSha1 } from './made-certificate.ts';

const NAME = 'crash.example';

export class CrashCertificates {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** The request that uploads, or replaces. */
  async upload(service: RealService): Promise<unknown> {
    const { certificate, privateKey } = madeCertificate([NAME]);
    const body = { certificate, private_key: privateKey };
    const id = await this.#id(service);
    return id === null
      ? await service.call('POST', '/api/certificates', { body })
      : await service.call('PUT', `/api/certificates/${id}`, { body });
  }

  /** The request that removes, after an upload if there is none. */
  async remove(service: RealService): Promise<unknown> {
    if ((await this.#id(service)) === null) await this.upload(service);
    return await service.call('DELETE', `/api/certificates/${await this.#id(service)}`);
  }

  async expectAgreement(service: RealService): Promise<void> {
    const id = await this.#id(service);
    const folder = join(service.paths.prefix, 'etc/proxy/tls');
    const ids = id === null ? [] : [id];
    const files = (await readdir(folder)).filter((name) => name.startsWith('c-'));
    const list = await readFile(join(folder, 'certificates.list'), 'utf8');
    expect({ files, list }).toEqual({
      files: ids.map((one) => `${one}.pem`),
      list: ids.map((one) => `${join(folder, one)}.pem\n`).join(''),
    });
    const pem = await readFile(join(folder, id === null ? 'default.pem' : `${id}.pem`), 'utf8');
    const sha1 = sha1Of(pem);
    if (id !== null) expect(sha1Of((await service.call('GET', `/api/certificates/${id}/chain`)).text)).toBe(sha1);
    // A new worker, or one that missed the change, is compared soon.
    await eventually('what the file has is served', async () => (await servedSha1(this.port, NAME)) === sha1);
  }

  async #id(service: RealService): Promise<string | null> {
    const { body } = await service.call<{ items: { id: string }[] }>('GET', '/api/certificates');
    return body.items[0]?.id ?? null;
  }
}

function sha1Of(pem: string): string {
  return new X509Certificate(pem).fingerprint.replaceAll(':', '');
}
