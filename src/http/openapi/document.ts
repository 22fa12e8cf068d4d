// The OpenAPI 3.1 document: made from the routes' own schemas and the table of scopes, so that it cannot say anything
// else than what is checked and answered; the words are in the files beside this one.

import { lookUpCode } from '../../errors/catalogue.ts';
import { version } from '../../version.ts';
import type { Access } from '../route-access.ts';
import { ProblemSchema, ScopeMembers } from '../schemas/problem.ts';
import { Components, type Json, sentence } from './components.ts';
import { introduction } from './introduction.ts';
import type { OpenApi } from './openapi-types.ts';
import { type AnswerDoc, type Example, type OperationDoc, tags } from './operation-doc.ts';
import { operationDocs } from './operations.ts';
import { parameters } from './parameters.ts';
import { commonCodes, sampleProblem } from './problems.ts';
import { answerHeaders, protobufError, sharedHeaders } from './shared-parts.ts';

/** A route as it was registered. */
export interface DocumentedRoute {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  readonly schema: {
    readonly params?: Json;
    readonly querystring?: Json;
    readonly body?: Json;
    readonly response?: Readonly<Record<string, Json>>;
  };
  readonly streamed: boolean;
  readonly doc: OperationDoc;
}

interface Properties {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const JSON_TYPE = 'application/json';

export function openApiDocument(routes: readonly DocumentedRoute[]): OpenApi {
  const components = new Components();
  const shared = new SharedProblems(components);
  const paths: Record<string, Record<string, Json>> = {};
  const sections = Object.keys(tags);
  const order = Object.values(operationDocs).sort((a, b) => sections.indexOf(a.tag) - sections.indexOf(b.tag));
  for (const route of routes.toSorted((a, b) => order.indexOf(a.doc) - order.indexOf(b.doc))) {
    const path = documentedPath(route.url);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, components, shared);
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'proxy-manager',
      version,
      summary: 'Runs a HAProxy for many sites and keeps its blocked addresses.',
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
            'A key of `POST /api/keys`, or the one of the settings. Each operation names the scope that its key needs: `read`, `block` (with all of `read`) or `admin` (everything).',
        },
      },
      headers: sharedHeaders,
      responses: shared.responses,
      schemas: components.schemas(),
    },
  };
  return document as unknown as OpenApi;
}

/** `/api/sites/:domain` as OpenAPI writes it. */
export function documentedPath(url: string): string {
  return url.replaceAll(/:([a-z_]+)/g, '{$1}');
}

function operation(route: DocumentedRoute, components: Components, shared: SharedProblems): Json {
  const { access, doc } = route;
  const body = requestBody(route, components);
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    description: access === 'open' ? doc.description : `${doc.description}\n\nNeeds the scope \`${access}\`.`,
    // RFC 6750 has scopes for every bearer; OpenAPI 3.1 allows to name them for any scheme.
    security: access === 'open' ? [] : [{ api_key: [access] }],
    ...parametersOf(route, components),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(route, components, shared),
  };
}

function parametersOf({ schema, doc }: DocumentedRoute, components: Components): Json {
  const of = (place: 'path' | 'query', part: Properties | undefined): Json[] =>
    Object.entries(part?.properties ?? {}).map(([name, own]) => {
      const text = parameters[name];
      if (text === undefined) throw new Error(`parameters.ts says nothing of ${name}`);
      const { description, mustBe: rule = description, ...rest } = own;
      const given = examplesOf(doc, (example) => example[place]?.[name]);
      return {
        name,
        in: place,
        required: place === 'path' || ((part?.required ?? []).includes(name) && own['default'] === undefined),
        description: typeof rule === 'string' ? `${text.description} ${sentence(rule)}` : text.description,
        schema: components.use({ ...rest, ...text.schema }),
        ...(Object.keys(given).length > 0 ? { examples: given } : { example: text.example }),
      };
    });
  const list = [...of('path', schema.params as Properties), ...of('query', schema.querystring as Properties)];
  return list.length === 0 ? {} : { parameters: list };
}

function requestBody({ schema, doc }: DocumentedRoute, components: Components): Json | null {
  const types = doc.body ?? (schema.body === undefined ? null : { [JSON_TYPE]: schema.body });
  if (types === null) return null;
  const content = Object.entries(types).map(([type, own]) => [
    type,
    {
      schema: components.use(own),
      examples: examplesOf(doc, (example) => ((example.mediaType ?? JSON_TYPE) === type ? example.body : undefined)),
    },
  ]);
  // A body whose every field may be left out may be left out itself.
  const needed = schema.body === undefined || ((schema.body as Properties).required ?? []).length > 0;
  return { required: needed, content: Object.fromEntries(content) };
}

function responsesOf(route: DocumentedRoute, components: Components, shared: SharedProblems): Json {
  const { doc } = route;
  const statuses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(doc.answers))
    statuses[status] = answerOf(route, status, answer, components);
  const byStatus = Map.groupBy(new Set([...commonCodes(natureOf(route)), ...(doc.codes ?? [])]), (code) =>
    String(lookUpCode(code).status),
  );
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => Number(a) - Number(b))) {
    codes.sort((a, b) => a - b);
    const answer = statuses[status];
    statuses[status] =
      answer === undefined
        ? shared.response(route, status, codes)
        : besideAnswer(answer, shared.own(route, status, codes));
  }
  for (const status of Object.keys(route.schema.response ?? {})) {
    if (statuses[status] === undefined)
      throw new Error(`${doc.id} answers ${status}, which its description leaves out`);
  }
  return statuses;
}

/** A status that is an answer or a problem, by its media type. */
function besideAnswer(answer: Json, problem: Json): Json {
  return {
    ...answer,
    description: `${answer['description']}\n\nOr, as a problem: ${problem['description']}`,
    headers: { ...(answer['headers'] as Json), ...(problem['headers'] as Json) },
    content: { ...(answer['content'] as Json), ...(problem['content'] as Json) },
  };
}

function natureOf({ access, schema, streamed, url }: DocumentedRoute) {
  return {
    open: access === 'open',
    body: streamed ? 'streamed' : schema.body === undefined ? 'none' : 'schema',
    pathFields: [...url.matchAll(/:([a-z_]+)/g)].map((match) => match[1] as string),
    queryFields:
      schema.querystring === undefined ? null : Object.keys((schema.querystring as Properties).properties ?? {}),
  } as const;
}

function answerOf(route: DocumentedRoute, status: string, answer: AnswerDoc, components: Components): Json {
  const own = route.schema.response?.[status];
  const types = { ...(own === undefined ? {} : { [JSON_TYPE]: own }), ...answer.content };
  const content = Object.entries(types).map(([type, schema]) => {
    const examples = examplesOf(route.doc, (example) =>
      String(example.status ?? 200) === status && answerType(example) === type ? example.answer : undefined,
    );
    return [type, { schema: components.use(schema), ...(Object.keys(examples).length > 0 ? { examples } : {}) }];
  });
  return {
    description: answer.description,
    headers: answerHeaders(...(answer.headers ?? [])),
    content: Object.fromEntries(content),
  };
}

/** A text is answered as the type that was asked for; everything else as JSON. */
function answerType({ answer, accept }: Example): string {
  return typeof answer === 'string' ? (accept ?? 'text/plain') : JSON_TYPE;
}

function examplesOf(doc: OperationDoc, value: (example: Example) => unknown): Record<string, Json> {
  const found = Object.entries(doc.examples).map(([name, example]) => [name, example, value(example)] as const);
  return Object.fromEntries(
    found.filter((one) => one[2] !== undefined).map(([name, { summary }, given]) => [name, { summary, value: given }]),
  );
}

/** Problems by status. Those that say the same for every operation stand once, as components. */
class SharedProblems {
  readonly responses: Record<string, Json> = {};
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  /** The response, or a reference to it where it says nothing of its own. */
  response(route: DocumentedRoute, status: string, codes: readonly number[]): Json {
    const { doc } = route;
    const isOwn = doc.members?.[Number(status)] !== undefined || samplesOf(doc, status).length > 0;
    if (codes.length > 1 || isOwn) return this.own(route, status, codes);
    const { name } = lookUpCode(codes[0] as number);
    this.responses[name] ??= this.own(route, status, codes);
    return { $ref: `#/components/responses/${name}` };
  }

  own({ doc }: DocumentedRoute, status: string, codes: readonly number[]): Json {
    const members = doc.members?.[Number(status)] ?? (status === '403' ? ScopeMembers : undefined);
    const own = this.#components.use(ProblemSchema);
    const these = { type: 'object', properties: { code: { type: 'integer', enum: codes } } };
    const given = samplesOf(doc, status);
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

/** Examples that end in this problem. */
function samplesOf(doc: OperationDoc, status: string): [string, Example][] {
  return Object.entries(doc.examples).filter(([, example]) => String(example.status) === status);
}

const headersOf: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
