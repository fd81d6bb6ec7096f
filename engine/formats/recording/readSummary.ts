/** Reads a summary of a recording. Whatever the file holds, the answer is a whole recording or faults. */
import { list } from '../../basics/quantities.ts';
import type { TextFault } from '../fault.ts';
import { type Fields, fieldsOf } from '../json/fields.ts';
import { readJson } from '../json/read.ts';
import { kindOfType } from '../kineto/recordedRow.ts';
import type { RecordedCall, RecordedRow, RecordedStep, Recording } from '../../values/recording.ts';
import { version } from './summary.ts';

export const isSummary = (head: string): boolean => /^\s*\{\s*"pipewright"\s*:\s*"run"/.test(head);

export function readSummary(
  text: string,
): { readonly recordings: readonly Recording[] } | { readonly faults: readonly TextFault[] } {
  const json = readJson(text);
  if ('fault' in json) return { faults: [json.fault] };
  if (json.kind !== 'object') return { faults: [{ start: 0, end: 1, message: 'Expected an object.' }] };
  const fields = fieldsOf(json);
  if (fields.whole('version') !== version)
    fields.fault('version', `This reads version ${version} of the format. Make the summary again from the traces.`);
  const recordings = fields.items('pipelines').flatMap((value) => {
    const inner = fields.within(value, 'pipelines');
    return inner === undefined ? [] : [recordingIn(inner)];
  });
  if (recordings.length === 0) fields.fault('pipelines', '"pipelines" must list at least one run.');
  return fields.faults.length > 0 ? { faults: fields.faults } : { recordings };
}

function recordingIn(fields: Fields): Recording {
  const ranks = fields.wholes('ranks');
  const placement = Int32Array.from(fields.wholes('placement'));
  const shape = { ranks, placement, stages: fields.whole('stages'), microbatches: fields.whole('microbatches') };
  if (placement.length !== shape.stages || placement.some((rank) => rank < 0 || rank >= ranks.length))
    fields.fault('placement', '"placement" must name a rank for each stage.');
  const clocks = fields.inner('clocks');
  const times = (name: string): Float64Array => {
    const column = clocks === undefined ? [] : secondsOf(clocks, name);
    if (column.length !== ranks.length) clocks?.fault(name, `"${name}" must have a time for each rank.`);
    return Float64Array.from(column, (time) => (Number.isNaN(time) ? Infinity : time));
  };
  const steps = fields.items('steps').flatMap((value) => {
    const inner = fields.within(value, 'steps');
    return inner === undefined ? [] : [stepIn(inner, shape)];
  });
  if (steps.length === 0) fields.fault('steps', '"steps" must list at least one step.');
  return {
    ...shape,
    steps,
    clocks: { offset: times('offset'), slack: times('slack') },
    ...(fields.has('peaks') ? { peaks: peaksIn(fields, ranks.length) } : {}),
    device: fields.flag('device', false),
  };
}

/** Bytes by rank; null is unknown. */
function peaksIn(fields: Fields, ranks: number): Float64Array {
  const peaks = fields.items('peaks').map((value) => {
    if (value.kind === 'number' && Number.isSafeInteger(value.value) && value.value >= 0) return value.value;
    if (value.kind !== 'null') fields.faultAt(value, '"peaks" must be a list of whole bytes.');
    return Number.NaN;
  });
  if (peaks.length !== ranks) fields.fault('peaks', '"peaks" must have an amount for each rank.');
  return Float64Array.from(peaks);
}

type Shape = Pick<Recording, 'ranks' | 'placement' | 'stages' | 'microbatches'>;

function stepIn(fields: Fields, shape: Shape): RecordedStep {
  const rows = fields.items('rows').flatMap((value) => {
    const inner = fields.within(value, 'rows');
    return inner === undefined ? [] : [rowIn(inner, shape)];
  });
  if (rows.length !== shape.ranks.length) fields.fault('rows', '"rows" must have one row for each rank.');
  const ofRanks = (name: string): Float64Array => {
    const column = secondsOf(fields, name);
    if (column.length !== shape.ranks.length) fields.fault(name, `"${name}" must have a time for each rank.`);
    return Float64Array.from(column);
  };
  const number = fields.whole('number', { least: 0 });
  return {
    ...{ number, rows, optimizer: ofRanks('optimizer'), between: ofRanks('between') },
    ...(fields.has('before') ? { before: callsIn(fields, 'before', shape) } : {}),
    ...(fields.has('after') ? { after: callsIn(fields, 'after', shape) } : {}),
  };
}

const groups = ['rank', 'replicas', 'pipeline', 'everyone'] as const;

const callsIn = (fields: Fields, name: string, { ranks }: Shape): readonly RecordedCall[] =>
  fields.items(name).flatMap((value) => {
    const inner = fields.within(value, name);
    if (inner === undefined) return [];
    const text = inner.text('together');
    const together = groups.find((group) => group === text);
    if (text !== undefined && together === undefined)
      inner.fault('together', `"together" must be one of ${list([...groups])}.`);
    const seconds = secondsOf(inner, 'seconds');
    if (seconds.length !== ranks.length) inner.fault('seconds', '"seconds" must have a time for each rank.');
    return [{ name: inner.text('name') ?? '', together: together ?? 'rank', seconds: Float64Array.from(seconds) }];
  });

/** Whole nanoseconds as seconds; null is unknown. */
const secondsOf = (fields: Fields, name: string): readonly number[] =>
  fields.items(name).map((value) => {
    if (value.kind === 'number' && Number.isFinite(value.value)) return value.value / 1e9;
    if (value.kind !== 'null') fields.faultAt(value, `"${name}" must be a list of whole nanoseconds.`);
    return Number.NaN;
  });

const operation = /^(\d{1,8})([FBIW])(\d{1,8})(\+?)$/;

function rowIn(fields: Fields, shape: Shape): RecordedRow {
  const names = (fields.text('operations') ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0) fields.fault('operations', '"operations" must name what ran: "0F0 0F1 0B0".');
  const row: RecordedRow = {
    kind: new Uint8Array(names.length),
    stage: new Int32Array(names.length),
    microbatch: new Int32Array(names.length),
    ...{ begin: new Float64Array(names.length), start: new Float64Array(names.length) },
    ...{ end: new Float64Array(names.length), work: new Float64Array(names.length) },
    ...{ posted: new Float64Array(names.length), arrived: new Float64Array(names.length) },
    fused: new Uint8Array(names.length),
  };
  const column = (name: string): readonly number[] => {
    const seconds = secondsOf(fields, name);
    if (seconds.length !== names.length) fields.fault(name, `"${name}" must have a time for each operation.`);
    return seconds;
  };
  const [begin, wait, length] = [column('begin'), column('wait'), column('length')];
  const [posted, arrived] = [column('posted'), column('arrived')];
  const rest = fields.has('work') ? column('work') : [];
  let before = 0;
  for (const [at, name] of names.entries()) {
    const [, stage, type, microbatch, plus] = operation.exec(name) ?? [];
    if (type === undefined || Number(stage) >= shape.stages || Number(microbatch) >= shape.microbatches) {
      fields.fault('operations', 'Each of "operations" must be an operation of the run, such as "2F0".');
      break;
    }
    row.kind[at] = kindOfType[type as keyof typeof kindOfType];
    row.stage[at] = Number(stage);
    row.microbatch[at] = Number(microbatch);
    row.fused[at] = plus === '+' ? 1 : 0;
    row.begin[at] = before + begin[at];
    row.start[at] = row.begin[at] + wait[at];
    row.end[at] = row.start[at] + length[at];
    row.work[at] = length[at] - (rest[at] ?? 0);
    row.posted[at] = row.end[at] + posted[at];
    row.arrived[at] = row.begin[at] + arrived[at];
    before = row.end[at];
  }
  return row;
}
