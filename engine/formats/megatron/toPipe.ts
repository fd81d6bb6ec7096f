import { count } from '../../quantities.ts';
import type { TextFault } from '../fault.ts';
import { laidOut } from '../toPipe.ts';
import { flagsOf, type Flags } from './flags.ts';
import type { LayerSymbol } from './layout.ts';
import { type MegatronStages, stagesOf } from './stages.ts';

const layoutAlone = /^["']?[EtmL|,*()\d]*[|E][EtmL|,*()\d]*["']?$/;

/** Whether a text is a layout alone, or arguments with a pipeline among them. */
export const isMegatron = (text: string): boolean =>
  layoutAlone.test(text.trim()) ||
  /(^|\s)--(pipeline-model-parallel|num-layers|decoder-(first|last)-pipeline)/.test(text);

/** A `.pipe` file with the stages of a layout or of Megatron-LM's arguments. Neither has times: every layer takes 1 ms forward. */
export function pipeOfMegatron(
  text: string,
): { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] } {
  const trimmed = text.trim();
  const flags = layoutAlone.test(trimmed) ? layoutFlag(text, trimmed) : flagsOf(text);
  const read = stagesOf(flags, text.length);
  if ('faults' in read) return read;
  const remarks = read.stages.some((stage) => stage.length === 0)
    ? ['Stages without layers have a layer that takes no time and only passes data on.']
    : [];
  return { pipe: written(read, flags), remarks };
}

function layoutFlag(text: string, trimmed: string): Flags {
  const bare = trimmed.replace(/^["']|["']$/g, '');
  const start = text.indexOf(bare);
  const value = { text: bare, start, end: start + bare.length };
  return new Map([['pipeline-model-parallel-layout', { flag: value, value }]]);
}

/** Consecutive layers of one kind. */
interface Run {
  readonly kind: LayerSymbol | 'pass';
  count: number;
}

const words = { E: 'embed', t: 'block', m: 'prediction', L: 'head', pass: 'pass' } as const;

function written({ stages, ranks, group }: MegatronStages, flags: Flags): string {
  const runs: Run[] = [];
  // For each stage, which run and which of its layers.
  const parts = stages.map((stage) => {
    const pieces: { readonly run: number; readonly first: number; last: number }[] = [];
    for (const kind of stage.length === 0 ? (['pass'] as const) : stage) {
      const open = runs.at(-1);
      if (open?.kind === kind && kind !== 'pass') open.count += 1;
      else runs.push({ kind, count: 1 });
      const [run, at] = [runs.length - 1, (runs.at(-1)?.count ?? 1) - 1];
      const piece = pieces.at(-1);
      if (piece?.run === run) piece.last = at;
      else pieces.push({ run, first: at, last: at });
    }
    return pieces;
  });
  const alone = (kind: Run['kind']): boolean => runs.filter((run) => run.kind === kind).length === 1;
  const names = runs.map(({ kind }, index) => {
    const before = runs.slice(0, index).filter((run) => run.kind === kind).length;
    return alone(kind) ? words[kind] : `${words[kind]}_${before + 1}`;
  });
  const layers = runs.map(({ kind, count: number }, index) => {
    const times = kind === 'pass' ? 'forward = 0ms  backward = 0ms' : 'forward = 1ms  backward = 2ms';
    return `  layer ${names[index]}${kind === 't' || kind === 'm' ? `[${number}]` : ''} { ${times} }`;
  });
  const blocks = parts.map((pieces, stage) => {
    const found = pieces.map(({ run, first, last }) => {
      const { kind } = runs[run];
      if (kind !== 't' && kind !== 'm') return names[run];
      return `${names[run]}[${first === last ? first : `${first}..${last}`}]`;
    });
    return `  stage s${stage} { layers = ${found.join(', ')} }`;
  });
  const chunks = stages.length / ranks;
  const shown = [count(ranks, 'rank', 'ranks'), count(stages.length, 'stage', 'stages')];
  const layout = flags.get('pipeline-model-parallel-layout')?.value?.text;
  const grouped = group === undefined || group === ranks ? '' : `, group = ${group}`;
  const least = Math.max(ranks, group ?? 1);
  return laidOut(`/// Stages of Megatron-LM${layout === undefined ? '' : `, layout ${layout.replace(/[\r\n]/g, ' ')}`}: ${shown.join(', ')}.
/// It has no times and no sizes: replace them with the values of your layers.
model imported {
${layers.join('\n')}
}

/// Put your devices and links here.
device accelerator { memory = 80GiB }

cluster ranks {
  gpu[${ranks}] = accelerator
  link = 100GB/s
}

pipeline imported_pipeline {
  model = imported
  devices = ranks
  microbatches = ${2 * least}
${blocks.join('\n')}
  schedule = ${chunks === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${chunks}${grouped})`}
}
`);
}
