/** Layers by name as a model, and the stages that hold them. */
import { count } from '../../basics/quantities.ts';

export interface WrittenLayers {
  /** Lines of a model: what each layer takes is for the user to say. */
  readonly layers: string;
  /** Lines of a pipeline, one for each stage. */
  readonly stages: string;
  readonly remarks: readonly string[];
}

const placeholder = '{ forward = 1ms  backward_input = 1ms  backward_weight = 1ms }';

interface Run {
  readonly name: string;
  readonly array: boolean;
  count: number;
}

/** Names such as `embed` and `block[3]`, each once and arrays in order; otherwise each stage becomes one layer. */
export function writtenLayers(stages: readonly (readonly string[])[]): WrittenLayers {
  const runs: Run[] = [];
  const parts: string[] = [];
  for (const [index, names] of stages.entries()) {
    const pieces: { readonly name: string; readonly first?: number; last: number }[] = [];
    for (const text of names) {
      const { name, at } = /^(?<name>\w*[A-Za-z_]\w*)(?:\[(?<at>0|[1-9]\d{0,6})\])?$/.exec(text)?.groups ?? {};
      if (name === undefined || !isNext(runs, name, at)) return oneEach(stages.length);
      const number = at === undefined ? 0 : Number(at);
      const open = runs.at(-1);
      if (number > 0 && open !== undefined) open.count += 1;
      else runs.push({ name, array: at !== undefined, count: 1 });
      const piece = pieces.at(-1);
      if (piece?.name === name && piece.first !== undefined) piece.last = number;
      else pieces.push({ name, ...(at === undefined ? {} : { first: number }), last: number });
    }
    if (pieces.length === 0) return oneEach(stages.length);
    const written = pieces.map(({ name, first, last }) =>
      first === undefined ? name : `${name}[${first === last ? first : `${first}..${last}`}]`,
    );
    parts.push(`  stage s${index} { layers = ${written.join(', ')} }`);
  }
  return {
    layers: runs
      .map(({ name, array, count: number }) => `  layer ${name}${array ? `[${number}]` : ''} ${placeholder}`)
      .join('\n'),
    stages: parts.join('\n'),
    remarks: [],
  };
}

/** Whether a layer follows the ones before: a new name, or the next of the array. */
function isNext(runs: readonly Run[], name: string, at: string | undefined): boolean {
  const open = runs.at(-1);
  if (at !== undefined && at !== '0') return open?.name === name && open.array && open.count === Number(at);
  return runs.every((run) => run.name !== name);
}

const oneEach = (stages: number): WrittenLayers => ({
  layers: `  layer stage[${stages}] ${placeholder}`,
  stages: `  stages = balance(${stages})`,
  remarks: [
    `The names in \`LAYERS\` do not say the layers in order, each once: ${count(stages, 'stage', 'stages')} of one layer each are written. Replace them.`,
  ],
});
