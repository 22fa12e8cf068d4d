// What an ACME authority can do for one account (RFC 8555; RFC 9773: ARI; draft-ietf-acme-profiles), and how it refuses.

/**
 * Each call is one request, repeated only where that cannot do anything twice. It keeps no state of orders: polling and
 * storing belong to the caller. Each throws `AcmeRefusal` or `AcmeUnreachable`.
 */
export interface AcmeClient {
  /** RFC 8555, 7.1.1. Read once in an hour. */
  directory(): Promise<{
    readonly termsOfService: string | null;
    readonly externalAccountRequired: boolean;
    /** Descriptions by name. */
    readonly profiles: ReadonlyMap<string, string>;
    readonly renewalInfo: boolean;
  }>;
  /** Finds or creates the account of the key (7.3), which the other calls need, and corrects its contacts (7.3.2). */
  register(request: {
    readonly contacts: readonly string[];
    readonly termsAgreed: boolean;
    readonly externalAccount: { readonly kid: string; readonly hmacKey: Uint8Array } | null;
  }): Promise<{ readonly url: string; readonly status: string }>;
  /** 7.4; `replaces`: RFC 9773, 5. Not repeated: after `AcmeUnreachable` there may be an order. */
  createOrder(request: {
    readonly names: readonly string[];
    readonly profile: string | null;
    readonly replaces: string | null;
  }): Promise<AcmeOrder>;
  order(url: string): Promise<AcmeOrder>;
  authorization(url: string): Promise<AcmeAuthorization>;
  /** The authority is to validate now (7.5.1). Not repeated: after `AcmeUnreachable` read the authorization. */
  answerChallenge(url: string): Promise<void>;
  /** `csr`: DER (7.4). Not repeated: after `AcmeUnreachable` read the order. */
  finalize(finalizeUrl: string, csr: Uint8Array): Promise<AcmeOrder>;
  /** PEM, the leaf first, then its chain (7.4.2). */
  certificate(url: string): Promise<string>;
  /** When to renew (RFC 9773, 4.2). Throws `AcmeUnreachable` too if the authority has no renewal information. */
  renewalInfo(certId: string): Promise<{
    readonly start: Date;
    readonly end: Date;
    readonly explanationUrl: string | null;
    readonly retryAfter: Date | null;
  }>;
}

export interface AcmeOrder {
  readonly url: string;
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly names: readonly string[];
  readonly authorizationUrls: readonly string[];
  readonly finalizeUrl: string;
  readonly certificateUrl: string | null;
  readonly expires: Date | null;
  readonly problem: AcmeProblemDocument | null;
  readonly retryAfter: Date | null;
}

export interface AcmeAuthorization {
  readonly url: string;
  readonly name: string;
  readonly wildcard: boolean;
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly challenges: readonly {
    readonly type: string;
    readonly url: string;
    readonly token: string | null;
    readonly status: string;
    readonly problem: AcmeProblemDocument | null;
  }[];
  readonly retryAfter: Date | null;
}

/** The authority's own words (RFC 8555, 6.7), without control characters and of bounded length. */
export interface AcmeProblemDocument {
  /** Of an ACME error without `urn:ietf:params:acme:error:`. */
  readonly type: string;
  readonly detail: string;
  readonly status: number | null;
  /** Where it says more: an https URL. */
  readonly instance?: string;
  readonly subproblems: readonly { readonly type: string; readonly detail: string; readonly name: string | null }[];
}

interface FailureScope {
  /** It is the authority's answer at the address of one order, and says nothing about others. Absent: it is not. */
  readonly ofOrder?: boolean;
}

/** The authority refused, and did nothing. */
export class AcmeRefusal extends Error {
  readonly problem: AcmeProblemDocument;
  readonly retryAfter: Date | null;
  readonly ofOrder: boolean;

  constructor(problem: AcmeProblemDocument, retryAfter: Date | null, { ofOrder = false }: FailureScope = {}) {
    super(`${problem.type}: ${problem.detail}`);
    this.name = 'AcmeRefusal';
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.ofOrder = ofOrder;
  }
}

/** No usable answer: whether the authority did something is unknown. */
export class AcmeUnreachable extends Error {
  readonly retryAfter: Date | null;
  readonly ofOrder: boolean;

  constructor(message: string, retryAfter: Date | null, { ofOrder = false }: FailureScope = {}) {
    super(message);
    this.name = 'AcmeUnreachable';
    this.retryAfter = retryAfter;
    this.ofOrder = ofOrder;
  }
}
