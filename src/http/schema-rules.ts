/** Options of ajv, by which requests are checked against their schemas. */
export const schemaRules = {
  allErrors: true,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
  verbose: true,
} as const;
