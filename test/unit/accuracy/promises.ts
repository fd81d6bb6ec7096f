/** What the accuracy page says in words, with the ranges of the runs that it speaks of. */
import { iterations, layer } from './published/activationRecomputation.ts';
import { gpipe } from './published/gpipe.ts';
import { llama3 } from './published/llama3.ts';
import { megatronSc21 } from './published/megatronSc21.ts';
import { deviation, type Mode, predicted, type Run } from './published/run.ts';
import { memory, throughput } from './published/zeroBubble.ts';
import { range } from './table.ts';

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

/** GB that a schedule takes beyond 1F1B, simulated less measured: the lowest and the highest. */
function beyond(name: string): readonly [number, number] {
  const differences = memory.runs
    .filter((run) => run.name === name)
    .map((run) => {
      const plain = memory.runs.find((candidate) => candidate.setting === run.setting && candidate.name === '1F1B');
      if (plain === undefined) throw new Error(`no 1F1B beside ${run.setting}`);
      return predicted(run) - predicted(plain) - (run.measured - plain.measured);
    });
  return [Math.min(...differences), Math.max(...differences)];
}
const [least, most] = beyond('1F1B-I');
const [shortest, longest] = beyond('ZB-2p').map((value) => Math.round(-value));

const billions = ({ name }: Run): number => Number.parseFloat(name);
const many = ({ sliders }: Run): boolean => sliders?.['microbatches'] === 32;

const texts: readonly string[] = [
  `Throughput comes out ${off(ends.filter((run) => !isInterleaved(run)))} off`,
  `Interleaved schedules are flattered, by ${off(ends.filter(isInterleaved))}`,
  `comes out ${range(others.filter((run) => !isInterleaved(run)).map(gain))} off without interleaving, ${range(others.filter(isInterleaved).map(gain))} with it`,
  `Rates of models from 7.5 to 1008 billion parameters come out ${off(megatronSc21.runs.filter((run) => billions(run) > 7))} off in SC 2021's runs`,
  `come out a year later ${off(iterations.runs)}:`,
  `(${off(megatronSc21.runs.filter((run) => billions(run) < 4))} for models under 4 billion)`,
  `times ${off(layer.runs, 'kernels')} of one layer, ${off(iterations.runs, 'kernels')} of an iteration`,
  `Rates come out ${off(llama3.runs)} off.`,
  `Peaks come out ${off(memory.runs)} off the measured peaks`,
  `that 1F1B-I takes beyond 1F1B comes out within ${Math.ceil(Math.max(-least, most))} GB of the measured difference; the memory that ZB-2p takes beyond it is ${longest} to ${shortest} GB short`,
  `With 32 microbatches the figures come out ${off(gpipe.runs.filter(many))} off, with fewer ${off(gpipe.runs.filter((run) => !many(run)))}.`,
];
export const promises: readonly { readonly text: string }[] = texts.map((text) => ({ text }));
