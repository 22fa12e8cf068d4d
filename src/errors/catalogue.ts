/** The meaning of an error code (docs/errors.md). */
interface ErrorEntry {
  readonly name: string;
  /** The family of the error, one word. */
  readonly kind: string;
  /** The same for every error with this code; the detail says what failed, why, and what to do. */
  readonly message: string;
  readonly status: number;
}

// Never renumber or reuse a code: clients depend on it. Those from 6000 on are specific to proxy-manager.
const rows = [
  [100, 'InvalidParameter', 'Parameter', 'invalid parameter', 400],
  [101, 'InvalidAddress', 'Parameter', 'invalid IP address or network', 400],
  [102, 'InvalidBody', 'Parameter', 'invalid request body', 400],
  [103, 'UnknownField', 'Parameter', 'unknown field', 400],
  [104, 'InvalidTime', 'Parameter', 'invalid time or duration', 400],
  [105, 'InvalidDomain', 'Parameter', 'invalid site domain', 400],
  [106, 'InvalidServer', 'Parameter', 'invalid server of a site', 400],
  [107, 'InvalidCursor', 'Parameter', 'invalid cursor', 400],
  [108, 'UnexpectedBody', 'Parameter', 'unexpected request body', 400],
  [109, 'InvalidUpstream', 'Parameter', 'invalid upstream', 400],
  [110, 'InvalidCertificate', 'Parameter', 'invalid certificate', 422],
  [401, 'Unauthorized', 'Authentication', 'valid API key required', 401],
  [403, 'Forbidden', 'Authorization', 'the API key does not allow this', 403],
  [404, 'NoSuchEndpoint', 'Search', 'no such endpoint', 404],
  [409, 'Conflict', 'State', 'conflict with the current state', 409],
  [500, 'Internal', 'Internal', 'unexpected error', 500],
  [1000, 'IntegrityViolated', 'Integrity', 'integrity violated', 409],
  [1002, 'NotUnique', 'Integrity', 'must be unique', 409],
  [1100, 'NotFound', 'Search', 'not found', 404],
  [3000, 'Unavailable', 'External', 'external system unavailable', 503],
  [3001, 'MasterSocketUnavailable', 'External', 'master socket of HAProxy unavailable', 503],
  [3002, 'ProxyNotRunning', 'External', 'HAProxy not running', 503],
  [3003, 'UnexpectedProxyReply', 'External', 'unexpected reply of HAProxy', 503],
  [5000, 'InvalidConfiguration', 'Configuration', 'invalid configuration', 422],
  [5001, 'TemplateRefused', 'Configuration', 'template refused', 422],
  [5002, 'ProxyRefusesConfiguration', 'Configuration', 'configuration refused by HAProxy', 422],
  [5003, 'BlockedRuleMissing', 'Configuration', 'configuration without the blocked-map rule', 422],
  [6000, 'TooLarge', 'Limit', 'too large', 413],
  [6001, 'TooManyFailedKeys', 'Limit', 'too many wrong API keys', 429],
  [6002, 'QueueFull', 'Limit', 'queue of changes full', 503],
  [6003, 'DatabaseUnusable', 'Storage', 'database unusable', 503],
  [6004, 'MapFileUnusable', 'Storage', 'map file unusable', 503],
  [6005, 'ReloadRolledBack', 'Reload', 'reload not confirmed and rolled back', 503],
  [6006, 'ShrinkRefused', 'State', 'more than half of the set would be removed', 409],
  [6007, 'CoveredByTrust', 'State', 'covered by a trusted address', 409],
  [6008, 'ForeignMapFile', 'State', 'map file of another database', 409],
  [6009, 'UnsupportedMediaType', 'Protocol', 'media type not supported', 415],
  [6010, 'NotAcceptable', 'Protocol', 'no acceptable media type', 406],
  [6011, 'MethodNotAllowed', 'Protocol', 'method not allowed', 405],
  [6012, 'ShuttingDown', 'State', 'service shutting down', 503],
  [6013, 'RequestTimeout', 'Protocol', 'request not received in time', 408],
  [6014, 'ConfigurationFilesUnusable', 'Storage', 'files of the configuration unusable', 503],
  [6015, 'TooMuchAtOnce', 'Limit', 'too many requests at once', 503],
  [6020, 'LiveConfigurationKept', 'State', 'live configuration not rendered from the template', 409],
  [6030, 'WideNetwork', 'State', 'very wide network or complete special range', 409],
  [6031, 'SetFull', 'Limit', 'maximum number of entries reached', 409],
  [6032, 'ChangeFailed', 'Internal', 'change failed unexpectedly', 500],
  [6033, 'ReloadUnconfirmed', 'Reload', 'reload not confirmed', 503],
  [6034, 'Attached', 'State', 'not available in attached mode', 409],
  [6035, 'ClaimedByList', 'State', 'blocked by lists only', 409],
  [6036, 'ManualSource', 'State', 'not possible for the source manual', 409],
  [6040, 'CountMismatch', 'State', 'not as many entries as expected', 409],
  [6041, 'CannotUndo', 'State', 'cannot be undone exactly', 409],
  [6042, 'NameHasCertificate', 'State', 'name of another certificate', 409],
  [6043, 'TlsNotConfigured', 'State', 'TLS not configured', 409],
  [6044, 'CertificateInUse', 'State', 'certificate of enabled sites', 409],
  [6045, 'KeysUnreadable', 'Storage', 'private keys unreadable', 503],
  [6050, 'InsideUpstream', 'State', 'inside an upstream', 409],
  [6051, 'UpstreamRulesMissing', 'Configuration', 'configuration without the rules for upstreams', 422],
  [6052, 'ChallengesNotShown', 'State', 'challenges not answered', 409],
  [6053, 'DnsHookMissing', 'State', 'no hook for DNS records', 409],
  [6054, 'NameOfAnotherSite', 'State', 'name of another site', 409],
  [6055, 'InvalidSite', 'Parameter', 'invalid site', 400],
  [6056, 'CertificateOfApi', 'State', 'certificate of the API', 409],
  [6058, 'AcmeNotConfigured', 'State', 'no certificate authority configured', 409],
  [6059, 'AlreadyOrdered', 'State', 'certificate ordered already', 409],
  [6060, 'NameIsOrdered', 'State', 'name of another order', 409],
  [6062, 'CertificateListUnused', 'State', 'list of certificates not used', 409],
  [6063, 'ChallengesNotReady', 'State', 'challenges not answered yet', 503],
  [7010, 'InsightOff', 'State', 'denied requests not counted', 409],
  [7011, 'InsightLoading', 'State', 'figures being loaded', 503],
  [7012, 'NotWatched', 'State', 'denied requests not watched for so long', 409],
  [7017, 'NoSuchNotice', 'State', 'no such notice yet', 409],
] as const satisfies readonly (readonly [number, string, string, string, number])[];

type Row = (typeof rows)[number];

/** The numbers by name. */
export const codes = Object.freeze(Object.fromEntries(rows.map(([code, name]) => [name, code]))) as {
  readonly [R in Row as R[1]]: R[0];
};

/** Codes of the catalogue that no part of the service raises. */
export const reservedCodes: readonly number[] = [
  codes.MasterSocketUnavailable,
  codes.UnexpectedProxyReply,
  codes.InvalidConfiguration,
  codes.NotAcceptable,
];

export const catalogue: ReadonlyMap<number, ErrorEntry> = new Map(
  rows.map(([code, name, kind, message, status]) => [code, Object.freeze({ name, kind, message, status })]),
);

const UNKNOWN: ErrorEntry = Object.freeze({ name: 'Unknown', kind: 'Other', message: 'unknown', status: 500 });

/** Kind "Other" and message "unknown" for a code that is not in the catalogue. */
export function lookUpCode(code: number): ErrorEntry {
  return catalogue.get(code) ?? UNKNOWN;
}
