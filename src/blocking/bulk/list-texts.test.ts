import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';

const pages = 4;
const texts = Array.from({ length: pages * 5_000 }, (_, n) => `20.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);

let close: () => Promise<void>;
let kit: BlockingKit;

beforeEach(async () => {
  ({ kit, close } = await openScriptedBlocking());
  const add = texts.map((text, index) => ({ index, request: toBlock(text) }));
  await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
});
afterEach(async () => {
  await close();
});

it('listing the complete set lets other requests run after each page', async () => {
  let turns = 0;
  let listing = true;
  const tick = (): void => {
    turns += 1;
    if (listing) setImmediate(tick);
  };
  setImmediate(tick);
  const listed: string[] = [];
  for await (const page of kit.blockedSet.listTexts()) listed.push(...page);
  listing = false;
  expect(listed.length).toBe(texts.length);
  expect(turns).toBeGreaterThanOrEqual(pages - 1);
});
