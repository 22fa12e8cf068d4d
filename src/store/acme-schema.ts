import type { Generated } from 'kysely';

/** The tables of certificates from an ACME authority; `schema.ts` says how values are written. */
export interface AcmeSchema {
  acme_accounts: AcmeAccountsTable;
  acme_pauses: AcmePausesTable;
  acme_certificates: AcmeCertificatesTable;
  acme_orders: AcmeOrdersTable;
  acme_failed_validations: AcmeFailedValidationsTable;
}

export interface AcmeAccountsTable {
  directory: string;
  /** `a-…`: what the key is sealed for. */
  id: string;
  /** Null: not registered, or the authority does not know it any more. */
  url: string | null;
  key_sealed: Buffer;
  public_key_sha256: string;
  created_at: string;
}

export interface AcmePausesTable {
  directory: string;
  /** `orders`: new ones; `requests`: all. */
  scope: string;
  until: string;
  /** In succession. */
  failures: number;
  problem_json: string;
}

export interface AcmeCertificatesTable {
  /** That of the row in `certificates`, once there is one. */
  id: string;
  /** Of the last version; before there is one, of the first order. */
  directory: string;
  names_json: string;
  /** Sorted, with commas. */
  names_key: string;
  challenge: string;
  /** Null: that of the settings. */
  profile: string | null;
  created_at: string;
  /** When the next order is due. */
  due_at: string;
  /** Why then: `request`, `age`, `ari`, `retry`, `limit`. */
  due_by: string;
  /** In succession. */
  failures: number;
  problem_json: string | null;
  /** When the event of its failure was emitted last; null: not since it was stored. */
  failing_reported_at: string | null;
  /** Of the active version (RFC 9773, 4.1). */
  ari_id: string | null;
  ari_json: string | null;
  ari_poll_at: string | null;
}

export interface AcmeOrdersTable {
  id: Generated<number>;
  certificate: string;
  directory: string;
  names_json: string;
  names_key: string;
  profile: string | null;
  replaces: string | null;
  state: string;
  url: string | null;
  finalize_url: string | null;
  challenges_json: string | null;
  key_sealed: Buffer | null;
  public_key_sha256: string | null;
  csr: Buffer | null;
  /** When the authority was about to be asked for the certificate: from then on it may be issued. */
  finalized_at: string | null;
  certificate_url: string | null;
  problem_json: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

interface AcmeFailedValidationsTable {
  directory: string;
  name: string;
  at: string;
}
