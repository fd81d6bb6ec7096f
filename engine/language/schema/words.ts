/** Words that keys of several blocks take. */
import type { Word } from '../kinds.ts';
import { words } from './types.ts';

export const precisions: readonly Word[] = [
  { name: 'bf16', doc: 'Two bytes an element.' },
  { name: 'fp16', doc: 'Two bytes an element.' },
  { name: 'fp8', doc: 'Multiplied in one byte an element; stored in two.' },
  { name: 'tf32', doc: 'Four bytes an element, tensor-core rate.' },
  { name: 'fp32', doc: 'Four bytes an element.' },
];
export const recompute = words(
  ['none', 'Keep every activation until the backward pass.'],
  ['selective', 'Make the attention scores again in the backward pass; keep the rest.'],
  ['full', 'Keep only the input of each layer and recompute its forward in the backward pass.'],
  ['stage', 'Keep only the input of the stage and recompute its whole forward in the backward pass, as GPipe does.'],
);

/** What `plan(pipedream)` can make least: the bottleneck as the paper defines it, or as the released program does. */
export const pipedreamObjectives = ['paper', 'released'] as const;
