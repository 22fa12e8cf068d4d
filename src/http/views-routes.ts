import type { FastifyInstance } from 'fastify';
import { getView, listViews, removeView, setView } from '../api/views.ts';
import { quote } from '../domain/quote.ts';
import { handle } from './handle.ts';
import { panelPages } from './panel-pages.ts';
import { rejectedFields } from './rejections.ts';
import type { Services } from './services.ts';

export function viewsRoutes(app: FastifyInstance, { views }: Services): void {
  handle(app, listViews, async () => ({ items: await views.list() }));
  handle(app, getView, ({ params }) => views.get(params.name));
  handle(app, setView, async ({ params, body, caller, answerWith }) => {
    const { page, query } = body;
    if (!(panelPages as readonly string[]).includes(page)) {
      throw rejectedFields([
        {
          name: 'page',
          description: `${quote(page)} is not a page of the panel; it must be one of ${panelPages.join(', ')}`,
        },
      ]);
    }
    const { created, view } = await views.put({ name: params.name, page, query }, caller);
    answerWith(created ? 201 : 200);
    return view;
  });
  handle(app, removeView, ({ params, caller }) => views.remove(params.name, caller));
}
