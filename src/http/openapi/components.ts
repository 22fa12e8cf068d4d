// The named schemas of the document. A schema with a title is stood for by a reference to the component of that name.

/** What the schemas of `src/api` say beyond JSON Schema, and titles, which become references. */
const ownKeywords: ReadonlySet<string> = new Set(['title', 'mustBe', 'fieldSays', 'documentedAs']);

export type Json = { readonly [name: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, Json>();

  /** The schema as it may stand in the document: with references in place of whatever in it has a name. */
  use(schema: object): Json {
    const { title, documentedAs, ...rest } = schema as Json;
    if (documentedAs !== undefined) return this.use(documentedAs as object);
    const made = this.#inner(rest);
    if (typeof title !== 'string') return made;
    const known = this.#schemas.get(title);
    if (known === undefined) this.#schemas.set(title, made);
    else if (JSON.stringify(known) !== JSON.stringify(made))
      throw new Error(`two different schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** All that were used, by their names. */
  schemas(): Record<string, Json> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #inner(schema: Json): Json {
    const made: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (ownKeywords.has(keyword)) continue;
      else if (keyword === 'properties')
        made[keyword] = Object.fromEntries(
          Object.entries(value as Record<string, Json>).map(([field, own]) => [field, this.#property(own)]),
        );
      else if (keyword === 'items') made[keyword] = this.use(value as object);
      else if (keyword === 'anyOf' || keyword === 'oneOf')
        made[keyword] = (value as object[]).map((one) => this.use(one));
      else made[keyword] = value;
    }
    return made;
  }

  /** Beside a reference a description is allowed since 3.1. */
  #property(own: Json): Json {
    const said = descriptionOf(own);
    return { ...this.use(own), ...(said === null ? {} : { description: said }) };
  }
}

/** What a field is; what a request's must be comes last. A model's own description is its component's. */
function descriptionOf({ description, mustBe, fieldSays, title }: Json): string | null {
  const said = fieldSays ?? (title === undefined ? description : undefined);
  if (typeof said !== 'string') return null;
  return typeof mustBe === 'string' ? `${said} ${sentence(mustBe)}` : said;
}

/** `a whole number` as a sentence of its own. */
export function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
