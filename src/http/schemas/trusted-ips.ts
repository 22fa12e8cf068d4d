import Type from 'typebox';
import type { RuntimeReport } from '../../blocking/answers.ts';
import type { TrustedIp } from '../../blocking/blocked-set-service.ts';
import { runtimeReportFields } from './blocked-ips.ts';
import { Count, lineOfTextOrNull, listOf, StringOrNull } from './common.ts';

export const TrustedIpBody = Type.Object(
  { note: Type.Optional(lineOfTextOrNull(0, 500)) },
  { additionalProperties: false, description: 'a JSON object with note, or empty' },
);

const trustedIpFields = { ip_address: Type.String(), note: StringOrNull, added_at: Type.String() };

export const TrustedIpSchema = Type.Unsafe<TrustedIp>(Type.Object(trustedIpFields));
export const TrustedIpsSchema = Type.Object({ items: listOf<TrustedIp>(TrustedIpSchema), total: Count });
export const TrustAnswerSchema = Type.Unsafe<TrustedIp & RuntimeReport>(
  Type.Object({ ...trustedIpFields, ...runtimeReportFields }),
);
export const DistrustAnswerSchema = Type.Unsafe<{ readonly ip_address: string } & RuntimeReport>(
  Type.Object({ ip_address: Type.String(), ...runtimeReportFields }),
);
