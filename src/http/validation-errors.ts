import { quote } from '../domain/quote.ts';
import type { FieldError } from '../errors/service-error.ts';
import { shownName } from './rejections.ts';

interface Wanted {
  readonly mustBe?: string;
  readonly description?: string;
  /** It is a secret (`api/schema.ts`). */
  readonly writeOnly?: boolean;
}

/** With ajv's option `verbose`. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message?: string | undefined;
  readonly data?: unknown;
  readonly parentSchema?: (Wanted & { readonly properties?: Record<string, Wanted> }) | undefined;
}

/** A hostile body may have thousands. */
const MAX_FIELDS = 20;

/**
 * Shows no value of a secret field.
 * @param part names what an error without a field is about: `the body`, `the query`
 */
export function describeSchemaErrors(errors: readonly SchemaError[], part: string): FieldError[] {
  const described = new Map<string, FieldError>();
  const secrets = new Set(errors.filter(isOfSecret).map(({ instancePath }) => instancePath));
  for (const error of errors) {
    const field = describe(error, part, secrets.has(error.instancePath));
    if (!described.has(field.name)) described.set(field.name, field);
    if (described.size === MAX_FIELDS) break;
  }
  return [...described.values()];
}

function describe(error: SchemaError, part: string, isSecret: boolean): FieldError {
  const path = fieldPath(error.instancePath);
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys(error.parentSchema?.properties ?? {}).join(', ');
    const name = shownName(String(error.params.additionalProperty));
    return { name: join(path, name), description: `unknown field; the fields are ${known}` };
  }
  if (error.keyword === 'required') {
    const name = String(error.params.missingProperty);
    const wanted = wantedOf(error.parentSchema?.properties?.[name]);
    return { name: join(path, name), description: `required${wanted === undefined ? '' : `; must be ${wanted}`}` };
  }
  const wanted = wantedOf(error.parentSchema);
  const rule = wanted === undefined ? (error.message ?? 'must have another value') : `must be ${wanted}`;
  if (path === '') return { name: part.replace(/^the /, ''), description: `${part} ${rule}` };
  const value = isSecret ? 'the value (not shown)' : showValue(error.data);
  return { name: path, description: `${value} is not valid: it ${rule}` };
}

function isOfSecret({ parentSchema }: SchemaError): boolean {
  return parentSchema?.writeOnly === true;
}

function wantedOf(schema: Wanted | undefined): string | undefined {
  return schema?.mustBe ?? schema?.description;
}

/** `/servers/0/port` as `servers[0].port`. */
function fieldPath(pointer: string): string {
  let path = '';
  for (const step of pointer.split('/').slice(1)) {
    path = /^\d+$/.test(step) ? `${path}[${step}]` : join(path, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return path;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function showValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : quote(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
