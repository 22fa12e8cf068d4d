// Members of the API that the generated client (src/client/gen) has only once it is generated from the service that
// answers them. Each is optional here: a service without them is taken as saying nothing.

/** `configuration_drift` of `GET /health`. */
export interface ConfigurationDrift {
  readonly status: 'none' | 'drift' | 'unknown';
  readonly live: 'rendered' | 'restored' | 'other' | null;
  readonly backup: string | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly reason: string | null;
}

/** Of the answer to a batch. */
export interface BulkFacts {
  readonly updated?: number;
  readonly dry_run?: boolean;
  readonly still_blocked?: readonly { readonly ip_address: string; readonly by: string }[];
  readonly still_blocked_total?: number;
}

/** Of an element that was rejected: which permission would let it in; absent: none would. */
export interface RejectionFacts {
  readonly code?: number;
}

/** Of a check of a network. */
export interface InsideFacts {
  readonly blocked_inside?: readonly string[];
  readonly blocked_inside_total?: number;
}

/** A network that is blocked only with `allow_wide: true`. */
export const wideNetworkCode = 6030;
/** A live configuration that is replaced only with `?replace_configuration=true`. */
export const liveConfigurationKeptCode = 6020;
