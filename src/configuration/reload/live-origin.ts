// Who wrote the live configuration. What proxy-manager rendered last may be replaced; any other text (written or edited
// by an operator, or a restored backup) only with consent.
import { readFile } from 'node:fs/promises';
import { isMissing, writeFileAtomically } from '../../files/atomic-file.ts';
import { parseJson } from '../../files/json.ts';
import { sha256 } from '../backups/backup-files.ts';

/** `rendered`: from the template; `restored`: from a backup; `other`: written or edited outside proxy-manager. */
type LiveOriginKind = 'rendered' | 'restored' | 'other';

export interface LiveOriginFinding {
  readonly live: LiveOriginKind;
  /** The id of the restored backup. */
  readonly backup: string | null;
}

interface Written {
  readonly rendered: readonly string[];
  readonly restored: { readonly sha256: string; readonly backup: string } | null;
}

const nothing: Written = { rendered: [], restored: null };

export class LiveOrigin {
  /** Of the record, not of the configuration. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** If the record is missing or damaged, any text counts as `other`. */
  async of(text: string): Promise<LiveOriginFinding> {
    const { rendered, restored } = await this.#read();
    const hash = sha256(text);
    if (restored?.sha256 === hash) return { live: 'restored', backup: restored.backup };
    return { live: rendered.includes(hash) ? 'rendered' : 'other', backup: null };
  }

  /**
   * Call before `text` replaces `live`; durable on return. Records both, so that the origin is known on either side of
   * a crash.
   * @param backup the id of the backup that `text` comes from; null: it was rendered
   */
  async beforeSwitch(text: string, live: string | null, backup: string | null): Promise<void> {
    const before = await this.#read();
    const kept = live !== null && before.rendered.includes(sha256(live)) ? [sha256(live)] : [];
    const rendered = backup === null ? [sha256(text), ...kept] : kept;
    // A replaced restored text stays on record until the switch is confirmed.
    const restored = backup === null ? before.restored : { sha256: sha256(text), backup };
    await this.#write({ rendered, restored });
  }

  /** Records `text` alone, after its reload was confirmed. `backup` as in `beforeSwitch`. */
  async confirmed(text: string, backup: string | null): Promise<void> {
    const hash = sha256(text);
    const now: Written =
      backup === null ? { rendered: [hash], restored: null } : { rendered: [], restored: { sha256: hash, backup } };
    if (JSON.stringify(await this.#read()) !== JSON.stringify(now)) await this.#write(now);
  }

  async #write(written: Written): Promise<void> {
    await writeFileAtomically(this.path, `${JSON.stringify(written)}\n`);
  }

  async #read(): Promise<Written> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return nothing;
      throw error;
    }
    return parseWritten(text) ?? nothing;
  }
}

function parseWritten(text: string): Written | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const { rendered, restored } = value as { rendered?: unknown; restored?: unknown };
  if (!Array.isArray(rendered) || !rendered.every((hash) => typeof hash === 'string')) return null;
  if (restored === null) return { rendered, restored };
  const { sha256: hash, backup } = (restored ?? {}) as { sha256?: unknown; backup?: unknown };
  return typeof hash === 'string' && typeof backup === 'string'
    ? { rendered, restored: { sha256: hash, backup } }
    : null;
}
