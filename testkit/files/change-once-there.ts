import { watch, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Writes `content` into a file as soon as another process can see that it was made or replaced; resolves then. */
export async function changeOnceThere(path: string, content: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const watcher = watch(dirname(path), (_event, name) => {
    if (name !== basename(path)) return;
    watcher.close();
    writeFileSync(path, content);
    resolve();
  });
  watcher.on('error', reject);
  await promise;
}
