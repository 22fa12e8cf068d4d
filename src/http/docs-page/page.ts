// The API as a page for people, made on the server from the document: HTML and a style, no script, nothing from outside.
import { createHash } from 'node:crypto';
import type { OpenApi } from '../openapi/openapi-types.ts';
import { Html, html } from './html.ts';
import { operationSection, type PlacedOperation } from './operations.ts';
import { paragraphs } from './prose.ts';
import { modelSections } from './schemas.ts';
import { style } from './style.ts';

/** What the page may load: its own style, which is proven by its hash, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsPage(document: OpenApi): string {
  const { info, tags } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    own: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}: the API</title>
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations">
${groups.map(({ name, own }) => navigation(name, own))}
<h2>Models</h2>
<ul><li><a href="#models">All models</a></li></ul>
</nav>
<main id="content">
<h1>The API of ${info.title}</h1>
<p class="quiet">Version ${info.version}. For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI ${document.openapi}).</p>
${paragraphs(info.description)}
<p>In the examples <code>URL</code> and <code>KEY</code> are variables of your shell: <code>URL=http://127.0.0.1:7080</code>, and <code>KEY</code> an API key.</p>
${groups.map(
  ({ name, description, own }) => html`
<h2>${name}</h2>
<p>${description}</p>
${own.map((one) => operationSection(document, one))}`,
)}
<h2 id="models">Models</h2>
${modelSections(document)}
</main>
</body>
</html>
`.text;
}

function navigation(tag: string, operations: readonly PlacedOperation[]): Html {
  return html`<h2>${tag}</h2>
<ul>
${operations.map(
  ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>
`,
)}</ul>
`;
}
