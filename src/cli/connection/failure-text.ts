import { ApiProblem, ApiUnreachable, type CallFailure } from '../../client/client.ts';
import { problemCodes } from '../../client/problem-codes.ts';
import { count, counted } from '../../domain/counted.ts';
import { type ExitCode, exitCodes, Failure, PartialFailure } from '../failure.ts';

interface FailureReport {
  readonly message: string;
  /** For `-o json`: the service's problem document, or one like it. */
  readonly document: unknown;
  readonly exitCode: ExitCode;
}

/** As far as known; never the key. */
interface CallContext {
  readonly url: string | null;
  readonly keySource: string | null;
}

/** Printed by `-o json`; scripts compare it. */
export const printedReasons: Readonly<Record<CallFailure, string>> = {
  refused: 'refused',
  timeout: 'timeout',
  broken: 'broken',
  foreign: 'stranger',
  aborted: 'aborted',
};

/** @throws the error itself if it is a defect of this program */
export function describeFailure(error: unknown, call: CallContext): FailureReport {
  if (error instanceof PartialFailure) {
    const cause = describeFailure(error.cause, call);
    const document = { ...error.done, cause: cause.document };
    return { message: `${error.message}\n${cause.message}`, document, exitCode: error.exitCode };
  }
  if (error instanceof Failure) return { message: error.message, document: error.document, exitCode: error.exitCode };
  if (error instanceof ApiProblem) {
    return { message: problemText(error, call), document: error.problem, exitCode: exitCodes.failed };
  }
  if (error instanceof ApiUnreachable) {
    const message = unreachableText(error, call);
    const document = { title: message, status: null, reason: printedReasons[error.reason] };
    return { message, document, exitCode: exitCodes.failed };
  }
  throw error;
}

function problemText(error: ApiProblem, { keySource, url }: CallContext): string {
  const { code, problem, requestId, retryAfterSeconds } = error;
  if (code === problemCodes.unauthorized) {
    return `${url} rejected the API key from ${keySource}: it is not a key of this service, or it has expired or was revoked`;
  }
  const lines = [withRetry(detailOf(error), retryAfterSeconds)];
  const { output, covered_by: coveredBy } = problem;
  const covering = Array.isArray(coveredBy) ? coveredBy.join(', ') : '';
  if (covering !== '' && !error.message.includes(`covered by ${covering}`)) lines.push(`it is covered by ${covering}`);
  if (typeof output === 'string' && output.trim() !== '' && !error.message.includes(output.trim()))
    lines.push(output.trim());
  lines.push(...afterReload(problem));
  lines.push(`(code ${code}${requestId === null ? '' : `, request ${requestId}`})`);
  return lines.join('\n');
}

/** After a failed reload: which configuration is active, unless the message says it. */
function afterReload({ restored, restore_failure: failure, detail }: ApiProblem['problem']): string[] {
  if (typeof restored !== 'boolean' || detail?.includes('in force')) return [];
  if (typeof failure === 'string')
    return detail?.includes(failure) ? [] : [`Restoring the previous configuration failed too: ${failure}`];
  return restored ? ['The last good configuration is in force.'] : [];
}

/** Names the flag of this program instead of the field of the API. */
function detailOf(error: ApiProblem): string {
  switch (error.code) {
    case problemCodes.setWouldShrink:
      return `${shrinkText(error)}; nothing was changed. To do it anyway, add --allow-shrink`;
    case problemCodes.coveredByTrusted:
      return `${withoutField(error.message)}; to store it anyway, add --even-trusted`;
    case problemCodes.wideNetwork:
      return `${withoutField(error.message)}; to block it anyway, add --allow-wide`;
    case problemCodes.claimedByList:
      if (!error.message.includes('trust_for')) return error.message;
      return `${withoutField(error.message)}; to allow it for a week, add --trust-for 7d (requires an admin key)`;
    case problemCodes.certificateInUse:
      return error.message.replace(/, send force=true$/, ', add --force');
    case problemCodes.noSuchEndpoint:
      return `${error.message.replace(/; \/docs .*$/, '')}; the service may be older than this program`;
    default:
      return error.message;
  }
}

/** Without the advice of the API to send a field. */
function withoutField(message: string): string {
  return message.replace(/; (?:[^;]*,)? ?send \S+ .*$/, '');
}

/** A vague hint of the service gets its number of seconds; any other stays the only one. */
function withRetry(message: string, seconds: number | null): string {
  if (seconds === null) return message;
  const plain = message.replace(/; retry shortly$/, '');
  return /\bretry\b/i.test(plain) ? message : `${plain}; retry in ${seconds} s`;
}

function unreachableText({ reason, message }: ApiUnreachable, { url }: CallContext): string {
  switch (reason) {
    case 'refused':
      // A message that ends in a question is about a server that answered.
      return `${message}${message.endsWith('?') ? '' : '; is the service running?'} Set another address with --url or PROXY_MANAGER_URL`;
    case 'timeout':
    case 'broken':
      return `${message}; the change may or may not have been applied, see: proxy-manager status`;
    case 'foreign':
      return `${url}: ${message}`;
    case 'aborted':
      return message;
  }
}

/** `167,491 of 168,608 entries would be removed, more than half of the set`; `all 12 entries would be removed`. */
export function shrinkText({ problem, message }: ApiProblem): string {
  const { would_remove: removed, current_total: total } = problem;
  if (typeof removed !== 'number' || typeof total !== 'number') return message;
  if (removed === total) return `all ${counted(total, 'entry', 'entries')} would be removed`;
  return `${count(removed)} of ${counted(total, 'entry', 'entries')} would be removed, more than half of the set`;
}
