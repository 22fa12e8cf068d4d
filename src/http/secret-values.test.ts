// A field that is `secret` in its schema never shows its value, whatever is wrong with the request.
import { generateKeyPairSync } from 'node:crypto';
import fastify from 'fastify';
import Type, { type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import type { EndedOperation } from '../api/ended-operation.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import { orNull, requestModel, secret } from '../api/schema.ts';
import { toProblem } from '../errors/problem.ts';
import { asAnswerableError } from './framework-errors.ts';
import { schemaRules } from './lazy-compilers.ts';

const SHOWN = 24;
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const secrets = [
  ['a PEM file', pem],
  ['the base64 of a key', pem.replace(/-----.*-----|\n/g, '')],
  ['the base64 of a key that may be an id', pem.replace(/-----.*-----|[^A-Za-z0-9]/g, '').slice(0, 200)],
  ['the secret of a webhook', `whsec_${Buffer.from(pem).toString('base64').slice(0, 32)}`],
] as const;

/** Parts of it, in any output: whatever was escaped, and whatever line ends are left out. */
function shownOf(value: string, output: string): string[] {
  const base64 = value.replace(/-----[A-Z ]+-----|\n/g, '');
  const plain = output.replaceAll('\\n', '');
  const parts = Array.from({ length: base64.length - SHOWN + 1 }, (_, at) => base64.slice(at, at + SHOWN));
  return parts.filter((part) => plain.includes(part));
}

/** Bodies with the value where it belongs, in each wrong form, and where it does not belong. */
function wrongBodies(
  { field, maxLength }: Found,
  others: object,
  value: string,
): readonly (readonly [string, string])[] {
  const body = (fields: object) => JSON.stringify({ ...others, ...fields });
  const nested = Array.from({ length: 40 }).reduce<string>((inner) => `[${inner}]`, JSON.stringify(value));
  return [
    ['too long', body({ [field]: value.repeat(Math.ceil((maxLength + 1) / value.length)) })],
    ['in a list', body({ [field]: [value] })],
    ['in an object', body({ [field]: { [value]: { [field]: value } } })],
    ['too deep', `{"${field}":${nested}}`],
    ['beside an unknown field', body({ [field]: value, unknown: 1 })],
    ['without the other fields', JSON.stringify({ [field]: value, unknown: value })],
    ['as the name of a field', body({ [value]: 1 })],
    ['as the name of a field, twice', `{${JSON.stringify(value)}:1,${JSON.stringify(value)}:2}`],
    ['as a name', body({ name: value, ip_address: value })],
    ['twice', `{"${field}":${JSON.stringify(value)},"${field}":${JSON.stringify(value)}}`],
    ['as the body', JSON.stringify(value)],
    ['as a list', JSON.stringify([value])],
    ['without quotes', `{"${field}":${value}}`],
    ['not ended', body({ [field]: value }).slice(0, -2)],
    ['with a line feed', `{"${field}":"${value}\n"}`],
    ['without JSON', value],
    ['not UTF-8', `${body({ [field]: value }).slice(0, -1)},"x":"\u00ff"}`],
  ];
}

interface Found {
  readonly operation: Operation;
  readonly field: string;
  readonly maxLength: number;
}

function secretFields(operation: Operation): Found[] {
  const { properties = {} } = (operation.body ?? {}) as {
    readonly properties?: Record<string, { writeOnly?: true; maxLength: number }>;
  };
  return Object.entries(properties)
    .filter(([, { writeOnly }]) => writeOnly === true)
    .map(([field, { maxLength }]) => ({ operation, field, maxLength }));
}

const found = (operations as readonly Operation[]).flatMap(secretFields);

test('the secret of a webhook, and what may contain a private key, are declared as secrets', () => {
  expect(found.map(({ operation, field }) => `${operation.id}.${field}`).toSorted()).toEqual([
    'addCertificate.certificate',
    'addCertificate.private_key',
    'replaceCertificate.certificate',
    'replaceCertificate.private_key',
    'setWebhook.secret',
  ]);
});

test.each(secrets)('%s in a secret field is in no answer, log line, event or audit row', async (_what, value) => {
  const ended: EndedOperation[] = [];
  const { app, logged } = stubApp({ operations: { ended: (one: EndedOperation) => void ended.push(one) } });
  for (const one of found) {
    const { operation } = one;
    const example = Object.values(operation.examples)[0] as { path?: Record<string, string>; body?: object };
    const url = operation.path.replaceAll(/:([a-z_]+)/g, (_all, name: string) => example.path![name]!);
    for (const [how, payload] of wrongBodies(one, example.body ?? {}, value)) {
      for (const accept of ['application/json', 'application/x-protobuf']) {
        ended.length = 0;
        logged.length = 0;
        const answer = await app.inject({
          method: operation.method as 'PUT',
          url,
          headers: { ...BEARER, accept, 'content-type': 'application/json' },
          payload: how === 'not UTF-8' ? Buffer.from(payload, 'latin1') : payload,
        });
        const output = answer.body + JSON.stringify([answer.headers, logged, ended]);
        expect({ how, status: answer.statusCode, shown: shownOf(value, output) }).toMatchObject({ how, shown: [] });
        expect({ how, status: answer.statusCode }).toSatisfy(({ status }) => status >= 400 && status < 500);
      }
    }
  }
  await app.close();
});

const text = (rules: object) => Type.String({ ...secret, description: 'A key.', mustBe: 'a private key', ...rules });
const schemas: readonly (readonly [string, TSchema, (value: string) => unknown])[] = [
  ['a text', text({ maxLength: 9 }), (value) => value],
  ['a text or null', orNull(text({ maxLength: 9 }), 'A key.'), (value) => value],
  ['a choice', { ...text({}), enum: ['a', 'b'] } as unknown as TSchema, (value) => value],
  ['a list', Type.Array(text({ maxLength: 9 })), (value) => [value]],
  [
    'an object',
    Type.Object({ key: Type.Object({ pem: text({ pattern: '^x' }) }) }),
    (value) => ({ key: { pem: value } }),
  ],
  [
    'a list of objects',
    Type.Array(Type.Object({ pem: text({ maxLength: 9 }) }, { additionalProperties: false })),
    (value) => [{ pem: 'x' }, { pem: value, [value]: value }],
  ],
];

test.each(schemas)('%s with a secret that breaks its schema does not show it', async (_what, schema, sent) => {
  const app = fastify({ ajv: { customOptions: schemaRules } });
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toProblem(asAnswerableError(error), 'r');
    return reply.code(status).send(body);
  });
  const body = requestModel('Sent', 'A key.', 'a JSON object with private_key', { private_key: schema });
  app.post('/', { schema: { body } }, () => '');
  for (const [, value] of secrets) {
    const answer = await app.inject({ method: 'POST', url: '/', payload: { private_key: sent(value) } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors[0].name).toMatch(/^private_key/);
    expect(shownOf(value, answer.body)).toEqual([]);
  }
  await app.close();
});
