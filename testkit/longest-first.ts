// One project after the other, and in each the longest file first. A worker process serves one project: where files of
// several alternate, each needs a new one, which loads all modules again. Without an earlier run vitest starts the largest
// files first, which leaves the longest, short files that make hundreds of starts, to the end, where one core idles.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files last, so that all workers end together. */
const projects = ['whole', 'components', 'parts'];

/** The longest first. A missing file only starts later. */
const longest = [
  'degrading.test.ts',
  'panel.test.ts',
  'panel-pages.test.ts',
  'upstreams.test.ts',
  'api-examples.test.ts',
  'config.test.ts',
  'starts.test.ts',
  'sites.test.ts',
  'refused-starts.test.ts',
  'cli.test.ts',
  'chaos.test.ts',
  'crash-points.test.ts',
  'site-names.test.ts',
  'unprivileged.test.ts',
  'panel-certificates.test.ts',
  'certificate-operations.test.ts',
  'activity.test.ts',
  'fail2ban.test.ts',
  'panel-overview.test.ts',
  'deaths.test.ts',
  'attach.test.ts',
  'alerts.test.ts',
  'shutdown.test.ts',
  'certificates.test.ts',
  'panel-session.test.ts',
  'attached-certificates.test.ts',
  'errors.test.ts',
  'lets-encrypt-page.test.ts',
  'socket-faults.test.ts',
  'sync.test.ts',
  'listen-tls.test.ts',
  'torn-map.test.ts',
  'storage-faults.test.ts',
  'reload-waiting-block.test.ts',
  'power-cut.test.ts',
  'bench.test.ts',
  'page.test.tsx',
  'orders.test.tsx',
  'import-dialog.test.tsx',
  'unblock-dialog.test.tsx',
  'block-dialog.test.tsx',
  'reload-guard.test.ts',
  'sources.test.ts',
  'limits.test.ts',
  'take-over.test.ts',
  'runtime-certificates.test.ts',
  'claims-model.test.ts',
  'bulk-runner-interrupted.test.ts',
  'bounds.test.ts',
  'hostile-values.test.ts',
  'list-rules.test.ts',
  'issuance.test.ts',
  'safe-reload.test.ts',
  'undo.test.ts',
  'worker-reconciler.test.ts',
  'site-tls.test.ts',
  'bulk-store.test.ts',
  'listen.test.ts',
  'bulk.test.ts',
  'year.test.ts',
  'reloader.test.ts',
  'run.test.ts',
  'settings.test.ts',
  'order-ages.test.ts',
  'interrupted-orders.test.ts',
  'running-proxy.test.ts',
  'map-replacement.test.ts',
  'https-rules.test.ts',
  'template.test.ts',
];

type TestFile = Pick<TestSpecification, 'moduleId'> & { readonly project: { readonly name: string } };

/** Stable: what has the same place keeps its order. */
export function longestFirst<T extends TestFile>(files: readonly T[]): T[] {
  const place = ({ project, moduleId }: T): number => {
    const at = longest.indexOf(basename(moduleId));
    return projects.indexOf(project.name) * 1_000 + (at === -1 ? longest.length : at);
  };
  return files.toSorted((one, other) => place(one) - place(other));
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files));
  }
}
