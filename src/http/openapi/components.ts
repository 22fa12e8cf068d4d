// The named schemas of the document. A schema with a title is stood for by a reference to the component of that name.
import { fieldDocs, modelDocs, replacements } from './operations.ts';

/** What the schemas of `src/api` say beyond JSON Schema, and titles, which become references. */
const ownKeywords: ReadonlySet<string> = new Set(['title', 'mustBe', 'declared', 'fieldSays']);

export type Json = { readonly [name: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, Json>();

  /** The schema as it may stand in the document: with references in place of whatever in it has a name. */
  use(schema: object): Json {
    const { title, ...rest } = schema as Json;
    if (typeof title !== 'string') return this.#inner(rest, null);
    const made = this.#inner((replacements[title] ?? rest) as Json, title);
    const known = this.#schemas.get(title);
    if (known === undefined) this.#schemas.set(title, this.#described(title, made));
    else if (JSON.stringify(known) !== JSON.stringify(this.#described(title, made)))
      throw new Error(`two different schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** All that were used, by their names. */
  schemas(): Record<string, Json> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #inner(schema: Json, name: string | null): Json {
    const made: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (ownKeywords.has(keyword)) continue;
      else if (keyword === 'properties')
        made[keyword] = Object.fromEntries(
          Object.entries(value as Record<string, Json>).map(([field, own]) => [
            field,
            this.#property(field, own, name, schema['declared'] === true),
          ]),
        );
      else if (keyword === 'items') made[keyword] = this.use(value as object);
      else if (keyword === 'anyOf' || keyword === 'oneOf')
        made[keyword] = (value as object[]).map((one) => this.use(one));
      else made[keyword] = value;
    }
    return made;
  }

  #property(field: string, own: Json, name: string | null, isDeclared: boolean): Json {
    const { description, mustBe, fieldSays, ...rest } = own;
    if (typeof fieldSays === 'string') return { ...this.use({ ...rest, description }), description: fieldSays };
    if (typeof description === 'string' && (isDeclared || typeof mustBe === 'string')) {
      const said = typeof mustBe === 'string' ? `${description} ${sentence(mustBe)}` : description;
      return { ...this.use(own), description: said };
    }
    const text = fieldDocs[`${name ?? ''}.${field}`] ?? fieldDocs[`*.${field}`];
    const made = this.use(own);
    if (text === undefined) return made;
    // Beside a reference a description is allowed since 3.1. What a request's schema says of the form comes last.
    const rule = typeof own['description'] === 'string' ? own['description'] : null;
    return { ...made, description: rule === null ? text : `${text} ${sentence(rule)}` };
  }

  #described(title: string, made: Json): Json {
    const text = modelDocs[title];
    return text === undefined ? made : { ...made, description: text };
  }
}

/** `a whole number` as a sentence of its own. */
export function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
