/** What the accuracy page says in words, with the ranges of the runs that it speaks of. */
import { iterations, layer } from './published/activationRecomputation.ts';
import { gpipe } from './published/gpipe.ts';
import { llama3 } from './published/llama3.ts';
import { llmFoundry } from './published/llmFoundry.ts';
import { megatronBridge } from './published/megatronBridge.ts';
import { additions, megatronCiMemory, states } from './published/megatronCi.ts';
import { megatronSc21 } from './published/megatronSc21.ts';
import { mixturesOfExperts } from './published/mixturesOfExperts.ts';
import { nemoLongContext } from './published/nemoLongContext.ts';
import { deviation, type Mode, predicted, type Run } from './published/run.ts';
import { torchtitan, torchtitanMemory } from './published/torchtitan.ts';
import { fromShapes, memory, throughput } from './published/zeroBubble.ts';
import { meanOf, range } from './table.ts';

const off = (runs: readonly Run[], mode: Mode = 'one'): string => range(runs.map((run) => deviation(run, mode)));

const isInterleaved = ({ name }: Run): boolean => name === '1F1B-I';
const ends = throughput.runs.filter(({ name }) => !name.endsWith('barrier'));

/** Simulated gain of a schedule over 1F1B in the same setting, against the measured one. */
const gain = (run: Run): number => {
  const plain = ends.find((end) => end.setting === run.setting && end.name === '1F1B');
  if (plain === undefined) throw new Error(`no 1F1B beside ${run.setting}`);
  return predicted(run) / predicted(plain) / (run.measured / plain.measured) - 1;
};
const others = ends.filter(({ name }) => name !== '1F1B');

/** GB that a schedule takes beyond 1F1B, simulated less measured: the most, up or down, rounded up. */
function beyond(name: string): number {
  const differences = memory.runs
    .filter((run) => run.name === name)
    .map((run) => {
      const plain = memory.runs.find((candidate) => candidate.setting === run.setting && candidate.name === '1F1B');
      if (plain === undefined) throw new Error(`no 1F1B beside ${run.setting}`);
      return predicted(run) - predicted(plain) - (run.measured - plain.measured);
    });
  return Math.ceil(Math.max(...differences.map(Math.abs)));
}

const short = ({ name }: Run): boolean => name.endsWith(' 8192 tokens');
const many = ({ sliders }: Run): boolean => sliders?.['microbatches'] === 32;

const small = ({ name }: Run): boolean => name.startsWith('small');
const dense = ({ name }: Run): boolean => name === 'small';
const recomputed = ({ setting }: Run): boolean => setting.includes('all recomputed');
const named = (text: string) => (run: Run) => `${run.name}, ${run.setting}`.includes(text);
const excess = (run: Run): number => run.measured - predicted(run);
const gigabytes = (runs: readonly Run[]): string =>
  `${Math.min(...runs.map(excess))
    .toFixed(2)
    .replace('-', '−')} to ${Math.max(...runs.map(excess)).toFixed(2)} GB`;

const sinks = mixturesOfExperts.runs.filter(named('GPT-OSS'));
const otherExperts = mixturesOfExperts.runs.filter((run) => !sinks.includes(run));
const mean = (runs: readonly Run[]): string =>
  `${Math.round(100 * meanOf(runs.map((run) => deviation(run))))} % on average`;

const texts: readonly string[] = [
  `Throughput comes out ${off(ends.filter((run) => !isInterleaved(run)))} off`,
  `Interleaved schedules are flattered, by ${off(ends.filter(isInterleaved))}`,
  `comes out ${range(others.filter((run) => !isInterleaved(run)).map(gain))} off without interleaving, ${range(others.filter(isInterleaved).map(gain))} with it`,
  `Rates of the ${megatronSc21.runs.length} runs of SC 2021, from 1.7 to 1008 billion parameters, come out ${off(megatronSc21.runs)} off.`,
  `Times of ${iterations.runs.length} iterations of models of 22 to 1000 billion, a year later, come out ${off(iterations.runs)}.`,
  `${fromShapes.runs.length} runs of *Zero Bubble*, not fitted, come out ${off(fromShapes.runs)} off.`,
  `times ${off(layer.runs, 'kernels')} of one layer, ${off(iterations.runs, 'kernels')} of an iteration`,
  `${megatronBridge.runs.length} and ${nemoLongContext.runs.length} runs, of which ${[...megatronBridge.runs, ...nemoLongContext.runs].filter(({ fitted }) => fitted === true).length} were fitted. ${torchtitan.runs.length} runs of torchtitan, none fitted, come out ${off(torchtitan.runs)} off, ${Math.round(100 * meanOf(torchtitan.runs.map((run) => deviation(run))))} % on average.`,
  `${llmFoundry.runs.length} runs of LLM Foundry on H100s and A100s, none fitted, come out ${off(llmFoundry.runs)} off, ${mean(llmFoundry.runs)}.`,
  `Rates of Llama 3 405B come out ${off(llama3.runs.filter(short))} off for two runs with 8192 tokens, which were fitted, and ${off(llama3.runs.filter((run) => !short(run)))} off for one with 131072 tokens`,
  `${memory.runs.length} peaks of *Zero Bubble* come out ${off(memory.runs)} off the measured peaks, ${torchtitanMemory.runs.length} of torchtitan ${off(torchtitanMemory.runs)}, ${megatronCiMemory.runs.length} of Megatron-LM's tests ${off(megatronCiMemory.runs)}.`,
  `that 1F1B-I takes beyond 1F1B comes out within ${beyond('1F1B-I')} GB of the measured difference, the memory that ZB-2p takes beyond it within ${beyond('ZB-2p')} GB`,
  `GPT-OSS comes out far too fast, ${off(sinks)}.`,
  `The other ${otherExperts.length} runs come out ${off(otherExperts)} off, ${mean(otherExperts)}.`,
  `${otherExperts.length} runs of Mixtral, Qwen3 and DeepSeek-V3 on H100, B200, GB200 and H800, none fitted, come out ${off(otherExperts)} off, ${mean(otherExperts)}. GPT-OSS comes out ${off(sinks)}.`,
  `these allocators hold ${gigabytes(states.filter(small))} more than the simulation`,
  `Larger runs hold up to ${Math.max(...states.map(excess)).toFixed(1)} GB more`,
  `comes out ${off(additions.filter((run) => dense(run) && !recomputed(run)))} off in the small dense models that recompute nothing`,
  `All recomputed, ${off(additions.filter(named('all recomputed')))}`,
  `Small models with experts, ${off(additions.filter((run) => small(run) && !dense(run)))}`,
  `Mixtral, ${off(additions.filter(named('Mixtral')))}`,
  `32 experts with latent attention, ${off(additions.filter(named('latent attention')))}`,
  `DeepSeek-V3 on GB200, ${off(additions.filter(named('DeepSeek-V3, 14 layers, GB200')))}`,
  `With 32 microbatches the figures come out ${off(gpipe.runs.filter(many))} off, with fewer ${off(gpipe.runs.filter((run) => !many(run)))}.`,
];
export const promises: readonly { readonly text: string }[] = texts.map((text) => ({ text }));
