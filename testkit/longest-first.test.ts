import { expect, it } from 'vitest';
import { longestFirst } from './longest-first.ts';

const file = (name: string, moduleId: string) => ({ project: { name }, moduleId });

it('runs one project after the other, and the longest files of each first', () => {
  const order = [
    file('whole', '/test/panel.test.ts'),
    file('whole', '/test/starts.test.ts'),
    file('whole', '/test/short.test.ts'),
    file('components', '/panel/src/page.test.tsx'),
    file('components', '/panel/src/short.test.tsx'),
    file('parts', '/src/http/panel.test.ts'),
    file('parts', '/src/undo.test.ts'),
    file('parts', '/src/short.test.ts'),
    file('parts', '/src/another.test.ts'),
  ];
  const files = [order[7]!, order[8]!, order[0]!, order[5]!, order[4]!, order[3]!, order[2]!, order[6]!, order[1]!];
  expect(longestFirst(files)).toEqual(order);
});
