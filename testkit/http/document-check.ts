// Checks requests and answers against the OpenAPI document, to the last name.
import Schema from 'typebox/schema';
import type { Schema as DocumentSchema, OpenApi, Operation, Response } from '../../src/http/openapi/openapi-types.ts';
import { nameOfReference } from '../../src/http/openapi/openapi-types.ts';

interface SeenAnswer {
  readonly status: number;
  /** Null without a body. */
  readonly contentType: string | null;
  readonly text: string;
}

export class DocumentCheck {
  readonly #document: OpenApi;
  readonly #components: unknown;
  readonly #validators = new Map<DocumentSchema, ReturnType<typeof Schema.Compile>>();

  constructor(document: OpenApi) {
    this.#document = closed(document);
    this.#components = this.#document.components;
  }

  /** Paths have the form `/api/sites/{domain}`. */
  operations(): { readonly method: string; readonly path: string; readonly operation: Operation }[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  /** Empty: the answer is as documented. */
  answerFaults(method: string, path: string, { status, contentType, text }: SeenAnswer): string[] {
    const response = this.#document.paths[path]?.[method.toLowerCase()]?.responses[status];
    if (response === undefined) return [`${method} ${path} is not documented to answer ${status}`];
    const content = this.#response(response).content ?? {};
    const type = (contentType ?? '').replace(/;.*/, '');
    const media = content[type];
    if (media === undefined) return [`${method} ${path} ${status} is not documented to be ${type}`];
    if (type === 'application/x-protobuf') return [];
    const value: unknown = type.endsWith('json') ? JSON.parse(text) : text;
    return this.valueFaults(media.schema, value).map((fault) => `${method} ${path} ${status}: ${fault}`);
  }

  valueFaults(schema: DocumentSchema, value: unknown): string[] {
    const validator = this.#validators.get(schema) ?? Schema.Compile({ components: this.#components, ...schema });
    this.#validators.set(schema, validator);
    if (validator.Check(value)) return [];
    const [, errors] = validator.Errors(value);
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  #response({ $ref, ...response }: Response): Omit<Response, '$ref'> {
    return $ref === undefined ? response : (this.#document.components.responses[nameOfReference($ref)] as Response);
  }
}

/** Closes every object: for clients an answer is open, but this version returns only what is documented. */
function closed(document: OpenApi): OpenApi {
  // Composed schemas are closed together.
  const parts = new Set<string>();
  walk(document, (schema) => {
    for (const { $ref } of schema.allOf ?? []) if ($ref !== undefined) parts.add(nameOfReference($ref));
  });
  const copy = structuredClone(document);
  const open = new Set<unknown>([...parts].map((name) => copy.components.schemas[name]));
  walk(copy, (schema) => {
    for (const part of schema.allOf ?? []) open.add(part);
  });
  walk(copy, (schema) => {
    if (open.has(schema)) return;
    const own = schema as { additionalProperties?: boolean; unevaluatedProperties?: boolean };
    if (schema.allOf !== undefined) own.unevaluatedProperties = false;
    else if (schema.properties !== undefined) own.additionalProperties ??= false;
  });
  return copy;
}

function walk(value: unknown, visit: (schema: DocumentSchema) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as DocumentSchema);
  for (const [name, inner] of Object.entries(value)) if (name !== 'examples' && name !== 'example') walk(inner, visit);
}
