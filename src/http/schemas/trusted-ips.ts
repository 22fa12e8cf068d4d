import Type, { type Static } from 'typebox';
import type { RuntimeReport } from '../../blocking/answers.ts';
import type { TrustedIp } from '../../blocking/blocked-set-service.ts';
import { BlockBody, runtimeReportFields } from './blocked-ips.ts';
import { answer, Count, lineOfTextOrNull, listOf, StringOrNull, Time, TimeOrNull } from './common.ts';

export const TrustedIpBody = Type.Object(
  {
    note: Type.Optional(lineOfTextOrNull(0, 500)),
    expires_at: BlockBody.properties.expires_at,
    duration_seconds: BlockBody.properties.duration_seconds,
  },
  {
    additionalProperties: false,
    title: 'TrustRequest',
    description: 'a JSON object with note, expires_at or duration_seconds, or empty',
  },
);
export type TrustedIpBody = Static<typeof TrustedIpBody>;

const trustedIpFields = { ip_address: Type.String(), note: StringOrNull, added_at: Time, expires_at: TimeOrNull };

export const TrustedIpSchema = answer<TrustedIp>('TrustedIp')(trustedIpFields);
export const TrustedIpsSchema = answer<{ readonly items: readonly TrustedIp[]; readonly total: number }>('TrustedIps')({
  items: listOf(TrustedIpSchema),
  total: Count,
});
export const TrustAnswerSchema = answer<TrustedIp & RuntimeReport>('TrustAnswer')({
  ...trustedIpFields,
  ...runtimeReportFields,
});
export const DistrustAnswerSchema = answer<{ readonly ip_address: string } & RuntimeReport>('DistrustAnswer')({
  ip_address: Type.String(),
  ...runtimeReportFields,
});
