/** A key of ours, or the token of a session, wherever it strayed to: in place of a name in a path, in a reason. It is made with this mark. */
const keys = /(pms?_)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/** The text without keys: a log is read, shipped and kept by more people than may have one. */
export function withoutKeys(text: string): string {
  return text.includes('pm_') || text.includes('pms_') ? text.replaceAll(keys, '$1********') : text;
}
