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
