import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { apiDocument } from '../../../testkit/http/api-document.ts';

/** May only shrink. */
const accepted: Readonly<Record<string, string>> = {};

it('is an OpenAPI document in which Redocly’s recommended rules find nothing', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({
    source: JSON.stringify(await apiDocument()),
    absoluteRef: '/openapi.json',
    config,
  });
  const messages = found.map(
    ({ ruleId, severity, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
  expect(messages).toEqual(Object.keys(accepted));
});
