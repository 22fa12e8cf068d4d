import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../fault.ts';
import type { Random } from '../random.ts';

/** The file of any certificate that the service keeps; null: there is none yet. */
export async function anyCertificateFile({ service: { paths } }: Stack, random: Random): Promise<string | null> {
  const folder = join(paths.prefix, 'etc/proxy/tls');
  const files = (await readdir(folder)).filter((name) => /^c-\w+\.pem$/.test(name)).toSorted();
  return files.length === 0 ? null : join(folder, random.pick(files));
}
