// Why a call did not succeed, in words that say what to do.
import { ApiProblem, ApiUnreachable } from '../../client/client.ts';
import { problemCodes } from '../../client/problem-codes.ts';
import { type ExitCode, exitCodes, Failure, HalfDone } from '../failure.ts';
import { count, counted } from '../output/times.ts';

export interface Told {
  readonly message: string;
  /** For `-o json`: the problem as it came, or one like it. */
  readonly document: unknown;
  readonly exitCode: ExitCode;
}

/** Where the call went and with which key, as far as that was known; never the key. */
export interface Asked {
  readonly url: string | null;
  readonly keySource: string | null;
}

/** @throws the error itself where it is none that a person could have caused */
export function tellFailure(error: unknown, asked: Asked): Told {
  if (error instanceof HalfDone) {
    const cause = tellFailure(error.cause, asked);
    const document = { ...error.done, cause: cause.document };
    return { message: `${error.message}\n${cause.message}`, document, exitCode: error.exitCode };
  }
  if (error instanceof Failure) return { message: error.message, document: error.document, exitCode: error.exitCode };
  if (error instanceof ApiProblem) {
    return { message: problemText(error, asked), document: error.problem, exitCode: exitCodes.failed };
  }
  if (error instanceof ApiUnreachable) {
    const message = unreachableText(error, asked);
    return { message, document: { title: message, status: null, reason: error.reason }, exitCode: exitCodes.failed };
  }
  throw error;
}

function problemText(error: ApiProblem, { keySource, url }: Asked): string {
  const { code, problem, requestId, retryAfterSeconds } = error;
  if (code === problemCodes.unauthorized) {
    return `${url} refused the API key from ${keySource}: it is none of that service, or it is expired or revoked`;
  }
  const lines = [`${detailOf(error)}${wait(error.message, retryAfterSeconds)}`];
  const { output, covered_by: coveredBy } = problem;
  const covering = Array.isArray(coveredBy) ? coveredBy.join(', ') : '';
  if (covering !== '' && !error.message.includes(`covered by ${covering}`)) lines.push(`it is covered by ${covering}`);
  // HAProxy's own words.
  if (typeof output === 'string' && output.trim() !== '' && !error.message.includes(output.trim()))
    lines.push(output.trim());
  lines.push(...afterReload(problem));
  lines.push(`(code ${code}${requestId === null ? '' : `, request ${requestId}`})`);
  return lines.join('\n');
}

/** Of a reload that was refused, or not confirmed: what is in force now, where its message does not say it. */
function afterReload({ restored, restore_failure: failure, detail }: ApiProblem['problem']): string[] {
  if (typeof restored !== 'boolean' || detail?.includes('in force')) return [];
  if (typeof failure === 'string') return detail?.includes(failure) ? [] : [`and what followed failed too: ${failure}`];
  return restored ? ['the configuration that was good before is in force'] : [];
}

/** Where the API says which field to send, its flag here. */
function detailOf(error: ApiProblem): string {
  switch (error.code) {
    case problemCodes.setWouldShrink:
      return `${shrinkText(error)}; nothing was changed. --allow-shrink does it all the same`;
    case problemCodes.coveredByTrusted:
      return `${error.message.replace(/; send force .*$/, '')}; --even-trusted stores it all the same`;
    case problemCodes.wideNetwork:
      return `${error.message.replace(/; if that is meant, send .*$/, '')}; --allow-wide blocks it all the same`;
    case problemCodes.noSuchEndpoint:
      return `${error.message}: this service may be older than this command line`;
    default:
      return error.message;
  }
}

function wait(message: string, seconds: number | null): string {
  return seconds === null || message.includes('try again') ? '' : `; try again in ${seconds} s`;
}

function unreachableText({ reason, message }: ApiUnreachable, { url }: Asked): string {
  switch (reason) {
    case 'refused':
      return `${message}; is the service running there? Another address goes with --url or PROXY_MANAGER_URL`;
    case 'timeout':
    case 'broken':
      return `${message}; whether it was done is not known, see: proxy-manager status`;
    case 'stranger':
      return `${url}: ${message}`;
    case 'aborted':
      return message;
  }
}

/** `167,491 of 168,608 entries would go away, more than half of the set`; `all 12 entries would go away`. */
export function shrinkText({ problem, message }: ApiProblem): string {
  const { would_remove: going, current_total: total } = problem;
  if (typeof going !== 'number' || typeof total !== 'number') return message;
  if (going === total) return `all ${counted(total, 'entry', 'entries')} would go away`;
  return `${count(going)} of ${counted(total, 'entry', 'entries')} would go away, more than half of the set`;
}
