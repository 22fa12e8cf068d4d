/**
 * The text of the trusted map file.
 *
 *   # proxy-manager trusted addresses
 *   192.0.2.1 1
 *   # until 2026-12-01T00:00:00.000Z
 *   192.0.2.2 1
 *
 * A comment holds the expiry of the entry below it, so that trust does not become permanent if the database is
 * lost. HAProxy ignores it.
 */
import { mapLine, parseIp } from '../../domain/ip.ts';

const UNTIL = /^# until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;
/** Without its newline. */
export const UNTIL_BYTES = '# until 2026-12-01T00:00:00.000Z'.length;

/** Rows that are not in canonical form are omitted. */
export function trustedMapText(
  rows: readonly { readonly ip_address: string; readonly expires_at: string | null }[],
): string {
  const lines = rows
    .filter((row) => parseIp(row.ip_address).ok)
    .map((row) => `${untilLine(row.expires_at)}${mapLine(row.ip_address)}\n`);
  return `# proxy-manager trusted addresses\n${lines.join('')}`;
}

function untilLine(end: string | null): string {
  const line = `# until ${end}`;
  return parseUntil(line) === null ? '' : `${line}\n`;
}

/** The expiry for the entry in the next line; null for any other line. */
export function parseUntil(line: string): string | null {
  const end = UNTIL.exec(line)?.[1] ?? null;
  return end === null || Number.isNaN(Date.parse(end)) ? null : end;
}
