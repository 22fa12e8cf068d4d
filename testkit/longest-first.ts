// Without an earlier run vitest starts the largest files first, which leaves the longest, short files that make
// hundreds of starts, to the end, where one core idles.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ten seconds and more, the longest first. A missing file only starts later. */
const longest = [
  'panel-pages.test.ts',
  'starts.test.ts',
  'crash-points.test.ts',
  'panel.test.ts',
  'cli.test.ts',
  'fail2ban.test.ts',
  'degrading.test.ts',
  'deaths.test.ts',
  'attach.test.ts',
  'shutdown.test.ts',
  'panel-session.test.ts',
  'traffic.test.ts',
  'load.test.ts',
  'config.test.ts',
  'socket-faults.test.ts',
  'unprivileged.test.ts',
  'activity.test.ts',
  'storage-faults.test.ts',
  'reload-waiting-block.test.ts',
  'sync.test.ts',
  'sites.test.ts',
  'chaos.test.ts',
  'crash-first-start.test.ts',
  'races.test.ts',
  'refused-starts.test.ts',
  'bench.test.ts',
  'acme.test.ts',
  'upstreams.test.ts',
  'installer.test.ts',
  'torn-map.test.ts',
  'api-examples.test.ts',
  'certificates.test.ts',
  'certificate-operations.test.ts',
  'panel-sites.test.ts',
  'listen-tls.test.ts',
  'site-names.test.ts',
  'https.test.ts',
  'power-cut.test.ts',
  'master-contract.test.ts',
  'reload-guard.test.ts',
  'worker-reconciler.test.ts',
  'hostile-values.test.ts',
  'hostile-clients.test.ts',
  'errors.test.ts',
  'panel-certificates.test.ts',
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
