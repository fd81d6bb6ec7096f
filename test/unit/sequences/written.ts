/** Schedules of a text on unit layers, written out. */
import { rowItems } from '../../../engine/schedule/rowItems.ts';
import type { RowItem } from '../../../engine/values/plan.ts';
import { type Setting, resolveText } from '../../support/resolve.ts';

interface Shape {
  readonly devices?: number;
  readonly stages?: number;
  readonly microbatches?: number;
  readonly use?: string;
}

/** A pipeline of equal layers with a schedule of the text; `use` is what its key `schedule` says. */
export const pipelineOf = (
  schedule: string,
  { devices = 2, stages = devices, microbatches = 4, use = 'mine' }: Shape = {},
): string => `device d { memory = 16GiB }
cluster box { gpu[${devices}] = d  link = 25GB/s + 5us }
model toy { layer block[${stages}] { forward = 4ms  backward = 8ms } }
${schedule}
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = ${use} }
`;

const nameOf = ({ stage, op, microbatch, fusedWithNext }: RowItem): string =>
  `${stage}${op}${microbatch}${fusedWithNext === true ? '&' : ''}`;

/** Operations of each device: `0F0 0B0`. Throws with the messages of errors. */
export function written(text: string, setting?: Setting): readonly string[] {
  const { plan, findings } = resolveText(text, setting);
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const [pipeline] = plan.pipelines;
  if (errors.length > 0 || pipeline === undefined) throw new Error(errors.join('\n'));
  const { schedule } = pipeline;
  return schedule.kind === 'rows' ? schedule.rows.map((row) => rowItems(row).map(nameOf).join(' ')) : [];
}

/** The row of the first device of two, without numbers of stages. */
export const rowOf = (items: string, more = '', shape: Shape = {}): string =>
  written(pipelineOf(`schedule mine { ${more}  row(d) = ${items} }`, shape))[0].replace(/\b0(?=[FBIW])/g, '');
