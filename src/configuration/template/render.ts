import { createHash } from 'node:crypto';
import { yieldToLoop } from '../../concurrency/pause.ts';
import type { Site } from '../../domain/site.ts';
import { hostNamesOf } from '../../domain/site-names.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { acceptedRule, findBlockedRule, upstreamUsesIn } from '../rules/blocked-rule.ts';
import { otherDenialWarnings } from '../rules/other-denials.ts';
import { lackText } from '../rules/upstream-use.ts';
import { namesMapContent, namesMapLines } from './names-map.ts';
import {
  type MachineFacts,
  type RenderInput,
  readMachineFacts,
  type ScopeSite,
  scopeOf,
  scopeSite,
} from './render-scope.ts';
import { contentAddressed, type NamedFile } from './sites-map.ts';
import { renderTemplate, TemplateRefused } from './template-engine.ts';
import { refuseUnlessPlain, ValueRefused } from './template-values.ts';

export interface RenderedConfiguration {
  readonly text: string;
  /** Of `text`, hexadecimal. */
  readonly sha256: string;
  /** Write them before the configuration is validated. */
  readonly files: readonly NamedFile[];
  readonly warnings: readonly string[];
}

const operation = 'render configuration';
/** Sites converted per turn of the event loop; a few ms of work. */
const sitesPerSlice = 200;

/**
 * Renders a template into a configuration. The same input gives the same bytes: sites are sorted, no time is printed.
 *
 * Throws ServiceError 5001 (template or a value in it refused; members: `output`, and `line` if known), 5003 (the
 * result has no rule for the blocked map) or 6051 (a front end of the result would check upstreams as clients).
 */
export async function renderConfiguration(
  template: string,
  templateName: string,
  input: RenderInput,
  engine: typeof renderTemplate = renderTemplate,
): Promise<RenderedConfiguration> {
  const machine = input.machine ?? (await readMachineFacts());
  try {
    const { sites, names } = await plainSites(input.sites, machine);
    const namesMap = contentAddressed(input.sitesMapBase, namesMapContent(names));
    const sitesMap = contentAddressed(input.sitesMapBase, sitesMapContent(sites));
    const hasWildcards = names.some((line) => line.startsWith('*.'));
    const maps = { names_map: namesMap.path, has_wildcards: hasWildcards, sites_map: sitesMap.path };
    const { sites: _checked, ...rest } = scopeOf(input, sites, maps, machine);
    refuseUnlessPlain(rest, '');
    if (rest.http_bind.length === 0)
      throw new ValueRefused('http_bind is empty: HAProxy would not listen on any address');
    const text = await engine(template, { ...rest, sites });
    const { warnings } = checkResult(text, templateName, input);
    const { file = null, counted = null, refusal = null } = input.deniedPage ?? {};
    const pages = [file, counted].filter((page) => page !== null);
    return {
      text,
      sha256: createHash('sha256').update(text).digest('hex'),
      files: [namesMap, sitesMap, ...pages].filter(({ path }) => text.includes(path)),
      warnings: refusal === null ? warnings : [refusal, ...warnings],
    };
  } catch (error) {
    if (error instanceof TemplateRefused) throw refusal(`${templateName}: ${error.message}`, error, error.line);
    if (error instanceof ValueRefused) throw refusal(error.message, error, null);
    throw error;
  }
}

function refusal(message: string, cause: Error, line: number | null): ServiceError {
  const members = line === null ? { output: message } : { output: message, line };
  return new ServiceError(codes.TemplateRefused, operation, `the template could not be rendered: ${message}`, {
    cause,
    members,
  });
}

function checkResult(text: string, templateName: string, input: RenderInput): { warnings: readonly string[] } {
  if (text.includes('\0')) throw new TemplateRefused('the result contains a NUL character', null);
  if (!text.endsWith('\n')) {
    throw new TemplateRefused(
      'the result does not end in a newline, so a truncated last line would go unnoticed',
      null,
    );
  }
  const finding = findBlockedRule(text, input);
  if (finding.lines.length === 0) {
    const wanted = acceptedRule(input.blockedMap, input.trustedMap);
    const detail = `${templateName} renders a configuration without the rule for the blocked map, so no block would be enforced. A frontend needs this line, with no other condition in it: ${wanted}`;
    throw new ServiceError(codes.BlockedRuleMissing, operation, detail, { members: { output: detail } });
  }
  // A template need not support the PROXY protocol. Without the rule for the blocked map, a front end lacks it too.
  const unaware = input.hasUpstreams ? upstreamUsesIn(text, input).flatMap((use) => lackText(use, false) ?? []) : [];
  if (unaware.length > 0) {
    const detail = `${templateName} renders a configuration that cannot check the clients of upstreams: ${unaware.join('; ')} (docs/template.md, "Upstreams")`;
    throw new ServiceError(codes.UpstreamRulesMissing, operation, detail, { members: { output: detail } });
  }
  return { warnings: [...finding.warnings, ...otherDenialWarnings(text, input)] };
}

/** Sorted by domain: the sites that servers answer, and the lines of the names of all. */
async function plainSites(
  input: Iterable<Site> | AsyncIterable<Site>,
  machine: MachineFacts,
): Promise<{ readonly sites: ScopeSite[]; readonly names: readonly string[] }> {
  const sites: ScopeSite[] = [];
  const named: { readonly domain: string; readonly lines: readonly string[] }[] = [];
  for await (const site of input) {
    const plain = scopeSite(site, machine.hosts);
    if (site.enabled !== false && !site.redirect) sites.push(plain);
    named.push({ domain: site.domain, lines: namesMapLines(site, plain.backend) });
    if (named.length % sitesPerSlice === 0) await yieldToLoop();
  }
  return { sites: sites.sort(byDomain), names: named.sort(byDomain).flatMap(({ lines }) => lines) };
}

function byDomain(a: { readonly domain: string }, b: { readonly domain: string }): number {
  return a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0;
}

/** Without wildcards: templates that use this map look up the Host alone. */
function sitesMapContent(sites: readonly ScopeSite[]): string {
  const lines = sites.flatMap((site) => hostNamesOf(site).map((name) => `${name} ${site.backend}\n`));
  return `# Generated by proxy-manager: the backend of each site.\n${lines.join('')}`;
}
