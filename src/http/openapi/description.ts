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
  'GET /docs': {
    id: 'getDocsPage',
    tag: 'Description',
    summary: 'This description, for people',
    description: 'A page of its own: it loads nothing and runs nothing. Needs no key.',
    answers: {
      200: {
        description: 'The page.',
        content: { 'text/html': Type.Unsafe<string>({ title: 'Page', type: 'string' }) },
      },
    },
    examples: { page: { summary: 'Its beginning', accept: 'text/html', answer: '<!doctype html>\n' } },
  },
};

export const models: FieldDocs = { OpenApiDocument: 'An OpenAPI 3.1 document.', Page: 'A page of HTML.' };
export const fields: FieldDocs = {};
