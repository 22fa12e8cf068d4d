// What the database hands to files and workers, and what they report back.
import type { ServedChain } from '../x509/served-chain.ts';

/** The three PEM parts of a certificate in one text for HAProxy. Never shown: not in messages, logs, JSON or inspect. */
export interface SecretText {
  reveal(): string;
}

/** A certificate as file and workers have to hold it. */
export interface CertificateToInstall extends ServedChain {
  /** `c-` and ten base32 characters; stays through renewals. Names the file: `c-….pem`. */
  readonly id: string;
  /** From 1; the next for each replacement. */
  readonly version: number;
  /** Exact or `*.`, lower case; no other certificate has one of them. */
  readonly names: readonly string[];
  /** Leaf, chain, key: LF, no empty line, nothing between the blocks. */
  readonly pem: SecretText;
  /** SHA-1 fingerprint of the leaf as HAProxy prints it: 40 hex digits, upper case. */
  readonly sha1: string;
}

export interface WorkerCertificate {
  readonly pid: number;
  readonly role: 'current' | 'draining';
  readonly holds: boolean;
  /** Why not, in plain words; null if it holds it. */
  readonly reason: string | null;
  /** When the certificate expires that it serves for this id, this or an earlier version, ISO 8601; null: none, or not known. */
  readonly notAfter: string | null;
}

export interface Installation {
  /** `pending`: the file could not be written; the workers hold it, a reload would not. */
  readonly files: 'durable' | 'pending';
  readonly workers: readonly WorkerCertificate[];
  /** Whether every current worker was read back to hold it. */
  readonly runtimeUpdated: boolean;
  readonly handshake: 'seen' | 'other' | 'not possible' | 'failed';
  /** Why `handshake` is not `seen`, or which addresses were not tried; null: each showed it. */
  readonly handshakeReason: string | null;
  readonly reloadScheduled: boolean;
}

/** Brings one certificate into files and workers; one at a time, in the order of the calls. */
export interface CertificateInstaller {
  install(certificate: CertificateToInstall): Promise<Installation>;
  /** Out of the list, then out of the workers. The file stays: it may be the only copy of the key. */
  remove(id: string): Promise<Installation>;
  /** Once the database does not have it any more. False: not yet, and it is tried again. Never throws. */
  deleteFile(id: string): Promise<boolean>;
  /** Paths of files with other private keys of this certificate, which are never deleted. */
  keptFiles(id: string): readonly string[];
  /** Back into the list, if it could not be removed from the database and only the file has the key. A reload follows. */
  relist(id: string, why: string): Promise<void>;
  /** What files and workers are known to hold of this version; null: not installed, or not checked yet. */
  held(id: string, version: number): Installation | null;
  /** Why visitors may not get the version that is in the files, as far as that can be known; null: they get it. */
  whyNotServed(id: string): string | null;
}

/** What the database wants to be served; asked at start, by the reconciler and before each reload. */
export interface WantedCertificates {
  /**
   * In the order of their ids, without those whose key cannot be opened.
   * @param only of these ids: each costs 0.2 ms
   */
  all(only?: ReadonlySet<string>): Promise<readonly CertificateToInstall[]>;
  /** Those whose key cannot be opened: their files stay and are served. */
  unreadable(): Promise<readonly { readonly id: string; readonly why: string }[]>;
  /** Those of these that were removed, by id, with the SHA-256 of each version: 64 hex digits, lower case. */
  removedAmong(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}
