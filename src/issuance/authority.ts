// What issuance needs of an ACME authority (RFC 8555, RFC 9773).

export interface AcmeClient {
  directory(): Promise<{
    readonly termsOfService: string | null;
    readonly externalAccountRequired: boolean;
    readonly profiles: ReadonlyMap<string, string>;
    readonly renewalInfo: boolean;
  }>;
  register(request: {
    readonly contacts: readonly string[];
    readonly termsAgreed: boolean;
    readonly externalAccount: { readonly kid: string; readonly hmacKey: Uint8Array } | null;
  }): Promise<{ readonly url: string; readonly status: string }>;
  createOrder(request: {
    readonly names: readonly string[];
    readonly profile: string | null;
    readonly replaces: string | null;
  }): Promise<AcmeOrder>;
  order(url: string): Promise<AcmeOrder>;
  authorization(url: string): Promise<AcmeAuthorization>;
  answerChallenge(url: string): Promise<void>;
  finalize(finalizeUrl: string, csr: Uint8Array): Promise<AcmeOrder>;
  certificate(url: string): Promise<string>;
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

export interface AcmeProblemDocument {
  readonly type: string;
  readonly detail: string;
  readonly status: number | null;
  readonly subproblems: readonly { readonly type: string; readonly detail: string; readonly name: string | null }[];
}

/** The authority answered with a problem. */
export class AcmeRefusal extends Error {
  readonly problem: AcmeProblemDocument;
  readonly retryAfter: Date | null;

  constructor(problem: AcmeProblemDocument, retryAfter: Date | null) {
    super(`${problem.type}: ${problem.detail}`);
    this.name = 'AcmeRefusal';
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** No usable answer. */
export class AcmeUnreachable extends Error {
  readonly retryAfter: Date | null;

  constructor(message: string, retryAfter: Date | null) {
    super(message);
    this.name = 'AcmeUnreachable';
    this.retryAfter = retryAfter;
  }
}
