import { activations, iterations, layer } from './activationRecomputation.ts';
import { flashAttention2 } from './flashAttention2.ts';
import { gpipe } from './gpipe.ts';
import { llama3 } from './llama3.ts';
import { llmFoundry } from './llmFoundry.ts';
import { megatronBridge } from './megatronBridge.ts';
import { megatronCi, megatronCiMemory } from './megatronCi.ts';
import { megatronSc21 } from './megatronSc21.ts';
import { mixturesOfExperts } from './mixturesOfExperts.ts';
import { nemoFinetuning } from './nemoFinetuning.ts';
import { nemoLongContext } from './nemoLongContext.ts';
import type { Family } from './run.ts';
import { torchtitan, torchtitanMemory } from './torchtitan.ts';
import { fromShapes, memory, throughput } from './zeroBubble.ts';

/** In the order of the page. */
export const families: readonly Family[] = [
  throughput,
  gpipe,
  megatronSc21,
  iterations,
  layer,
  fromShapes,
  llama3,
  megatronBridge,
  nemoLongContext,
  nemoFinetuning,
  mixturesOfExperts,
  torchtitan,
  llmFoundry,
  flashAttention2,
  megatronCi,
  torchtitanMemory,
  memory,
  megatronCiMemory,
  activations,
];
