// What several components have.
import type { FieldDocs } from './operation-doc.ts';

export const models: FieldDocs = {
  Problem:
    'An error (RFC 9457). Callers look at `code`; people read `detail`. Some have members of their own beside these, which the operation names.',
  FieldError: 'One field of the request and what is wrong with it.',
  ProtobufError:
    'The same error as `errors.v1.ApiError`, with `Accept: application/x-protobuf`; as `errors.v1.Err` with `Accept: application/x-protobuf; messageType="errors.v1.Err"`. The messages are in `proto/` of the project.',
  CoveredMembers: 'What covers an address that has no entry of its own.',
  UnblockMembers: 'What was found of an address that has no entry of its own.',
  TrustMembers: 'The trusted entries that win over the block.',
  ShrinkMembers: 'What the refused change would have taken away.',
  ScopeMembers: 'What the key lacks.',
  ReloadMembers: 'What was done before the reload failed, and undone after it.',
};

export const fields: FieldDocs = {
  '*.ip_address': 'The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`.',
  '*.total': 'How many there are in all.',
  '*.items': 'The entries.',
  '*.next_cursor': 'Ask for the next page with it; null on the last one.',
  '*.runtime_map_updated': 'Every live worker, draining ones too, was seen to be right.',
  '*.runtime_map_failures': 'Which worker was not seen to be right for which address; the first 100.',
  '*.runtime_map_failures_total': 'How many such failures there are.',
  '*.reload_scheduled': 'A reload follows by itself and enforces what was not seen.',
  '*.duration_ms': 'How long it took, in milliseconds.',
  '*.worker_before': 'The pid of the worker before; null when there was none.',
  '*.worker_after': 'The pid of the worker that the reload made; null when there was none.',
  '*.reasons': 'Why: who asked, or what made it necessary.',
  '*.pid': 'The process id of the worker.',
  '*.sha256': 'SHA-256 in lower-case hexadecimal digits.',
  '*.created_at': 'When it was made.',

  'Problem.type': 'Names the code and nothing else, so it is stable; it cannot be fetched.',
  'Problem.title': 'The same words for every error of this code.',
  'Problem.status': 'The HTTP status.',
  'Problem.detail': 'What happened to which thing, why, and what to do.',
  'Problem.code': 'A number that names one kind and one message, for good.',
  'Problem.kind': 'The family of the code, one word.',
  'Problem.op': 'The operation that failed.',
  'Problem.errors': 'The fields of the request that were refused; empty where it is not about fields.',
  'Problem.request_id': 'The id of the request, as in `X-Request-Id`.',
  'FieldError.name': 'The field, such as `servers[0].port`.',
  'FieldError.description': 'What is wrong with it, and what would be right.',
  'CoveredMembers.covered_by': 'Networks of the blocked set that hold the address.',
  'UnblockMembers.covered_by': 'Networks of the blocked set that hold the address.',
  'UnblockMembers.stray_removed': 'A stray entry of it was found in a map, and removed.',
  'TrustMembers.overridden_by': 'Trusted entries that hold the address.',
  'ShrinkMembers.would_remove': 'How many entries would have gone.',
  'ShrinkMembers.current_total': 'How many there are.',
  'ScopeMembers.missing_scope': 'The scope that the key needs.',
  'ReloadMembers.id': 'The id of the reload in the history.',
  'ReloadMembers.backup': 'The backup that was made before; null when it did not come so far.',
  'ReloadMembers.output': "The proxy's own messages, or the template's.",
  'ReloadMembers.line': 'The line of the template.',
  'ReloadMembers.restored': 'The last known good configuration is back in force.',
  'ReloadMembers.restore_failure': 'Why it is not, when that is so.',
};
