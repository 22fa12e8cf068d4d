// Rendered on the server: no scripts, nothing from outside.
import { createHash } from 'node:crypto';
import type { OpenApi } from '../openapi/openapi-types.ts';
import { Html, html, paragraphs } from './html.ts';
import { operationSection, type PlacedOperation } from './operations.ts';
import { modelSections } from './schemas.ts';

export const style = `
:root{color-scheme:light dark;--text:#1c2430;--quiet:#55606e;--paper:#fff;--raised:#f4f6f8;--line:#d5dae0;--link:#0b5cad;--good:#176639;--bad:#a3262a;--get:#0b5cad;--put:#8a5300;--post:#176639;--delete:#a3262a}
@media (prefers-color-scheme:dark){:root{--text:#e4e8ed;--quiet:#a3adb8;--paper:#14181d;--raised:#1d232a;--line:#38414b;--link:#7db8f5;--good:#73cf98;--bad:#f49a9c;--get:#7db8f5;--put:#e8b66a;--post:#73cf98;--delete:#f49a9c}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--paper)}
a{color:var(--link)}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;padding:.5rem 1rem;background:var(--paper);z-index:1}
nav{padding:1.5rem;border-bottom:1px solid var(--line);background:var(--raised)}
nav h2{font-size:.8rem;margin:1.2rem 0 .3rem;color:var(--quiet)}
nav ul{list-style:none;margin:0;padding:0}
nav li{margin:.15rem 0;font-size:.9rem;line-height:1.35}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
main{padding:1.5rem;max-width:64rem}
h1{font-size:2rem;margin:0 0 .2rem}
h2{font-size:1.5rem;margin:3rem 0 .5rem;border-bottom:2px solid var(--line);padding-bottom:.2rem}
h3{font-size:1.2rem;margin:2.2rem 0 .3rem}
h4{font-size:.95rem;margin:1.3rem 0 .3rem}
p{margin:.4rem 0 .7rem;max-width:46rem}
small,.quiet{color:var(--quiet)}
code,pre{font:.875em/1.5 ui-monospace,monospace}
pre{margin:.3rem 0 .6rem;padding:.7rem .9rem;border:1px solid var(--line);border-radius:6px;background:var(--raised);white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:1em}
pre.answer{border-left:4px solid var(--line)}
.status{font-weight:700}
.line{font-size:1.05rem}
.method{display:inline-block;min-width:4.2rem;font-weight:700;color:var(--quiet)}
.method.get{color:var(--get)}.method.put{color:var(--put)}.method.post{color:var(--post)}.method.delete{color:var(--delete)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .7rem .35rem 0;border-bottom:1px solid var(--line)}
th code,td code,td a{overflow-wrap:anywhere}
td p{margin:0 0 .3rem}
thead th{color:var(--quiet);font-weight:600;font-size:.8rem}
tbody th{font-weight:600;min-width:6rem}
.good{color:var(--good)}.bad{color:var(--bad)}
@media (min-width:62rem){body{display:grid;grid-template-columns:19rem 1fr}nav{position:sticky;top:0;height:100vh;overflow:auto;border-bottom:0;border-right:1px solid var(--line)}main{padding:2rem 3rem}}
@media print{:root{--text:#000;--quiet:#333;--paper:#fff;--raised:#fff;--link:#000}body{display:block;font-size:10pt}nav,.skip{display:none}main{max-width:none;padding:0}section,tr,pre{break-inside:avoid}.operation{break-inside:auto}h2,h3,h4{break-after:avoid}a{text-decoration:none}}
`;

/** Only the page's own style may load, identified by its hash. */
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
