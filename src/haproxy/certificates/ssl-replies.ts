// What HAProxy answers to the commands for certificates. Each has its good replies; any other is a failure.

interface CertificateNames {
  /** Of the transaction that is open in this worker, of any client; null: none. */
  readonly transaction: string | null;
  readonly files: readonly string[];
}

/**
 * `show ssl cert`: `# filename` and a line for each; before it, if a transaction is open, `# transaction` and `*<file>`.
 * Empty: there are none. Null for any other reply.
 */
export function parseNames(body: string): CertificateNames | null {
  if (body === '') return { transaction: null, files: [] };
  const lines = body.split('\n');
  let transaction: string | null = null;
  if (lines[0] === '# transaction') {
    if (lines[1]?.startsWith('*') !== true) return null;
    transaction = lines[1].slice(1);
    lines.splice(0, 2);
  }
  const [header, ...files] = lines;
  // Those of others may be relative, or names of a store.
  if (header !== '# filename' || files.includes('')) return null;
  return { transaction, files };
}

export interface HeldCertificate {
  readonly file: string;
  /** `Used`: a `bind` line or a list has it. `Empty`: nothing was set yet. */
  readonly status: 'Used' | 'Unused' | 'Empty';
  /** Of the leaf: 40 hex digits, upper case; null: `Empty`. */
  readonly sha1: string | null;
  /** Subjects of the chain, in the order in which clients get it. */
  readonly chainSubjects: readonly string[];
  /** ISO 8601; null: `Empty`. */
  readonly notAfter: string | null;
}

const STATUS = /^(Used|Unused|Empty)$/;
const CHAIN = 'Chain Subject: ';

/** `show ssl cert <file>`, by the names of its lines: newer versions have more of them. `absent`: it is not loaded. */
export function parseCertificate(body: string): HeldCertificate | 'absent' | null {
  if (body === "Can't display the certificate: Not found or the certificate is a bundle!") return 'absent';
  const lines = body.split('\n');
  const of = (name: string): string | null => {
    const line = lines.find((one) => one.startsWith(`${name}: `));
    return line === undefined ? null : line.slice(name.length + 2).trimEnd();
  };
  const file = of('Filename');
  const status = STATUS.exec(of('Status') ?? '')?.[1] as HeldCertificate['status'] | undefined;
  const sha1 = of('SHA1 FingerPrint');
  if (file === null || status === undefined) return null;
  if (status === 'Empty') return { file, status, sha1: null, chainSubjects: [], notAfter: null };
  // Such as `Nov  2 07:34:15 2026 GMT`.
  const end = Date.parse(of('notAfter') ?? '');
  if (sha1 === null || !/^[0-9A-F]{40}$/.test(sha1) || Number.isNaN(end)) return null;
  const chainSubjects = lines.flatMap((line) => (line.startsWith(CHAIN) ? [line.slice(CHAIN.length)] : []));
  return { file, status, sha1, chainSubjects, notAfter: new Date(end).toISOString() };
}

/** `new ssl cert`. An existing one is what is wanted. */
export function isGoodNew(body: string, file: string): boolean {
  return body === `New empty certificate store '${file}'!` || body === `Certificate '${file}' already exists!`;
}

/**
 * `set ssl cert`: the file whose transaction holds the payload. On 2.6 that may be another one than was named, if its
 * transaction was open. Null for any other reply.
 */
export function parseSet(body: string): string | null {
  return /^Transaction (?:created|updated) for certificate (\S+)!$/.exec(body)?.[1] ?? null;
}

/** 3.0 and newer refuse `set` and `commit` while another transaction is open. That one's file; null: another reply. */
export function parseOngoing(body: string): string | null {
  return /^The ongoing transaction is about '([^']+)' but you are trying to /m.exec(body)?.[1] ?? null;
}

/**
 * `commit ssl cert`: `Committing <file>`, one dot for each entry of a list and `bind` line, warnings, `Success!`.
 * @returns the number of dots; null for any other reply
 */
export function parseCommit(body: string, file: string): number | null {
  const lines = body.split('\n');
  const [first = ''] = lines;
  const dots = first.slice(`Committing ${file}`.length);
  if (lines.at(-1) !== 'Success!' || !first.startsWith(`Committing ${file}`) || !/^\.*$/.test(dots)) return null;
  return dots.length;
}

/** `abort ssl cert`. Without a transaction nothing is left to abort. */
export function isGoodAbort(body: string, file: string): boolean {
  return body === `Transaction aborted for certificate '${file}'!` || body === 'No ongoing transaction!';
}

export interface ListEntry {
  readonly file: string;
  /** Names it for `del ssl crt-list`. */
  readonly line: number;
}

/** `show ssl crt-list -n <list>`: `# <list>` and a line `<file>:<number> [options] names` for each. Null for any other reply. */
export function parseList(body: string, list: string): ListEntry[] | null {
  const [header, ...lines] = body.split('\n');
  if (header !== `# ${list}`) return null;
  const entries: ListEntry[] = [];
  for (const text of lines) {
    const [, file, line] = /^(\S+):(\d{1,10})(?:\s|$)/.exec(text) ?? [];
    if (file === undefined || line === undefined) return null;
    entries.push({ file, line: Number(line) });
  }
  return entries;
}

/** No `bind` line of the worker's configuration names the list. */
export function isUnknownList(body: string): boolean {
  return body === "didn't find the specified filename" || /crt-list '[^']*' does not exist!/.test(body);
}

/** `add ssl crt-list`: `Inserting certificate '<file>' in crt-list '<list>'`, one dot for each `bind` line, `Success!`. */
export function isGoodListing(body: string, list: string, file: string): boolean {
  const lines = body.split('\n');
  const start = `Inserting certificate '${file}' in crt-list '${list}'`;
  return (
    lines.at(-1) === 'Success!' && /^\.+$/.test(lines[0]?.slice(start.length) ?? '') && lines[0]!.startsWith(start)
  );
}

/** `del ssl crt-list`. */
export function isGoodUnlisting(body: string, list: string, file: string): boolean {
  return body === `Entry '${file}' deleted in crtlist '${list}'!`;
}

/** `del ssl cert`. One that is not there is what is wanted. */
export function isGoodRemoval(body: string, file: string): boolean {
  return (
    body === `Certificate '${file}' deleted!` ||
    body === `Can't remove the certificate: certificate '${file}' doesn't exist!`
  );
}
