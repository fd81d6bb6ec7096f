/** Measured layers in any format that this project reads, recognised by their content. */
import { isAstraSim, readAstraSim } from './astraSim/read.ts';
import { isDnnPartitioning, readDnnPartitioning } from './dnnPartitioning/read.ts';
import { largestQuantity } from '../basics/largest.ts';
import { mostTextFaults, type TextFault } from './fault.ts';
import type { MeasuredLayer } from './measured.ts';
import { layersOfProfile } from './pipedream/layers.ts';
import { isProfile, readProfileGraph } from './pipedream/read.ts';
import { isTimesCsv, readTimesCsv } from './timesCsv/read.ts';

export interface ProfileRead {
  /** Each after those that it needs. */
  readonly layers: readonly MeasuredLayer[];
  /** The format, as messages call it. */
  readonly format: string;
  /** What the reader had to assume, a sentence each. */
  readonly remarks: readonly string[];
}

interface ProfileFormat {
  readonly name: string;
  is(text: string): boolean;
  read(text: string): Omit<ProfileRead, 'format'> | { readonly faults: readonly TextFault[] };
}

const formats: readonly ProfileFormat[] = [
  {
    name: 'PipeDream profile',
    is: isProfile,
    read(text) {
      const graph = readProfileGraph(text);
      return 'faults' in graph ? graph : { layers: layersOfProfile(graph), remarks: [] };
    },
  },
  { name: 'workload of ASTRA-sim 1.0', is: isAstraSim, read: readAstraSim },
  { name: 'table of layer times', is: isTimesCsv, read: readTimesCsv },
  { name: 'graph of dnn-partitioning', is: isDnnPartitioning, read: readDnnPartitioning },
];

/** Whether a text looks like a profile of a format that `readProfile` knows. */
export const isKnownProfile = (text: string): boolean => formats.some((format) => format.is(text));

/** The layers of a profile, or what is wrong with it. */
export function readProfile(text: string): ProfileRead | { readonly faults: readonly TextFault[] } {
  const format = formats.find((profileFormat) => profileFormat.is(text)) ?? formats[0];
  const read = format.read(text);
  if ('faults' in read) return read;
  const faults = read.layers.filter(isTooLarge).slice(0, mostTextFaults).map(tooLarge);
  return faults.length > 0 ? { faults } : { ...read, format: format.name };
}

const isTooLarge = (layer: MeasuredLayer): boolean => {
  const { forward, backward = 0, backwardInput = 0, backwardWeight = 0, weights, activation, output } = layer;
  const figures = [forward, backward, backwardInput, backwardWeight, weights, activation, output];
  return !figures.every((figure) => Math.abs(figure) <= largestQuantity);
};

const tooLarge = ({ start, end }: MeasuredLayer): TextFault => ({
  start,
  end,
  message: `A time or size of this layer is too large to compute with: it must be at most ${largestQuantity} s or bytes.`,
});
