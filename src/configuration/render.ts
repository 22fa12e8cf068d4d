import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Site } from '../domain/site.ts';
import { ServiceError } from '../errors/service-error.ts';
import { acceptedRule, findBlockedRule } from './blocked-rule.ts';
import { type MachineFacts, readMachineFacts, type ScopeSite, scopeOf, scopeSite } from './render-scope.ts';
import { contentAddressed, type NamedFile } from './sites-map.ts';
import { renderTemplate, TemplateRefused } from './template-engine.ts';
import { refuseUnlessPlain, ValueRefused } from './template-values.ts';

export interface RenderInput {
  readonly blockedMap: string;
  readonly trustedMap: string;
  /** What the front end binds, each as HAProxy writes an address: `:80`, `127.0.0.1:8080`, `[::]:80`. */
  readonly httpBind: readonly string[];
  readonly statsSocket: string;
  /** A number and a unit of `ms`, `s`, `m`, `h`, `d`, `w`; at most 24 days. */
  readonly hardStopAfter: string;
  /** How many connections one untrusted source may have at once; null or left out: no limit. */
  readonly connectionsPerSource?: number | null;
  readonly sites: Iterable<Site> | AsyncIterable<Site>;
  /** Such as `/etc/proxy/sites.map`; the map itself is named after its content beside it. */
  readonly sitesMapBase: string;
  /**
   * Where the answer to `show servers state` is kept, written before every reload. With it a new worker begins with
   * the addresses the old one had found; without it a server found through DNS answers 503 until DNS has answered.
   * It must exist: HAProxy 2.6 warns when it does not.
   */
  readonly serverStateFile?: string;
  /** What the machine says; read from it when left out. */
  readonly machine?: MachineFacts;
}

export interface RenderedConfiguration {
  readonly text: string;
  /** Of `text`, hexadecimal. */
  readonly sha256: string;
  /** What the configuration names beside itself; to be written before it is validated. */
  readonly files: readonly NamedFile[];
  /** What the operator of a template should know; empty for the built-in one. */
  readonly warnings: readonly string[];
}

const operation = 'configuration.render';
/** Sites turned into plain data between two turns of the event loop; a few ms of work. */
const sitesPerSlice = 200;

/**
 * Renders a template into a configuration. The same input gives the same bytes: sites are sorted, no time is printed.
 *
 * `engine` turns template and variables into the text.
 *
 * Throws ServiceError 5001 (the template, or a value in it, is refused; members: `output`, and `line` where there is
 * one) or 5003 (the result has no rule for the blocked map).
 */
export async function renderConfiguration(
  template: string,
  templateName: string,
  input: RenderInput,
  engine: typeof renderTemplate = renderTemplate,
): Promise<RenderedConfiguration> {
  const machine = input.machine ?? (await readMachineFacts());
  try {
    const sites = await plainSites(input.sites, machine);
    const sitesMap = contentAddressed(input.sitesMapBase, sitesMapContent(sites));
    const { sites: _checked, ...rest } = scopeOf(input, sites, sitesMap.path, machine);
    refuseUnlessPlain(rest, '');
    if (rest.http_bind.length === 0) throw new ValueRefused('http_bind is empty: the proxy would listen nowhere');
    const text = await engine(template, { ...rest, sites });
    const { warnings } = checkResult(text, templateName, input);
    return { text, sha256: createHash('sha256').update(text).digest('hex'), files: [sitesMap], warnings };
  } catch (error) {
    if (error instanceof TemplateRefused) throw refusal(`${templateName}: ${error.message}`, error, error.line);
    if (error instanceof ValueRefused) throw refusal(error.message, error, null);
    throw error;
  }
}

function refusal(message: string, cause: Error, line: number | null): ServiceError {
  const members = line === null ? { output: message } : { output: message, line };
  return new ServiceError(5001, operation, `The template could not be rendered: ${message}`, { cause, members });
}

function checkResult(text: string, templateName: string, input: RenderInput): { warnings: readonly string[] } {
  if (text.includes('\0')) throw new TemplateRefused('the result holds a NUL character', null);
  if (!text.endsWith('\n')) {
    throw new TemplateRefused('the result does not end in a newline, so its last line could be cut short unseen', null);
  }
  const finding = findBlockedRule(text, input.blockedMap, input.trustedMap);
  if (finding.lines.length === 0) {
    const wanted = acceptedRule(input.blockedMap, input.trustedMap);
    const detail = `${templateName} renders a configuration without the rule for the blocked map, so no block would be enforced. A frontend needs this line, with no other condition in it: ${wanted}`;
    throw new ServiceError(5003, operation, detail, { members: { output: detail } });
  }
  return finding;
}

async function plainSites(sites: Iterable<Site> | AsyncIterable<Site>, machine: MachineFacts): Promise<ScopeSite[]> {
  const plain: ScopeSite[] = [];
  for await (const site of sites) {
    plain.push(scopeSite(site, machine.hosts));
    if (plain.length % sitesPerSlice === 0) await setImmediate();
  }
  return plain.sort((a, b) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0));
}

function sitesMapContent(sites: readonly ScopeSite[]): string {
  return `# Generated by proxy-manager: the backend of each site.\n${sites.map(({ domain, backend }) => `${domain} ${backend}\n`).join('')}`;
}
