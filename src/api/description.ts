import Type from 'typebox';
import { operation } from './operation.ts';

const tag = 'Description';

const OpenApiDocument = Type.Unsafe<object>({
  title: 'OpenApiDocument',
  type: 'object',
  description: 'An OpenAPI 3.1 document.',
});
const Page = Type.Unsafe<string>({ title: 'Page', type: 'string', description: 'A page of HTML.' });

export const getDescription = operation({
  id: 'getDescription',
  method: 'GET',
  path: '/openapi.json',
  access: 'open',
  audit: null,
  tag,
  summary: 'Get this description for programs',
  description: 'OpenAPI 3.1. Needs no key.',
  answers: {
    200: {
      description: 'The document.',
      content: { 'application/json': OpenApiDocument },
    },
  },
  examples: {
    document: {
      summary: 'Its beginning',
      answer: { openapi: '3.1.1', info: { title: 'proxy-manager', version: '0.1.0' }, paths: {} },
    },
  },
});

export const getDocsPage = operation({
  id: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  access: 'open',
  audit: null,
  tag,
  summary: 'Get this description for people',
  description: 'An HTML page without scripts that loads nothing from outside. Needs no key.',
  answers: {
    200: {
      description: 'The page.',
      content: { 'text/html': Page },
    },
  },
  examples: { page: { summary: 'Its beginning', accept: 'text/html', answer: '<!doctype html>\n' } },
});

export const descriptionOperations = [getDescription, getDocsPage] as const;
