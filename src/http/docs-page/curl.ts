// An example as a command that can be pasted into a shell. `URL` and `KEY` are the reader's own.
import type { Operation } from '../openapi/openapi-types.ts';

export interface ExampleRequest {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: { readonly type: string; readonly value: unknown } | null;
  /** What is asked for, where it is not JSON. */
  readonly accept: string | null;
}

export function curlCommand(method: string, path: string, { security }: Operation, request: ExampleRequest): string {
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(request.path[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) query.set(name, String(value));
  const words = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    `"$URL"${quoted(query.size === 0 ? filled : `${filled}?${query}`)}`,
  ];
  const options = [
    ...(security.length === 0 ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(request.accept === null ? [] : [`-H ${quoted(`Accept: ${request.accept}`)}`]),
    ...(request.body === null ? [] : bodyOptions(request.body)),
  ];
  return [words.join(' '), ...options.map((option) => `  ${option}`)].join(' \\\n');
}

function bodyOptions({ type, value }: { readonly type: string; readonly value: unknown }): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `--data-binary ${quoted(text)}`];
}

/** For a POSIX shell; as it is where nothing in it means anything there. */
function quoted(text: string): string {
  return /^[A-Za-z0-9/._:=@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
