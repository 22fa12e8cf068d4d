import { homedir } from 'node:os';

export interface CliHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string | null;
  readonly stdin: NodeJS.ReadableStream & AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly now: () => Date;
  readonly end: (exitCode: number) => void;
}

/** Null for a user without a home, such as a service user without an entry in passwd. */
export function homeFolder(systemHome: () => string = homedir): string | null {
  try {
    return systemHome() || null;
  } catch (error) {
    // `uv_os_homedir returned ENOENT`: neither HOME nor such a user.
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return null;
    throw error;
  }
}
