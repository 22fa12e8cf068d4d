// All compilers together would delay each start by 0.2 s. A test compiles every schema.
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';

export const schemaRules: { readonly keywords: string[] } & Readonly<Record<string, unknown>> = {
  allErrors: true,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
  verbose: true,
  // `src/api/schema.ts` explains them.
  keywords: ['mustBe', 'fieldSays', 'documentedAs'],
};

type Validator = ReturnType<FastifySchemaCompiler<FastifySchema>>;
type Serializer = ReturnType<FastifySerializerCompiler<FastifySchema>>;

/**
 * Fastify creates its compilers for the route without its own; the others use those, later and once for each schema.
 * @param atStart the route without its own compilers; it must have both kinds of schema
 */
export function compileOnFirstUse(app: FastifyInstance, atStart: string): void {
  const serializers = new Map<unknown, Serializer>();
  app.addHook('onRoute', (route) => {
    if (route.url === atStart) return;
    route.validatorCompiler = (part) => {
      let made: Validator | null = null;
      const validate: Validator = (data) => {
        // ajv caches by schema.
        made ??= app.validatorCompiler!(part);
        const result = made(data);
        // Fastify reads ajv's errors from the function.
        validate.errors = made.errors ?? null;
        return result;
      };
      return validate;
    };
    route.serializerCompiler = (part) => (data) => {
      const made =
        serializers.get(part.schema) ?? app.serializerCompiler!({ ...part, schema: withNullable(part.schema) });
      serializers.set(part.schema, made);
      return made(data);
    };
  });
}

/**
 * With `nullable` instead of a choice between a type and null. The serializer compiles a validator for each choice when it
 * first meets it: 0.1 s of processor time for the first reply of `/health`.
 */
function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...rest } = schema as { readonly anyOf?: unknown };
  const [type, ...others] = Array.isArray(anyOf) ? anyOf.filter((one) => one.type !== 'null') : [];
  if (type === undefined || others.length > 0 || (anyOf as unknown[]).length !== 2) {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNullable(value)]));
  }
  return { ...rest, ...(withNullable(type) as object), nullable: true };
}
