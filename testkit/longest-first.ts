// Without an earlier run vitest starts the largest files first, which leaves the longest, short files that make
// hundreds of starts, to the end, where one core idles.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. A missing file only starts later. */
const longest = [
  'panel-pages.test.ts',
  'starts.test.ts',
  'crash-points.test.ts',
  'panel.test.ts',
  'sites.test.ts',
  'shutdown.test.ts',
  'deaths.test.ts',
  'cli.test.ts',
  'panel-certificates.test.ts',
  'errors.test.ts',
  'hostile-clients.test.ts',
  'fail2ban.test.ts',
  'api-examples.test.ts',
  'config.test.ts',
  'attach.test.ts',
  'refused-starts.test.ts',
  'upstreams.test.ts',
  'degrading.test.ts',
  'chaos.test.ts',
  'bench.test.ts',
  'races.test.ts',
  'panel-session.test.ts',
  'load.test.ts',
  'worker-reconciler.test.ts',
  'crash-first-start.test.ts',
  'runtime-certificates.test.ts',
  'reload-waiting-block.test.ts',
  'traffic.test.ts',
  'acme.test.ts',
  'socket-faults.test.ts',
  'torn-map.test.ts',
  'hostile-values.test.ts',
  'certificates.test.ts',
  'docs.test.ts',
  'listen-tls.test.ts',
  'power-cut.test.ts',
  'storage-faults.test.ts',
  'counting-proxies.test.ts',
  'undo.test.ts',
  'site-names.test.ts',
  'reloader.test.ts',
  'panel-sites.test.ts',
  'panel-attached.test.ts',
  'activity.test.ts',
  'safe-reload.test.ts',
  'certificate-operations.test.ts',
  'page.test.tsx',
  'sources.test.ts',
  'alerts.test.ts',
  'claims-model.test.ts',
  'take-over.test.ts',
  'reload-guard.test.ts',
  'unprivileged.test.ts',
  'sync.test.ts',
  'https.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(basename(moduleId));
      return at === -1 ? longest.length : at;
    };
    // Stable: the others keep vitest's order.
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
