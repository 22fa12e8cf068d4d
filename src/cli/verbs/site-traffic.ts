import type { SiteTraffic } from '../../api/insight-records.ts';
import { count } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Column } from '../output/table.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function siteTrafficVerb(cli: CommandLine): Verb {
  const verb = new Verb(
    'traffic',
    'show what each site got in the last 24 hours: requests, errors, response time',
  ).example('site traffic', 'the site with most requests first');
  return cli.calling(verb, traffic);
}

async function traffic({ api, output, format }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/insight/sites');
  if (format === 'json') {
    await output.json(answer);
    return exitCodes.done;
  }
  const most = (site: SiteTraffic): number => site.requests ?? -1;
  await output.rows(siteColumns)(answer.items.toSorted((a, b) => most(b) - most(a)));
  if (!answer.complete && output.isTerminal)
    output.remark(output.paintRemark('dim', 'A part of the last 24 hours was not watched: there may have been more.'));
  return exitCodes.done;
}

export const siteColumns: readonly Column<SiteTraffic>[] = [
  known('REQUESTS 24H', ({ requests }) => requests),
  known('5XX', ({ server_errors: errors }) => errors),
  known('RESPONSE MS', ({ response_ms: ms }) => ms),
  known('DENIED (ESTIMATED)', ({ denied }) => denied),
  { title: 'SITE', text: ({ site }) => site },
];

/** Empty where it is not known, which is shown as a dash. */
function known(title: string, of: (site: SiteTraffic) => number | null): Column<SiteTraffic> {
  const text = (site: SiteTraffic, write: (value: number) => string): string => {
    const value = of(site);
    return value === null ? '' : write(value);
  };
  return { title, text: (site) => text(site, count), plain: (site) => text(site, String) };
}
