import Type from 'typebox';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

export const operations: OperationDocs = {
  'GET /openapi.json': {
    id: 'getDescription',
    tag: 'Description',
    summary: 'This description, for programs',
    description: 'OpenAPI 3.1. Needs no key.',
    answers: {
      200: {
        description: 'The document.',
        content: { 'application/json': Type.Unsafe<object>({ title: 'OpenApiDocument', type: 'object' }) },
      },
    },
    examples: {
      document: {
        summary: 'Its beginning',
        answer: { openapi: '3.1.1', info: { title: 'proxy-manager', version: '0.1.0' }, paths: {} },
      },
    },
  },
};

export const models: FieldDocs = { OpenApiDocument: 'An OpenAPI 3.1 document.' };
export const fields: FieldDocs = {};
