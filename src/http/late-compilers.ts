// The functions that check requests and write answers are made from the schemas when one is first needed: all of them
// together are a fifth of a second at each start, in which nobody can block anybody. A test makes them all, so that a
// schema of which none can be made is found before it ships.
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';

/** Options of ajv, by which requests are checked against their schemas. */
export const schemaRules: { readonly keywords: string[] } & Readonly<Record<string, unknown>> = {
  allErrors: true,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
  verbose: true,
  // What says more than JSON Schema does (`src/api/schema.ts`).
  keywords: ['mustBe', 'fieldSays', 'documentedAs'],
};

type Validator = ReturnType<FastifySchemaCompiler<FastifySchema>>;
type Serializer = ReturnType<FastifySerializerCompiler<FastifySchema>>;

/**
 * Fastify sets up its own compilers for a route that brings none; what those of the others make is theirs, only later
 * and once for each schema.
 * @param atStart the route that brings none; it needs a schema for both
 */
export function compileLate(app: FastifyInstance, atStart: string): void {
  const serializers = new Map<unknown, Serializer>();
  app.addHook('onRoute', (route) => {
    if (route.url === atStart) return;
    route.validatorCompiler = (part) => {
      let made: Validator | null = null;
      const validate: Validator = (data) => {
        // Of one schema ajv makes one, whoever asks.
        made ??= app.validatorCompiler!(part);
        const result = made(data);
        // Where ajv leaves what was wrong.
        validate.errors = made.errors ?? null;
        return result;
      };
      return validate;
    };
    route.serializerCompiler = (part) => (data) => {
      const made = serializers.get(part.schema) ?? app.serializerCompiler!(part);
      serializers.set(part.schema, made);
      return made(data);
    };
  });
}
