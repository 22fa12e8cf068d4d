const maxWarnings = 20;

/** Each `[WARNING]` of a check's output, with its continuation lines, on one line without pid and time. */
export function proxyWarnings(output: string): string[] {
  const warnings: string[] = [];
  let continues = false;
  for (const line of output.split('\n')) {
    const begun = /^\[WARNING\]\s*(?:\([^)]*\)|[^:]*\(\d+\))?\s*:\s*(.*)$/.exec(line.trimEnd());
    if (begun !== null) warnings.push(`HAProxy: ${(begun[1] ?? '').trim()}`);
    else if (continues && /^\s+\S/.test(line)) warnings.push(`${warnings.pop()} ${line.trim()}`);
    continues = begun !== null || (continues && /^\s+\S/.test(line));
  }
  const more = warnings.length - maxWarnings;
  return more > 0 ? [...warnings.slice(0, maxWarnings), `HAProxy: and ${more} more warnings`] : warnings;
}

/** Why a configuration is invalid. */
export function firstAlert(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => line.includes('[ALERT]')) ?? lines.find((line) => line !== '') ?? "see HAProxy's log";
}
