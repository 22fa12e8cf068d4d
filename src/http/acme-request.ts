import { parseCertificateName } from '../domain/certificate-name.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

/** In lower case, each once; wildcards too. Errors: 100. */
export function requestedNames(given: readonly string[]): readonly string[] {
  const names: string[] = [];
  const fields = given.flatMap((text, index) => {
    const fault = faultOf(text, names);
    return fault === null ? [] : [{ name: `names[${index}]`, description: fault }];
  });
  if (fields.length === 0) return names;
  const detail = fields.map(({ name, description }) => `${name}: ${description}`).join('; ');
  throw new ServiceError(codes.InvalidParameter, 'read request', detail, { fields });
}

/** Null: it is added to `names`. */
function faultOf(text: string, names: string[]): string | null {
  const name = parseCertificateName(text);
  if (!name.ok) return name.why;
  if (names.includes(name.value)) return `${name.value} appears twice; send it once`;
  names.push(name.value);
  return null;
}
