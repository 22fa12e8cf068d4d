import type { Media, NamedExample, OpenApi, Operation, Parameter, Response } from '../openapi/openapi-types.ts';
import { nameOfReference } from '../openapi/openapi-types.ts';
import { breakable, type Html, html, inline, paragraphs } from './html.ts';
import { fieldTable, typeText } from './schemas.ts';

export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationSection(document: OpenApi, { method, path, operation }: PlacedOperation): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`
<section class="operation" id="${operationId}">
<h3>${summary}</h3>
<p class="line"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(description)}
${parameters.length === 0 ? '' : parameterTable(parameters)}
${requestBody === undefined ? '' : bodyPart(document, requestBody.content)}
${exampleNames(operation).map((name) => exampleBlock(document, { method, path, operation }, name))}
<h4>Responses</h4>
<table><thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Body</th></tr></thead><tbody>
${Object.entries(responses).map(([status, response]) => answerRow(status, resolved(document, response)))}</tbody></table>
</section>`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
  return html`<h4>Parameters</h4>
<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
${parameters.map(
  ({ name, required, schema, description, ...parameter }) =>
    html`<tr><th scope="row"><code>${breakable(name)}</code>${required ? '' : html` <small>optional</small>`}</th><td>${parameter.in}</td><td>${typeText(schema)}</td><td>${inline(description)}${schema.default === undefined ? '' : html` Default: <code>${String(schema.default)}</code>.`}</td></tr>
`,
)}</tbody></table>`;
}

function bodyPart(document: OpenApi, content: Readonly<Record<string, Media>>): Html {
  const types = Object.entries(content).map(
    ([type, { schema }], index) => html`${index === 0 ? '' : ', or '}${typeText(schema)} as <code>${type}</code>`,
  );
  const tables = Object.values(content).map(({ schema }) => {
    const named = document.components.schemas[nameOfReference(schema.$ref ?? '')];
    return named?.properties === undefined ? '' : fieldTable(named);
  });
  return html`<h4>Body</h4><p>${types}</p>${tables}`;
}

function exampleNames({ parameters = [], requestBody, responses }: Operation): string[] {
  const names = [
    ...Object.values(requestBody?.content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples)),
    ...parameters.flatMap(({ examples = {} }) => Object.keys(examples)),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status < '300' ? Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)) : [],
    ),
  ];
  return [...new Set(names)];
}

function exampleBlock(document: OpenApi, { method, path, operation }: PlacedOperation, name: string): Html {
  const request = requestOf(operation, name);
  const answers = Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(resolved(document, response).content ?? {}).flatMap(([type, { examples }]) =>
      examples?.[name] === undefined ? [] : [{ status, type, example: examples[name] as NamedExample }],
    ),
  );
  const [answer] = answers;
  const summary = answer?.example.summary ?? summaryOf(operation, name);
  const accept = answer !== undefined && answer.type === 'text/plain' && path.startsWith('/api/') ? answer.type : null;
  return html`<h4>Example: ${inline(summary)}</h4>
<pre><code>${curlCommand(method, path, operation, { ...request, accept })}</code></pre>
${
  answer === undefined
    ? ''
    : html`<pre class="answer"><code><span class="status">${answer.status}</span> ${answer.type}

${answerText(answer.example.value)}</code></pre>`
}
`;
}

function requestOf({ parameters = [], requestBody }: Operation, name: string): Omit<ExampleRequest, 'accept'> {
  const of = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters.flatMap((parameter) => {
        if (parameter.in !== place) return [];
        const value = parameter.examples?.[name]?.value ?? (place === 'path' ? parameter.example : undefined);
        return value === undefined ? [] : [[parameter.name, value]];
      }),
    );
  const body = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples }]) =>
    examples?.[name] === undefined ? [] : [{ type, value: examples[name].value }],
  )[0];
  return { path: of('path'), query: of('query'), body: body ?? null };
}

function summaryOf({ requestBody, parameters = [] }: Operation, name: string): string {
  const all = [
    ...Object.values(requestBody?.content ?? {}).map((one) => one.examples),
    ...parameters.map((one) => one.examples),
  ];
  return all.map((examples) => examples?.[name]?.summary).find((summary) => summary !== undefined) ?? name;
}

function answerText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function answerRow(status: string, { description, content = {} }: Response): Html {
  const bodies = Object.entries(content).filter(([type]) => type !== 'application/x-protobuf');
  const types = bodies.map(
    ([type, { schema }], index) =>
      html`${index === 0 ? '' : ', '}${typeText(schema)}${type === 'text/plain' ? ' as text' : ''}`,
  );
  return html`<tr><th scope="row" class="${status < '400' ? 'good' : 'bad'}">${status}</th><td>${paragraphs(description)}</td><td>${types}</td></tr>
`;
}

function resolved(document: OpenApi, response: Response): Response {
  return response.$ref === undefined
    ? response
    : (document.components.responses[nameOfReference(response.$ref)] as Response);
}

interface ExampleRequest {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: { readonly type: string; readonly value: unknown } | null;
  /** The requested media type if it is not JSON. */
  readonly accept: string | null;
}

/** `URL` and `KEY` are variables of the reader's shell. */
export function curlCommand(method: string, path: string, { security }: Operation, request: ExampleRequest): string {
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(request.path[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) query.set(name, String(value));
  const words = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    `"$URL"${quoted(query.size === 0 ? filled : `${filled}?${query}`)}`,
  ];
  const options = [
    ...(security.length === 0 ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(request.accept === null ? [] : [`-H ${quoted(`Accept: ${request.accept}`)}`]),
    ...(request.body === null ? [] : bodyOptions(request.body)),
  ];
  return [words.join(' '), ...options.map((option) => `  ${option}`)].join(' \\\n');
}

function bodyOptions({ type, value }: { readonly type: string; readonly value: unknown }): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `--data-binary ${quoted(text)}`];
}

/** Quoted for a POSIX shell if necessary. */
function quoted(text: string): string {
  return /^[A-Za-z0-9/._:=@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
