import type { OpenApi, Schema } from '../openapi/openapi-types.ts';
import { nameOfReference } from '../openapi/openapi-types.ts';
import { breakable, type Html, html, inline } from './html.ts';

export function modelSections(document: OpenApi): Html {
  return html`${Object.entries(document.components.schemas).map(
    ([name, schema]) => html`
<section class="model" id="${anchor(name)}">
<h3>${name}</h3>
${schema.description === undefined ? '' : html`<p>${inline(schema.description)}</p>`}
${schema.properties === undefined ? html`<p>${typeText(schema)}</p>` : fieldTable(schema)}
</section>`,
  )}`;
}

export function fieldTable({ properties = {}, required = [] }: Schema): Html {
  return html`<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
${Object.entries(properties).map(
  ([name, field]) =>
    html`<tr><th scope="row"><code>${breakable(name)}</code>${required.includes(name) ? '' : html` <small>optional</small>`}</th><td>${typeText(field)}</td><td>${inline(field.description ?? '')}</td></tr>
`,
)}</tbody></table>`;
}

/** `integer 1 to 65535`, `list of Server`, `"ok" or "down"`. */
export function typeText(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOfReference(schema.$ref);
    return html`<a href="#${anchor(name)}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return either(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  if (schema.anyOf !== undefined) return either(schema.anyOf.map(typeText));
  if (schema.allOf !== undefined) {
    const named = schema.allOf.filter(({ $ref }) => $ref !== undefined);
    return html`${named.map((one, index) => html`${index === 0 ? '' : ' with '}${typeText(one)}`)}`;
  }
  return either([schema.type ?? []].flat().map((type) => plainType(type, schema)));
}

function plainType(type: string, schema: Schema): Html {
  if (type === 'array') return html`list of ${typeText(schema.items ?? {})}`;
  if (type === 'string' && schema.format === 'date-time') return html`time`;
  if (type === 'string') return html`text`;
  if (type !== 'integer') return html`${type}`;
  const { minimum, maximum } = schema;
  if (maximum === undefined) return html`integer${minimum === undefined ? '' : ` from ${minimum}`}`;
  return html`integer ${minimum ?? ''} to ${maximum}`;
}

function either(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : index === parts.length - 1 ? ' or ' : ', '}${part}`)}`;
}

function anchor(name: string): string {
  return `model-${name}`;
}
