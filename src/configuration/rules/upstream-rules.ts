import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { bindLinesOf } from './front-ends.ts';
import { type ProxySection, proxySections } from './proxy-sections.ts';

const lookupVariable = 'set-var(txn.pm_upstream)';

/** Whether each request is looked up in the upstream map: the first of the rules for upstreams. */
function looksUpUpstreams({ lines }: ProxySection, upstreamsMap: string): boolean {
  const lookup = `src,map_ip_int(${upstreamsMap},0)`;
  return lines.some(
    ({ words: [rule, action, value, ...condition], conditional }) =>
      !conditional &&
      rule === 'http-request' &&
      action === lookupVariable &&
      (value === lookup || value?.startsWith(`${lookup},`) === true) &&
      condition.length === 0,
  );
}

/** Names of front ends for HTTP in which an upstream would have no effect. */
export function frontEndsWithoutUpstreams(text: string, upstreamsMap: string): string[] {
  return proxySections([{ path: '', text }])
    .filter(({ kind, mode }) => (kind === 'frontend' || kind === 'listen') && mode === 'http')
    .filter((section) => bindLinesOf(section).length > 0 && !looksUpUpstreams(section, upstreamsMap))
    .map(({ name }) => name);
}

/** Errors: 6051. */
export function requireUpstreamRules(
  text: string,
  { upstreamsMap }: { readonly upstreamsMap: string },
  templateName: string,
): void {
  const without = frontEndsWithoutUpstreams(text, upstreamsMap);
  if (without.length === 0) return;
  const detail = `${templateName} renders a configuration in which ${without.length === 1 ? 'the front end' : 'the front ends'} ${without.join(', ')} would not look up upstreams; add their rules to the template, as in docs/template.md`;
  throw new ServiceError(codes.UpstreamRulesMissing, 'render configuration', detail, { members: { output: detail } });
}
