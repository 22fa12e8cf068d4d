// The secret that seals private keys in the database: 32 random bytes in a file that only the service may read.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getuid } from 'node:process';
import { fsyncFolder, isMissing, removeStaleTemporaries, temporaryPath } from '../files/atomic-file.ts';
import { SECRET_LENGTH, Sealer } from './sealed.ts';

type SecretFault =
  | 'missing' // although the database has keys that it sealed
  | 'readable' // by other users
  | 'foreign' // belongs to another user
  | 'damaged' // not a file, or not of this length
  | 'unreadable';

/** The secret cannot be used. The message says why and what to do. */
export class SecretUnusable extends Error {
  readonly reason: SecretFault;

  constructor(reason: SecretFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SecretUnusable';
    this.reason = reason;
  }
}

interface SecretOptions {
  /** Whether a missing file is created. Not if the database has sealed keys: a new secret does not open them. */
  readonly mayCreate: boolean;
}

/**
 * Reads the secret, or creates it durably (mode 600). Of several processes that create it at once, one does, and all get
 * the same secret. Throws `SecretUnusable`.
 */
export async function openSecret(path: string, { mayCreate }: SecretOptions): Promise<Sealer> {
  const existing = await readSecret(path);
  if (existing !== null) return new Sealer(existing);
  if (!mayCreate) {
    throw new SecretUnusable(
      'missing',
      `the secret ${path} is missing, and the database has private keys that only it can open: put it back from a backup; without one, make a new one as docs/certificates.md shows, and replace each certificate with its key`,
    );
  }
  await createSecret(path);
  const created = await readSecret(path);
  if (created === null) throw new SecretUnusable('missing', `the secret ${path} was removed while it was created`);
  return new Sealer(created);
}

/** Null: there is no file. */
async function readSecret(path: string): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    // Not blocked by a pipe that no process writes to.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (isMissing(cause)) return null;
    throw unreadable(path, cause);
  }
  try {
    const { mode, uid, size } = await file.stat().catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
      throw new SecretUnusable('damaged', `the secret ${path} is not a file; move it away, and put the file back`);
    }
    const own = getuid?.() ?? 0;
    if (uid !== own && uid !== 0) {
      throw new SecretUnusable('foreign', `the secret ${path} belongs to user ${uid}: chown ${own} ${path}`);
    }
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw new SecretUnusable(
        'readable',
        `other users may read or write the secret ${path} (mode ${octal}): chmod 600 ${path}; if they may have read it, replace the certificates`,
      );
    }
    if (size !== SECRET_LENGTH) throw wrongLength(path, size);
    return await file.readFile().catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
  } finally {
    await file.close();
  }
}

function unreadable(path: string, cause: unknown): SecretUnusable {
  const why = (cause as Error).message;
  return new SecretUnusable('unreadable', `the secret ${path} cannot be read: ${why}`, { cause });
}

function wrongLength(path: string, length: number): SecretUnusable {
  return new SecretUnusable(
    'damaged',
    `the secret ${path} has ${length} bytes, not ${SECRET_LENGTH}: put it back from a backup; without one, make a new one as docs/certificates.md shows, and replace each certificate with its key`,
  );
}

/** A link, because a rename would replace the secret that another process created meanwhile. */
async function createSecret(path: string): Promise<void> {
  await removeStaleTemporaries(path);
  const temporary = temporaryPath(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(randomBytes(SECRET_LENGTH));
      // Whatever the umask.
      await file.chmod(0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(temporary);
  }
  await fsyncFolder(dirname(path));
}
