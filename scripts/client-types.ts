// TypeScript types of an OpenAPI 3.1 document in the form of openapi-fetch (`paths`). openapi-typescript needs a
// compiler API that TypeScript 7 lacks; this supports what our document uses and rejects the rest.
import {
  type Media,
  nameOfReference,
  type OpenApi,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
} from '../src/http/openapi/openapi-types.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** @param format the project's formatter */
export function clientTypes(document: OpenApi): string {
  const { schemas, responses } = document.components;
  const lines = [
    '// Generated from the OpenAPI document by `npm run generate:client`. Not to be edited.',
    '',
    'export interface paths {',
    ...Object.entries(document.paths).flatMap(([path, methods]) => pathLines(path, methods)),
    '}',
    '',
    'export interface components {',
    'schemas: {',
    ...Object.entries(schemas).flatMap(([name, schema]) => [
      ...comment(schema.description),
      `${name}: ${typeOf(schema)};`,
    ]),
    '};',
    'responses: {',
    ...Object.entries(responses).map(([name, response]) => `${name}: ${responseType(response)};`),
    '};',
    '}',
    '',
    'export interface operations {',
    ...Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operationLines(operation)),
    '}',
    '',
  ];
  return lines.join('\n');
}

function pathLines(path: string, methods: Readonly<Record<string, Operation>>): string[] {
  return [
    `${JSON.stringify(path)}: {`,
    'parameters: { query?: never; header?: never; path?: never; cookie?: never };',
    ...METHODS.map((method) => {
      const operation = methods[method];
      return operation === undefined
        ? `${method}?: never;`
        : `${method}: operations[${JSON.stringify(operation.operationId)}];`;
    }),
    '};',
  ];
}

function operationLines({ operationId, summary, parameters = [], requestBody, responses }: Operation): string[] {
  const body =
    requestBody === undefined
      ? 'requestBody?: never'
      : `requestBody${requestBody.required ? '' : '?'}: { content: ${contentType(requestBody.content)} }`;
  return [
    ...comment(summary),
    `${operationId}: {`,
    `parameters: { ${place(parameters, 'query')}; header?: never; ${place(parameters, 'path')}; cookie?: never };`,
    `${body};`,
    'responses: {',
    ...Object.entries(responses).map(([status, response]) => `${status}: ${responseType(response)};`),
    '};',
    '};',
  ];
}

function place(parameters: readonly Parameter[], where: Parameter['in']): string {
  const own = parameters.filter((parameter) => parameter.in === where);
  if (own.length === 0) return `${where}?: never`;
  const fields = own.map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`);
  return `${where}${own.some(({ required }) => required) ? '' : '?'}: { ${fields.join('; ')} }`;
}

function responseType({ $ref, content }: Response): string {
  if ($ref !== undefined) return `components['responses'][${JSON.stringify(nameOfReference($ref))}]`;
  return `{ headers: { [name: string]: unknown }; content${content === undefined ? '?: never' : `: ${contentType(content)}`} }`;
}

function contentType(content: Readonly<Record<string, Media>>): string {
  return `{ ${Object.entries(content)
    .map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema)}`)
    .join('; ')} }`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `components['schemas'][${JSON.stringify(nameOfReference(schema.$ref))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => `(${typeOf(one)})`).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) throw new Error(`a schema without a type: ${JSON.stringify(schema)}`);
  return types.map((type) => typeNamed(type, schema)).join(' | ');
}

function typeNamed(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${schema.items === undefined ? 'unknown' : typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    default:
      throw new Error(`a schema of the type ${type}`);
  }
}

function objectType({ properties, required = [] }: Schema): string {
  if (properties === undefined) return '{ readonly [name: string]: unknown }';
  const lines = Object.entries(properties).flatMap(([name, schema]) => [
    ...comment(schema.description),
    `readonly ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  ]);
  return `{\n${lines.join('\n')}\n}`;
}

function comment(text: string | undefined): string[] {
  return text === undefined ? [] : [`/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */`];
}
