// Generated from the declarations that also validate requests (ADR 0028).

import Type from 'typebox';
import { type Answer, type Example, isOptionalBody, type Operation, tags } from '../../api/operation.ts';
import { Problem, ScopeMembers } from '../../api/problem.ts';
import { lookUpCode } from '../../errors/catalogue.ts';
import { version } from '../../version.ts';
import { Components, type Json, sentence } from './components.ts';
import type { OpenApi } from './openapi-types.ts';
import { commonCodes, sampleProblem } from './problems.ts';

const introduction = `JSON in and out, names in snake_case; unknown fields are rejected. Times are UTC, ISO 8601.

Every request needs \`Authorization: Bearer KEY\` with a key of the scope that the operation names, unless the operation says otherwise. A missing and a wrong key get the same response (401). From the 21st wrong key within a minute from one address the response is 429; a valid key never gets it.

One parser reads all addresses and converts them to one form: RFC 5952 for IPv6, \`::ffff:a.b.c.d\` becomes IPv4, \`/32\` and \`/128\` become the plain address. Host bits in a network, zone ids, leading zeros in IPv4, \`0.0.0.0/0\`, \`::/0\` and IPv6 networks that would cover all of IPv4 are rejected with a message that says how to correct the address.

Every error is a problem document (RFC 9457) with a \`code\` whose kind and meaning never change; with \`Accept: application/x-protobuf\` it is an \`errors.v1.ApiError\`. An unknown path is 404 with the code 404; a method that a path does not support is 405 with the code 6011 and an \`Allow\` header. \`Retry-After\` is sent if a later retry can succeed.

HEAD is supported wherever GET is. A JSON response with status 200 to a GET with a key has an \`ETag\`: sent as \`If-None-Match\`, it is answered with 304 and no body while the response would be the same. With \`Accept-Encoding: gzip\` such a response of a kilobyte or more may be compressed. Every response has \`X-Request-Id\`, which is in every log line about the request.`;

const sharedHeaders: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description:
      'The id of this request: the one that the client sent, if it has this form, or a new one. It is in every log line about the request.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
    example: 'V1StGXR8_Z5jdHi6',
  },
  'Retry-After': {
    description: 'After how many seconds to retry. Absent if a retry does not help.',
    schema: { type: 'integer', minimum: 1, maximum: 3600 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'RFC 6750. For a valid key without the required scope it names the scope.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="insufficient_scope", scope="admin"',
  },
  Vary: {
    description: 'The headers of the request on which the response depends.',
    schema: { type: 'string' },
    example: 'Accept',
  },
};

function answerHeaders(...names: readonly string[]): Json {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const protobufError = Type.Unsafe<string>({
  title: 'ProtobufError',
  type: 'string',
  description:
    'The same error as `errors.v1.ApiError`, with `Accept: application/x-protobuf`; as `errors.v1.Err` with `Accept: application/x-protobuf; messageType="errors.v1.Err"`. The messages are defined in `proto/` of the project.',
  contentMediaType: 'application/x-protobuf',
});

interface Properties {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const JSON_TYPE = 'application/json';

export function openApiDocument(operations: readonly Operation[]): OpenApi {
  const components = new Components();
  const shared = new SharedProblems(components);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = documentedPath(operation.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = documented(operation, components, shared);
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'proxy-manager',
      version,
      summary: 'Runs HAProxy for many sites and maintains its list of blocked addresses.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that answered this document.' }],
    security: [{ api_key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        api_key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A key from `POST /api/keys` or from the settings, or the token of a session. Each operation names the scope that its key needs: `read`, `block` (includes `read`) or `admin` (everything).',
        },
      },
      headers: sharedHeaders,
      responses: shared.responses,
      schemas: components.schemas(),
    },
  };
  return document as unknown as OpenApi;
}

export function documentedPath(url: string): string {
  return url.replaceAll(/:([a-z_]+)/g, '{$1}');
}

function documented(operation: Operation, components: Components, shared: SharedProblems): Json {
  const { id, tag, summary, description, access } = operation;
  const body = requestBody(operation, components);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: access === 'open' ? description : `${description}\n\nNeeds the scope \`${access}\`.`,
    // OpenAPI 3.1 allows scopes for any scheme.
    security: access === 'open' ? [] : [{ api_key: [access] }],
    ...parametersOf(operation, components),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(operation, components, shared),
  };
}

function parametersOf(operation: Operation, components: Components): Json {
  const of = (place: 'path' | 'query', part: Properties | undefined): Json[] =>
    Object.entries(part?.properties ?? {}).map(([name, own]) => {
      const { description, mustBe: rule, examples, ...rest } = own;
      const given = examplesOf(operation, (example) => example[place]?.[name]);
      return {
        name,
        in: place,
        required: place === 'path' || ((part?.required ?? []).includes(name) && own['default'] === undefined),
        description: typeof rule === 'string' ? `${description} ${sentence(rule)}` : description,
        schema: components.use(rest),
        ...(Object.keys(given).length > 0
          ? { examples: given }
          : { example: (examples as readonly unknown[] | undefined)?.[0] }),
      };
    });
  const list = [...of('path', operation.params as Properties), ...of('query', operation.query as Properties)];
  return list.length === 0 ? {} : { parameters: list };
}

function requestBody(operation: Operation, components: Components): Json | null {
  const { body, streamedBody } = operation;
  const types = streamedBody ?? (body === undefined ? null : { [JSON_TYPE]: body });
  if (types === null) return null;
  const content = Object.entries(types).map(([type, own]) => [
    type,
    {
      schema: components.use(own),
      examples: examplesOf(operation, ({ mediaType = JSON_TYPE, body: given }) =>
        mediaType === type ? given : undefined,
      ),
    },
  ]);
  return { required: !isOptionalBody(body), content: Object.fromEntries(content) };
}

function responsesOf(operation: Operation, components: Components, shared: SharedProblems): Json {
  const statuses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers))
    statuses[status] = answerOf(operation, status, answer, components);
  const all = new Set([...commonCodes(natureOf(operation)), ...(operation.codes ?? [])]);
  const byStatus = Map.groupBy(all, (code) => String(lookUpCode(code).status));
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => Number(a) - Number(b))) {
    codes.sort((a, b) => a - b);
    const answer = statuses[status];
    statuses[status] =
      answer === undefined
        ? shared.response(operation, status, codes)
        : besideAnswer(answer, shared.own(operation, status, codes));
  }
  return statuses;
}

/** One status for a response and a problem, by media type. */
function besideAnswer(answer: Json, problem: Json): Json {
  return {
    ...answer,
    description: `${answer['description']}\n\nOr, as a problem: ${problem['description']}`,
    headers: { ...(answer['headers'] as Json), ...(problem['headers'] as Json) },
    content: { ...(answer['content'] as Json), ...(problem['content'] as Json) },
  };
}

function natureOf({ access, path, query, body, streamedBody }: Operation) {
  return {
    open: access === 'open',
    body: streamedBody !== undefined ? 'streamed' : body === undefined ? 'none' : 'schema',
    pathFields: [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] as string),
    queryFields: query === undefined ? null : Object.keys((query as Properties).properties ?? {}),
  } as const;
}

function answerOf(operation: Operation, status: string, answer: Answer, components: Components): Json {
  const { description, schema: own, content: other, headers = [] } = answer;
  const types = { ...(own === undefined ? {} : { [JSON_TYPE]: own }), ...other };
  const content = Object.entries(types).map(([type, schema]) => {
    const examples = examplesOf(operation, (example) =>
      String(example.status ?? 200) === status && answerType(example) === type ? example.answer : undefined,
    );
    return [type, { schema: components.use(schema), ...(Object.keys(examples).length > 0 ? { examples } : {}) }];
  });
  const body = content.length === 0 ? {} : { content: Object.fromEntries(content) };
  return { description, headers: answerHeaders(...headers), ...body };
}

/** A string is of the requested type; anything else is JSON. */
function answerType({ answer, accept }: Example): string {
  return typeof answer === 'string' ? (accept ?? 'text/plain') : JSON_TYPE;
}

function examplesOf({ examples }: Operation, value: (example: Example) => unknown): Record<string, Json> {
  const found = Object.entries(examples).map(([name, example]) => [name, example, value(example)] as const);
  return Object.fromEntries(
    found.filter((one) => one[2] !== undefined).map(([name, { summary }, given]) => [name, { summary, value: given }]),
  );
}

/** A problem that is the same for every operation is a component. */
class SharedProblems {
  readonly responses: Record<string, Json> = {};
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  response(operation: Operation, status: string, codes: readonly number[]): Json {
    const isOwn = operation.members?.[Number(status)] !== undefined || samplesOf(operation, status).length > 0;
    if (codes.length > 1 || isOwn) return this.own(operation, status, codes);
    const { name } = lookUpCode(codes[0] as number);
    this.responses[name] ??= this.own(operation, status, codes);
    return { $ref: `#/components/responses/${name}` };
  }

  own(operation: Operation, status: string, codes: readonly number[]): Json {
    const members = operation.members?.[Number(status)] ?? (status === '403' ? ScopeMembers : undefined);
    const own = this.#components.use(Problem);
    const these = { type: 'object', properties: { code: { type: 'integer', enum: codes } } };
    const given = samplesOf(operation, status);
    const others = codes.filter((code) => !given.some(([, { answer }]) => (answer as Json)['code'] === code));
    const examples = Object.fromEntries([
      ...given.map(([name, { summary, answer }]) => [name, { summary, value: answer }]),
      ...others.map((code) => [`code_${code}`, { summary: lookUpCode(code).message, value: sampleProblem(code) }]),
    ]);
    return {
      description: codes.map((code) => `${code} ${lookUpCode(code).message}`).join(', '),
      headers: answerHeaders(...(headersOf[status] ?? []), 'Vary'),
      content: {
        'application/problem+json': {
          schema: { allOf: [own, ...(members === undefined ? [] : [this.#components.use(members)]), these] },
          examples,
        },
        'application/x-protobuf': { schema: this.#components.use(protobufError) },
      },
    };
  }
}

function samplesOf({ examples }: Operation, status: string): [string, Example][] {
  return Object.entries(examples).filter(([, example]) => String(example.status) === status);
}

const headersOf: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
