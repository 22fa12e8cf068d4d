/** A key of ours, wherever it strayed to: in place of a name in a path, in a reason. It is made with this mark. */
const keys = /pm_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/** The text without keys: a log is read, shipped and kept by more people than may have one. */
export function withoutKeys(text: string): string {
  return text.includes('pm_') ? text.replaceAll(keys, 'pm_********') : text;
}
