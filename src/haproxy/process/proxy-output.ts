// HAProxy's output file: up to 2.6 the only place that says why a reload failed.
import { open, stat } from 'node:fs/promises';
import { isMissing } from '../../files/atomic-file.ts';

const mostBytes = 16_384;

export class ProxyOutput {
  readonly #path: string;
  readonly #from: number;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.#from = from;
  }

  static async now(path: string): Promise<ProxyOutput> {
    return new ProxyOutput(path, await sizeOf(path));
  }

  /** Alerts written since, then warnings (each proxy writes one when it stops), one per line. */
  async complaints(): Promise<string> {
    const size = await sizeOf(this.#path);
    // A smaller file was truncated or replaced.
    const from = Math.max(size < this.#from ? 0 : this.#from, size - mostBytes);
    if (size <= from) return '';
    const handle = await open(this.#path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
      const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
      const of = (level: string): string[] => lines.filter((line) => line.startsWith(`[${level}]`));
      return [...of('ALERT'), ...of('WARNING')].join('\n');
    } finally {
      await handle.close();
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
