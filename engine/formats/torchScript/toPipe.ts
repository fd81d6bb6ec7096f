/** The pipeline of a program that `exportTorchScript` wrote: its layers, stages, data ranks and order. */
import { count } from '../../basics/quantities.ts';
import type { TextFault } from '../fault.ts';
import { writtenLayers } from '../program/layers.ts';
import { constantsOf, isProgram, tableOfProgramText } from '../program/read.ts';
import { laidOut } from '../toPipe.ts';
import { orderText } from '../torchCsv/toPipe.ts';

export const isTorchScript = (text: string): boolean =>
  isProgram(text) && /^from torch\.distributed\.pipelining\.schedules import _PipelineScheduleRuntime$/m.test(text);

/** More data ranks are a mistake of digits. */
const mostData = 2 ** 17;

export function pipeOfTorchScript(
  text: string,
): { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] } {
  const found = tableOfProgramText(text);
  if (found === undefined) return { faults: [{ start: 0, end: 1, message: 'The program has no table `SCHEDULE`.' }] };
  if ('faults' in found) return found;
  const { table } = found.read;
  const { shape } = found.schedule;
  const constants = constantsOf(text);
  const data = constants.number('DATA') ?? 1;
  if (data < 1 || data > mostData) {
    const start = Math.max(0, text.search(/^DATA\b/m));
    return { faults: [{ start, end: start + 4, message: `\`DATA\` must be a whole number from 1 to ${mostData}.` }] };
  }
  const ranks = table.rows.length;
  const layers = constants.layers ?? [];
  const cut = writtenLayers(layers.length === shape.stages ? layers : Array.from({ length: shape.stages }, () => []));
  const remarks = [
    ...cut.remarks,
    'The program has no times and no sizes: each layer takes 3 ms. Replace them, the devices and the link.',
  ];
  const dataIsOuter = /^MESH = \("dp", "pp"\)/m.test(text);
  const pipe = laidOut(`/// From a program for PyTorch: ${[
    count(ranks * data, 'rank', 'ranks'),
    count(shape.stages, 'stage', 'stages'),
    count(shape.microbatches, 'microbatch', 'microbatches'),
  ].join(', ')}.
${remarks.map((remark) => `// ${remark}\n`).join('')}model imported {
${cut.layers}
}

device accelerator { memory = 80GiB }

cluster ranks {
  gpu[${ranks * data}] = accelerator
  link = 100GB/s
}

${orderText(table, shape)}

pipeline imported_pipeline {
  engine = pytorch
  model = imported
  devices = ranks
${data === 1 ? '' : `  data = ${data}\n`}${data > 1 && dataIsOuter ? '  rank_order = tp_cp_pp_dp\n' : ''}  microbatches = ${shape.microbatches}
${cut.stages}
  schedule = imported_order
}
`);
  return { pipe, remarks };
}
