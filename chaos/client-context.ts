// What the clients of a round share.
import type { Claims } from './claims.ts';
import type { Model } from './model.ts';
import type { Releases } from './releases.ts';
import type { ChaosStack } from './stack.ts';
import type { Story } from './story.ts';
import type { UnderWay } from './under-way.ts';
import type { Windows } from './windows.ts';

export interface ClientContext {
  readonly stack: ChaosStack;
  readonly story: Story;
  readonly windows: Windows;
  readonly claims: Claims;
  readonly trusted: Model;
  readonly sites: Model;
  /** By network. */
  readonly upstreams: Model;
  readonly releases: Releases;
  readonly underWay: UnderWay;
  /** All entries that the round's operations name. */
  readonly entries: readonly string[];
}
