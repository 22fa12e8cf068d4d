// What the database hands to files and workers, and what they report back.

/** The three PEM parts of a certificate in one text for HAProxy. Never shown: not in messages, logs, JSON or inspect. */
export interface SecretText {
  reveal(): string;
}

/** A certificate as file and workers have to hold it. */
export interface CertificateToInstall {
  /** `c-` and ten base32 characters; stays through renewals. Names the file: `c-….pem`. */
  readonly id: string;
  /** Exact or `*.`, lower case; no other certificate has one of them. */
  readonly names: readonly string[];
  /** Leaf, chain, key: LF, no empty line, nothing between the blocks. */
  readonly pem: SecretText;
  /** SHA-1 fingerprint of the leaf as HAProxy prints it: 40 hex digits, upper case. */
  readonly sha1: string;
  /** Subject of the first certificate of the chain as HAProxy prints it; null: no chain. */
  readonly chainSubject: string | null;
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
  /** Why `handshake` is not `seen`; null if it is. */
  readonly handshakeReason: string | null;
  readonly reloadScheduled: boolean;
}

/** Brings one certificate into files and workers; one at a time, in the order of the calls. */
export interface CertificateInstaller {
  install(certificate: CertificateToInstall): Promise<Installation>;
  /** The other way round: list of the workers, list file, worker's certificate, file. */
  remove(id: string): Promise<Installation>;
  /** What files and workers are known to hold now; null: not installed, or not checked yet. */
  held(id: string): Installation | null;
}

/** What the database wants to be served; asked at start, by the reconciler and before each reload. */
export interface WantedCertificates {
  /** In the order of their ids. */
  all(): Promise<readonly CertificateToInstall[]>;
  /** Those whose key cannot be opened: their files stay and are served. */
  unreadable(): Promise<readonly { readonly id: string; readonly why: string }[]>;
}
