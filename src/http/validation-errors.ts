// ajv's errors as sentences that name the field, its value and what would be right.
import { quote } from '../domain/quote.ts';
import type { FieldError } from '../errors/service-error.ts';

/** What would be right; `description` where it is said of no field's meaning. */
interface Wanted {
  readonly mustBe?: string;
  readonly description?: string;
}

/** The parts of ajv's error (option `verbose`) that are read here. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message?: string | undefined;
  readonly data?: unknown;
  readonly parentSchema?: (Wanted & { readonly properties?: Record<string, Wanted> }) | undefined;
}

/** More of them help nobody, and a hostile body has many. */
const MOST_FIELDS = 20;

/** @param part how the whole is named where the error is not about one field: `the body`, `the query` */
export function describeSchemaErrors(errors: readonly SchemaError[], part: string): FieldError[] {
  const described = new Map<string, FieldError>();
  for (const error of errors) {
    const field = describe(error, part);
    // A value that breaks two rules of one field has one description.
    if (!described.has(field.name)) described.set(field.name, field);
    if (described.size === MOST_FIELDS) break;
  }
  return [...described.values()];
}

function describe(error: SchemaError, part: string): FieldError {
  const path = fieldPath(error.instancePath);
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys(error.parentSchema?.properties ?? {}).join(', ');
    const name = quote(String(error.params.additionalProperty));
    return { name: join(path, name), description: `there is no such field; the fields are ${known}` };
  }
  if (error.keyword === 'required') {
    const name = String(error.params.missingProperty);
    const wanted = wantedOf(error.parentSchema?.properties?.[name]);
    return { name: join(path, name), description: `is missing${wanted === undefined ? '' : `; it must be ${wanted}`}` };
  }
  const wanted = wantedOf(error.parentSchema);
  const right = wanted === undefined ? (error.message ?? 'must be something else') : `must be ${wanted}`;
  if (path === '') return { name: part.replace(/^the /, ''), description: `${part} ${right}` };
  return { name: path, description: `${showValue(error.data)} is not right: it ${right}` };
}

function wantedOf(schema: Wanted | undefined): string | undefined {
  return schema?.mustBe ?? schema?.description;
}

/** `/servers/0/port` as people write it: `servers[0].port`. */
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

/** A value from outside, short and on one line. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : quote(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
