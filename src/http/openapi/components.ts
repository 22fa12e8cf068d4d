/** Keywords of `src/api/schema.ts` that do not appear in the document. */
const ownKeywords: ReadonlySet<string> = new Set(['title', 'mustBe', 'fieldSays', 'examples']);

export type Json = { readonly [name: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, Json>();

  use(schema: object): Json {
    const { documentedAs, ...own } = schema as Json;
    const { title, ...rest } = { ...own, ...(documentedAs as Json | undefined) };
    const made = this.#inner(rest);
    if (typeof title !== 'string') return made;
    const known = this.#schemas.get(title);
    if (known === undefined) this.#schemas.set(title, made);
    else if (JSON.stringify(known) !== JSON.stringify(made))
      throw new Error(`two different schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

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

  /** OpenAPI 3.1 allows a description beside a reference. */
  #property(own: Json): Json {
    const said = descriptionOf(own);
    return { ...this.use(own), ...(said === null ? {} : { description: said }) };
  }
}

/** The description of a model belongs to its component. */
function descriptionOf({ description, mustBe, fieldSays, title }: Json): string | null {
  const said = fieldSays ?? (title === undefined ? description : undefined);
  if (typeof said !== 'string') return null;
  return typeof mustBe === 'string' ? `${said} ${sentence(mustBe)}` : said;
}

/** `a whole number` becomes `A whole number.` */
export function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
