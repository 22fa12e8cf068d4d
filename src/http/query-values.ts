// A query string holds only texts. Where its schema says integer or boolean, exactly the texts of those are taken;
// ajv's own coercion would take ` 1`, `1e2` and an empty text too, and would be on for the bodies as well.
interface QuerySchema {
  readonly properties?: Record<string, { readonly type?: unknown }>;
}

/** Changes the query in place; what does not fit stays a text, which the schema then refuses. */
export function readQueryValues(query: Record<string, unknown>, schema: QuerySchema): void {
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}
