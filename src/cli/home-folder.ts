import { homedir } from 'node:os';

/** Of whoever runs the program; null where there is none, as for a service's user without a line in passwd. */
export function homeFolder(ask: () => string = homedir): string | null {
  try {
    return ask() || null;
  } catch (error) {
    // `uv_os_homedir returned ENOENT`: neither HOME nor such a user.
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return null;
    throw error;
  }
}
