import type { MemoryStack } from '../../engine/simulate/memoryStack.ts';
import type { Gap } from './blocks.ts';
import type { Why } from './why.ts';

/** What the page asks about the timeline on show. */
export type Question =
  { readonly kind: 'why'; readonly gap: Gap } | { readonly kind: 'stack'; readonly device: number };
export type Answer =
  { readonly kind: 'why'; readonly why: Why } | { readonly kind: 'stack'; readonly stack: MemoryStack };
