// Each list of exceptions may only shrink.
import { beforeAll, describe, expect, it, test } from 'vitest';
import { apiDocument } from '../../../testkit/http/api-document.ts';
import { DocumentCheck } from '../../../testkit/http/document-check.ts';
import { routeAccess } from '../../../testkit/http/route-access.ts';
import { stubApp } from '../../../testkit/http/stub-services.ts';
import { tags } from '../../api/operation.ts';
import { catalogue, codes, lookUpCode, reservedCodes } from '../../errors/catalogue.ts';
import { isPanelRoute } from '../panel-pages.ts';
import { documentedPath } from './document.ts';
import type { OpenApi, Operation, Response, Schema } from './openapi-types.ts';
import { nameOfReference } from './openapi-types.ts';
import { sampleProblem } from './problems.ts';

let document: OpenApi;
let check: DocumentCheck;
let all: { readonly name: string; readonly operation: Operation }[];

beforeAll(async () => {
  document = await apiDocument();
  check = new DocumentCheck(document);
  all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
});

/** Each once. */
function schemas(): { readonly at: string; readonly schema: Schema }[] {
  const found: { at: string; schema: Schema }[] = [];
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && !('in' in value) && at.includes('schema')) found.push({ at, schema: value as Schema });
    for (const [name, inner] of Object.entries(value)) {
      if (name !== 'examples' && name !== 'example') walk(inner, `${at}/${name}`);
    }
  };
  walk(document.paths, 'paths');
  walk(document.components, 'components');
  return found;
}

function responseOf(response: Response): Response {
  return response.$ref === undefined
    ? response
    : (document.components.responses[nameOfReference(response.$ref)] as Response);
}

function codesOf(response: Response): number[] {
  const schema = responseOf(response).content?.['application/problem+json']?.schema;
  return (schema?.allOf ?? []).flatMap(({ properties }) => (properties?.['code']?.enum ?? []) as number[]);
}

describe('the document', () => {
  it('has every route with its required scope, and no other', () => {
    const secured = Object.fromEntries(all.map(({ name, operation }) => [name, operation.security]));
    const wanted = Object.entries(routeAccess)
      .filter(([route]) => !isPanelRoute(route.replace('GET ', '')))
      .map(([route, access]) => [documentedPath(route), access === 'open' ? [] : [{ api_key: [access] }]]);
    expect(secured).toEqual(Object.fromEntries(wanted));
  });

  it('needs no key and is JSON', async () => {
    const { app } = stubApp();
    const answer = await app.inject('/openapi.json');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json().openapi).toBe('3.1.1');
  });

  it('has a summary, a description and a successful example of every operation', () => {
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation } of all) {
      const { operationId, summary, description, responses } = operation;
      expect({ name, operationId }).toEqual({ name, operationId: expect.stringMatching(/^[a-z]+([A-Z][a-z]+)*$/) });
      expect({ name, summary }).toEqual({ name, summary: expect.stringMatching(/^[A-Z][^.]{5,70}$/) });
      expect({ name, description }).toEqual({ name, description: expect.stringMatching(/^[A-Z][\s\S]{20,}[.`]$/) });
      expect({ name, tags: operation.tags.filter((tag) => Object.hasOwn(tags, tag)).length }).toEqual({
        name,
        tags: 1,
      });
      const answered = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const examples = answered.flatMap(([, { content = {} }]) =>
        Object.values(content).flatMap((one) => Object.keys(one.examples ?? {})),
      );
      expect({ name, examples: examples.length > 0 }).toEqual({ name, examples: true });
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        expect({ name, type, examples: Object.keys(media.examples ?? {}).length }).not.toMatchObject({ examples: 0 });
      }
    }
  });

  it('has every tag in use', () => {
    expect([...new Set(all.flatMap(({ operation }) => operation.tags))].sort()).toEqual(Object.keys(tags).sort());
  });

  it('has 401, 403 and 429 exactly where a key is required', () => {
    for (const { name, operation } of all) {
      const keyed = operation.security.length > 0;
      for (const status of [401, 403, 429]) {
        expect({ name, status, there: operation.responses[status] !== undefined }).toEqual({
          name,
          status,
          there: keyed,
        });
      }
    }
  });

  it('has every error as a problem and as protobuf, with its codes, and a sample of each', () => {
    for (const { name, operation } of all) {
      for (const [status, response] of Object.entries(operation.responses).filter(([one]) => one >= '400')) {
        const { content = {}, headers = {} } = responseOf(response);
        const at = { name, status };
        expect({ ...at, types: Object.keys(content) }).toEqual({
          ...at,
          types: expect.arrayContaining(['application/problem+json', 'application/x-protobuf']),
        });
        const known = codesOf(response);
        expect({ ...at, known: known.length }).not.toEqual({ ...at, known: 0 });
        for (const code of known)
          expect({ ...at, code: lookUpCode(code).status }).toEqual({ ...at, code: Number(status) });
        const samples = Object.values(content['application/problem+json']?.examples ?? {});
        expect({
          ...at,
          codes: [...new Set(samples.map(({ value }) => (value as { code: number }).code))].sort(),
        }).toEqual({
          ...at,
          codes: [...known].sort(),
        });
        expect(Object.keys(headers)).toContain('X-Request-Id');
        if (status === '503' || status === '429') expect(Object.keys(headers)).toContain('Retry-After');
        if (status === '401') expect(Object.keys(headers)).toContain('WWW-Authenticate');
      }
    }
  });

  it('has every code of the catalogue that HTTP can return', () => {
    const atShutdown = [codes.ShuttingDown];
    /** Requests without an operation; the introduction documents these. */
    const ofNoRoute = [codes.NoSuchEndpoint, codes.MethodNotAllowed];
    const named = new Set(all.flatMap(({ operation }) => Object.values(operation.responses).flatMap(codesOf)));
    const missing = [...catalogue.keys()].filter((code) => !named.has(code)).sort((a, b) => a - b);
    expect(missing).toEqual([...ofNoRoute, ...atShutdown, ...reservedCodes].sort((a, b) => a - b));
    for (const code of ofNoRoute) expect(document.info.description).toContain(`code ${code}`);
    for (const code of missing) expect(() => sampleProblem(code)).toThrow('has no sample');
  });

  it('has names in snake_case, no `nullable`, and describes every field', () => {
    for (const { at, schema } of schemas()) {
      expect({ at, nullable: 'nullable' in schema }).toEqual({ at, nullable: false });
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        expect({ at, name }).toEqual({ at, name: expect.stringMatching(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/) });
        // The codes of one response; the problem schema describes the field.
        if (/allOf/.test(at)) continue;
        expect({ at, name, description: field.description }).toEqual({
          at,
          name,
          description: expect.stringMatching(/^[A-Z`][\s\S]*[.]$/),
        });
      }
    }
    for (const { name, operation } of all) {
      for (const parameter of operation.parameters ?? []) {
        expect({ name, of: parameter.name }).toEqual({ name, of: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/) });
        expect(parameter.description).toMatch(/^[A-Z`][\s\S]*[.]$/);
        expect({ name, of: parameter.name, example: parameter.example ?? parameter.examples }).not.toMatchObject({
          example: undefined,
        });
      }
    }
    for (const [name, { description }] of Object.entries(document.components.schemas)) {
      expect({ name, description }).toEqual({ name, description: expect.stringMatching(/^[A-Z][\s\S]*[.]$/) });
    }
  });

  it('limits every integer, or says what it counts', () => {
    for (const { at, schema } of schemas()) {
      if (![schema.type].flat().includes('integer') || schema.enum !== undefined) continue;
      expect({ at, minimum: schema.minimum }).toEqual({ at, minimum: expect.any(Number) });
      // A count has no limit; a duration has its unit in its name.
      const text = `${at.split('/').at(-1)} ${schema.description}`;
      if (schema.maximum === undefined)
        expect({ at, text }).toEqual({
          at,
          text: expect.stringMatching(/_ms |_total |How (many|often)|[Cc]ounted from|bytes|The line/),
        });
    }
  });

  it('rejects unknown fields in every request object', () => {
    const sent = new Set<string>();
    const follow = (value: unknown): void => {
      for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
        if (sent.has(name as string)) continue;
        sent.add(name as string);
        follow(document.components.schemas[name as string]);
      }
    };
    for (const { operation } of all) follow(operation.requestBody ?? {});
    expect(sent.size).toBeGreaterThan(5);
    for (const name of sent) {
      const { type, additionalProperties } = document.components.schemas[name] as Schema;
      if (type === 'object') expect({ name, additionalProperties }).toEqual({ name, additionalProperties: false });
    }
  });

  it('has no unused component', () => {
    const text = JSON.stringify(document);
    for (const [kind, parts] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(parts)) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  it('has only examples that are valid by its schemas', () => {
    const faults: string[] = [];
    for (const { name, operation } of all) {
      const [method = '', path = ''] = name.split(' ');
      for (const { name: of, schema, example, examples = {} } of operation.parameters ?? []) {
        for (const value of [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map((one) => one.value),
        ])
          faults.push(...check.valueFaults(schema, value).map((fault) => `${name} ${of}: ${fault}`));
      }
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        for (const [example, { value }] of Object.entries(media.examples ?? {})) {
          // The example of a rejection may violate the schema: test/api-examples.test.ts runs it.
          const refused = operation.responses[400]?.content?.['application/problem+json']?.examples?.[example];
          if (refused === undefined)
            faults.push(...check.valueFaults(media.schema, value).map((fault) => `${name} ${example}: ${fault}`));
        }
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(responseOf(response).content ?? {})) {
          for (const [example, { value }] of Object.entries(media.examples ?? {})) {
            const text = typeof value === 'string' ? value : JSON.stringify(value);
            const seen = { status: Number(status), contentType: type, text };
            if (operation.operationId !== 'getDescription')
              faults.push(...check.answerFaults(method, path, seen).map((fault) => `${example}: ${fault}`));
          }
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

test('the test kit detects a response with fields outside its schema, in problems too', () => {
  const [, one = { value: {} }] = Object.values(
    document.paths['/api/blocked-ips']?.['post']?.responses[201]?.content?.['application/json']?.examples ?? {},
  );
  const faults = (status: number, contentType: string, value: object) =>
    check.answerFaults('POST', '/api/blocked-ips', { status, contentType, text: JSON.stringify(value) });
  expect(faults(201, 'application/json; charset=utf-8', one.value as object)).toEqual([]);
  expect(faults(201, 'application/json; charset=utf-8', { ...(one.value as object), more: 1 })).not.toEqual([]);
  const type = 'application/problem+json';
  expect(faults(409, type, sampleProblem(6007))).toEqual([]);
  expect(faults(409, type, { ...sampleProblem(6007), more: 1 })).not.toEqual([]);
  expect(faults(409, type, { ...sampleProblem(6007), code: 1002 })).not.toEqual([]);
  expect(faults(418, type, sampleProblem(6007))).toEqual(['POST /api/blocked-ips is not documented to answer 418']);
});

test('two different schemas with the same title are an error', async () => {
  const { Components } = await import('./components.ts');
  const components = new Components();
  components.use({ title: 'Same', type: 'string' });
  expect(() => components.use({ title: 'Same', type: 'integer' })).toThrow(/two different schemas have the title Same/);
});
