import { writeSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { fsyncFolder } from '../../files/atomic-file.ts';

/** Every operation of the map file that changes the disk; replaced in tests. */
export interface MapFileOps {
  /** A small write; returns bytes written. Synchronous: 2 µs into the page cache, where the thread pool costs 30 µs. */
  writeNow(file: FileHandle, bytes: Uint8Array, position: number): number;
  write(file: FileHandle, bytes: Uint8Array, position: number): Promise<number>;
  dataSync(file: FileHandle): Promise<void>;
  sync(file: FileHandle): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncFolder(folder: string): Promise<void>;
}

export const diskOps: MapFileOps = {
  writeNow: (file, bytes, position) => writeSync(file.fd, bytes, 0, bytes.length, position),
  write: async (file, bytes, position) => (await file.write(bytes, 0, bytes.length, position)).bytesWritten,
  dataSync: (file) => file.datasync(),
  sync: (file) => file.sync(),
  rename,
  syncFolder: fsyncFolder,
};
