import { Option } from 'commander';
import type { Certificate, CertificateRemoved, CertificateRequest } from '../../api/certificate-records.ts';
import { count, counted } from '../../domain/counted.ts';
import { openSource } from '../bulk/source.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { readPages, writePages } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { fromNow, minute } from '../output/times.ts';
import { shortList } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { orderVerbs } from './certificate-order.ts';

const maxLimit = 1_000_000_000;
/** More than the service accepts; less than a wrong file could have. */
const mostBytes = 1_048_576;
const soonMs = 14 * 86_400_000;

const keyHelp = 'file with the private key, or - for standard input; default: it is with the certificate';
const chainHelp = 'accept a chain that does not lead to a root: for clients that have the intermediate certificates';

export function certificateVerb(cli: CommandLine): Verb {
  const list = new Verb('list', 'list the certificates, those that expire first')
    .argument('[query]', 'part of a name, an id or the issuer; a host name also finds the wildcard above it')
    .addOption(new Option('--state <state>', 'only those in this state').choices(['active', 'expired']))
    .option(
      '--expires-within <duration>',
      'only those that expire within 14d, or have expired; exits 1 if there are any',
    )
    .example('certificate list', 'with the date that clients see')
    .example('certificate list --expires-within 14d', 'for a cron job: exits 1 if a certificate expires soon')
    .example('certificate list shop.example.com', 'which certificate a host name has');
  const show = new Verb('show', 'show a certificate, and which workers hold it')
    .argument('<id>')
    .option('--chain', 'print the certificate and its chain in PEM instead')
    .example('certificate show c-7f3kq2m4xa', 'with the sites that it is served for');
  const add = new Verb('add', 'upload a certificate')
    .argument('<file>', 'the certificate and its chain in PEM, in any order; - reads standard input')
    .option('--key <file>', keyHelp)
    .option('--allow-incomplete-chain', chainHelp)
    .example('certificate add fullchain.pem --key privkey.pem', 'exits 3 if a current worker does not serve it yet')
    .example('certificate add both.pem', 'a file with certificate, chain and key');
  const replace = new Verb('replace', 'replace a certificate by a renewed one; its id stays')
    .argument('<id>')
    .argument('<file>', 'the certificate and its chain in PEM, in any order; - reads standard input')
    .option('--key <file>', keyHelp)
    .option('--allow-incomplete-chain', chainHelp)
    .option('--force', 'also if an enabled site loses its certificate')
    .example('certificate replace c-7f3kq2m4xa fullchain.pem --key privkey.pem', 'without a reload');
  const remove = new Verb('remove', 'remove a certificate, with its private key')
    .argument('<id>')
    .option('--force', 'also if enabled sites are served with it')
    .example('certificate remove c-7f3kq2m4xa', 'it is refused while an enabled site uses it');
  const verify = new Verb('verify', 'verify that every worker serves a certificate, and install it again if not')
    .argument('<id>')
    .example('certificate verify c-7f3kq2m4xa', 'exits 3 if a current worker does not serve it');
  const verb = new Verb('certificate', 'manage the certificates that HAProxy serves')
    .addCommand(cli.calling(list, certificateList))
    .addCommand(cli.calling(show, certificateShow))
    .addCommand(cli.calling(add, certificateAdd))
    .addCommand(cli.calling(replace, certificateReplace))
    .addCommand(cli.calling(remove, certificateRemove))
    .addCommand(cli.calling(verify, certificateVerify));
  for (const one of orderVerbs(cli)) verb.addCommand(one);
  return verb;
}

const onInterruption = (): string => 'the service continues the change; see: proxy-manager certificate list';

interface CertificatePage {
  readonly items: readonly Certificate[];
  readonly next_cursor: string | null;
}

async function certificateList(session: Session, [q]: readonly string[], options: Options): Promise<ExitCode> {
  const { api, output, format, now } = session;
  const { state, expiresWithin } = options as { state?: 'active' | 'expired'; expiresWithin?: string };
  if (expiresWithin !== undefined) durationOf(expiresWithin, '--expires-within');
  const query = {
    ...(q !== undefined && { q }),
    ...(state !== undefined && { state }),
    ...(expiresWithin !== undefined && { expires_within: expiresWithin }),
  };
  let found = 0;
  const pages = readPages(output, maxLimit, async (range): Promise<CertificatePage> => {
    const { data } = await api.GET('/api/certificates', { params: { query: { ...query, ...range } } });
    found += data.items.length;
    return data;
  });
  if (format === 'json') await writePages(output, pages);
  else {
    const show = output.rows(certificateColumns(now()));
    for await (const { items } of pages) if (items.length > 0) await show(items);
    if (found === 0 && output.isTerminal) await output.lines(['no certificates']);
  }
  return expiresWithin !== undefined && found > 0 ? exitCodes.failed : exitCodes.done;
}

async function certificateShow(session: Session, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const params = { path: { id } };
  if (options['chain'] === true) {
    const { data } = await session.api.GET('/api/certificates/{id}/chain', { params, parseAs: 'text' });
    await session.output.write(data);
    return exitCodes.done;
  }
  const { data: answer } = await session.api.GET('/api/certificates/{id}', { params });
  await printAnswer(session, answer, () => certificateLines(answer, session.now()));
  return exitCodes.done;
}

async function certificateAdd(session: Session, [file = '']: readonly string[], options: Options): Promise<ExitCode> {
  const body = await uploadOf(session, file, options);
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.POST('/api/certificates', { body });
  await printAnswer(session, answer, () => [`${answer.id} is added`, ...certificateLines(answer, session.now())]);
  return exitCodeOf(answer);
}

async function certificateReplace(
  session: Session,
  [id = '', file = '']: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const body = await uploadOf(session, file, options);
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.PUT('/api/certificates/{id}', {
    params: { path: { id }, query: forceOf(options) },
    body,
  });
  const what = answer.changed ? 'is replaced' : 'is unchanged: it is the same certificate';
  await printAnswer(session, answer, () => [`${answer.id} ${what}`, ...certificateLines(answer, session.now())]);
  return exitCodeOf(answer);
}

async function certificateRemove(session: Session, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.DELETE('/api/certificates/{id}', {
    params: { path: { id }, query: forceOf(options) },
  });
  await printAnswer(session, answer, () => removedLines(answer));
  return answer.runtime_updated === true ? exitCodes.done : exitCodes.partly;
}

async function certificateVerify(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.POST('/api/certificates/{id}/verify', { params: { path: { id } } });
  await printAnswer(session, answer, () => certificateLines(answer, session.now()));
  return exitCodeOf(answer);
}

function forceOf(options: Options): { force?: true } {
  return options['force'] === true ? { force: true } : {};
}

/** @throws Failure */
async function uploadOf(session: Session, file: string, options: Options): Promise<CertificateRequest> {
  const { key, allowIncompleteChain } = options as { readonly key?: string; readonly allowIncompleteChain?: true };
  for (const [name, path] of [
    ['<file>', file],
    ['--key', key],
  ] as const) {
    // Not shown: it may be the key itself.
    if (path?.includes('-----BEGIN'))
      throw usageError(`${name} is the path of a file, or -; what is on the command line is visible to other users`);
  }
  if (file === '-' && key === '-') throw usageError('only one of <file> and --key can be standard input');
  const certificate = await contentOf(file, session);
  return {
    certificate,
    ...(key !== undefined && { private_key: await contentOf(key, session) }),
    ...(allowIncompleteChain === true && { allow_incomplete_chain: true }),
  };
}

/** @throws Failure */
async function contentOf(path: string, { stdin }: Session): Promise<string> {
  const source = await openSource(path, stdin);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source.read()) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Failure(`${source.name} is too large for a certificate; nothing was changed`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A handshake that was not possible proves nothing. */
function exitCodeOf({ runtime_updated: updated, handshake }: Certificate): ExitCode {
  return updated === true && handshake !== 'other' && handshake !== 'failed' ? exitCodes.done : exitCodes.partly;
}

export function certificateLines(certificate: Certificate, now: Date): string[] {
  const { id, names, issuer, self_signed: selfSigned, key_type: type, key_bits: bits, sha256, problem } = certificate;
  const { sites, sites_total: total, warnings } = certificate;
  return [
    `${id}: ${names.join(', ')}`,
    `  ${servedText(certificate, now)}`,
    `  ${selfSigned ? 'self-signed' : `issued by ${issuer}`}, ${type}${bits === null ? '' : ` with ${bits} bits`}`,
    `  sha256 ${sha256}`,
    total === 0 ? '  no site uses it' : `  used by ${counted(total, 'site')}: ${shortList(sites)}`,
    ...installationLines(certificate),
    ...(problem === null ? [] : [`  problem: ${problem}`]),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ];
}

function servedText({ served_until: served, not_after: end, state }: Certificate, now: Date): string {
  const until = (iso: string) => `${minute(iso)} (${fromNow(iso, now)})`;
  if (state === 'expired') return `expired ${until(end)}`;
  if (served === null) return `valid until ${until(end)}; not known to be served`;
  if (served === end) return `served until ${until(served)}`;
  return `valid until ${until(end)}, but an earlier version is served, until ${until(served)}`;
}

function installationLines(certificate: Certificate): string[] {
  const { files, workers, runtime_updated: updated, reload_scheduled: scheduled } = certificate;
  const { handshake, handshake_reason: why } = certificate;
  const lines: string[] = [];
  if (updated === null) lines.push('  not checked in the workers yet');
  else if (updated)
    lines.push(
      `  ${counted(workers.filter(({ role }) => role === 'current').length, 'current worker')} read back to hold it`,
    );
  for (const { pid, role, holds, reason } of workers)
    if (!holds) lines.push(`  ${role} worker ${pid} does not hold it: ${reason ?? 'unknown'}`);
  if (files === 'pending') lines.push('  the file could not be written; the service retries');
  if (handshake === 'seen') lines.push('  a TLS connection to HAProxy got it');
  else if (handshake !== null) lines.push(`  TLS connection to HAProxy: ${handshake}: ${why ?? 'unknown'}`);
  if (scheduled) lines.push('  a reload is scheduled');
  return lines;
}

function removedLines(answer: CertificateRemoved): string[] {
  const { id, names, sites, sites_total: total, workers, runtime_updated: updated, reload_scheduled } = answer;
  const { kept_files: keptFiles } = answer;
  const lines = [`${id} is removed: ${names.join(', ')}`];
  if (total > 0) lines.push(`without a certificate of their own now: ${shortList(sites)}`);
  if (updated !== true) {
    lines.push('not verified in every current worker; the service retries');
    for (const { pid, role, reason } of workers)
      if (role === 'current' && reason !== null) lines.push(`  worker ${pid}: ${reason}`);
  }
  if (reload_scheduled) lines.push('a reload is scheduled');
  for (const file of keptFiles) lines.push(`not deleted, as it may be the only copy of a key: ${file}`);
  return lines;
}

export function certificateColumns(now: Date): readonly Column<Certificate>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    {
      title: 'SERVED UNTIL',
      text: ({ served_until: at }) => (at === null ? 'not known' : fromNow(at, now)),
      plain: ({ served_until: at }) => at ?? '',
      style: (certificate) => endStyle(certificate, now),
    },
    {
      title: 'EXPIRES',
      text: ({ not_after: at }) => fromNow(at, now),
      plain: ({ not_after: at }) => at,
    },
    {
      title: 'WORKERS',
      text: workersText,
      style: ({ runtime_updated: updated }) => (updated === true ? 'good' : 'warning'),
    },
    { title: 'SITES', text: ({ sites_total: total }) => count(total) },
    { title: 'NAMES', text: ({ names }) => names.join(' '), mayShrink: true },
    { title: 'ISSUER', text: ({ issuer, self_signed }) => (self_signed ? 'self-signed' : issuer), mayShrink: true },
    { title: 'PROBLEM', text: ({ problem }) => problem ?? '', mayShrink: true },
  ];
}

function workersText({ workers, runtime_updated: updated }: Certificate): string {
  if (updated === null) return 'not checked';
  const current = workers.filter(({ role }) => role === 'current');
  return `${current.filter(({ holds }) => holds).length} of ${current.length}`;
}

function endStyle({ served_until: served, not_after: end }: Certificate, now: Date): Style {
  const left = Date.parse(served ?? end) - now.getTime();
  if (left <= 0) return 'error';
  return left < soonMs || served === null ? 'warning' : 'good';
}
