import type { components } from '../../../src/client/client.ts';

type Schemas = components['schemas'];

export type { Scope } from '../../../src/domain/scope.ts';
export type SessionInfo = Schemas['Session'];
export type Health = Schemas['Health'];
export type Attached = Schemas['Attached'];
export type FrontEnd = Schemas['FrontEnd'];
export type ConfigurationDrift = Schemas['ConfigurationDrift'];
export type WorkerHealth = Schemas['WorkerHealth'];
/** Dialogs need no hits. */
export type BlockedIp = Omit<Schemas['BlockedIp'], 'hits'>;
/** An entry with what it denied. */
export type ListedIp = Schemas['BlockedIp'];
export type EntryHits = Schemas['EntryHits'];
export type Claim = Schemas['Claim'];
export type Source = Schemas['Source'];
export type BlockedIpDetail = Schemas['BlockedIpDetail'];
export type BlockedIpPage = Schemas['BlockedIpPage'];
export type BlockRequest = Schemas['BlockRequest'];
export type BlockAnswer = Schemas['BlockAnswer'];
export type UnblockAnswer = Schemas['UnblockAnswer'];
export type BulkAnswer = Schemas['BulkAnswer'];
export type UndoAnswer = Schemas['UndoAnswer'];
export type SyncAnswer = Schemas['SyncAnswer'];
export type CheckAnswer = Schemas['CheckAnswer'];
export type TrustedIp = Schemas['TrustedIp'];
export type TrustAnswer = Schemas['TrustAnswer'];
export type Upstream = Schemas['Upstream'];
export type UpstreamList = Schemas['Upstreams'];
export type UpstreamRequest = Schemas['UpstreamRequest'];
export type UpstreamAnswer = Schemas['UpstreamAnswer'];
export type ClientAddressAnswer = Schemas['ClientAddressAnswer'];
export type Site = Schemas['Site'];
export type SiteRequest = Schemas['SiteRequest'];
export type SiteAnswer = Schemas['SiteAnswer'];
export type SiteTls = Schemas['SiteTls'];
export type SiteTlsAnswer = Schemas['SiteTlsAnswer'];
export type SiteTlsRequest = Schemas['SiteTlsRequest'];
export type Server = Schemas['Server'];
export type ServerOptions = Schemas['ServerOptionsRequest'];
export type ServerRequest = Schemas['ServerRequest'];
export type ServerState = Schemas['ServerState'];
export type ReloadAnswer = Schemas['ReloadAnswer'];
export type ReloadRecord = Schemas['ReloadRecord'];
export type ReloadPage = Schemas['ReloadPage'];
export type ReloadMembers = Schemas['ReloadMembers'];
export type Backup = Schemas['Backup'];
export type ValidationAnswer = Schemas['ValidationAnswer'];
export type Key = Schemas['Key'];
export type NewKey = Schemas['NewKey'];
export type KeyRequest = Schemas['KeyRequest'];
export type Certificate = Schemas['Certificate'];
export type CertificatePage = Schemas['CertificatePage'];
export type CertificateRemoved = Schemas['CertificateRemoved'];
export type CertificateRequest = Schemas['CertificateRequest'];
export type AcmeStatus = Schemas['AcmeStatus'];
export type AcmeCertificate = Schemas['AcmeCertificate'];
export type AcmeAttempt = Schemas['AcmeAttempt'];
export type AcmeProblem = Schemas['AcmeProblem'];
export type AcmeRequest = Schemas['AcmeRequest'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['WebhookAnswer'];

export type InsightSummary = Schemas['InsightSummary'];
export type InsightLimits = Schemas['InsightLimits'];
export type InsightSeries = Schemas['InsightSeries'];
export type KnockingAddress = Schemas['KnockingAddress'];
export type Candidate = Schemas['Candidate'];
export type SiteTraffic = Schemas['SiteTraffic'];
export type SourceEffect = Schemas['SourceEffect'];
export type SourceEffects = Schemas['SourceEffects'];
export type KnockingPage = Schemas['KnockingPage'];
export type Attack = Schemas['Attack'];
export type AttackDetail = Schemas['AttackDetail'];
export type Candidates = Schemas['Candidates'];
export type Notice = Schemas['Notice'];

export type AuditRecord = Schemas['AuditRecord'];
export type AuditPage = Schemas['AuditPage'];

export type RuntimeReport = Pick<
  BlockAnswer,
  'runtime_map_updated' | 'runtime_map_failures' | 'runtime_map_failures_total' | 'reload_scheduled'
>;
