/** Edits that give layers their measured times. A stage's time is shared among its layers as the plan shares it. */
import type { BlockItem, Entry, Expression, SyntaxFile } from '../../grammar/index.ts';
import { time } from '../basics/quantities.ts';
import { findUnit } from '../language/units.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type CalibratedRow, type Calibration, kindsOfStage } from './calibrate.ts';
import { applied, type Edit } from './edit.ts';

type Edits = { readonly edits: readonly Edit[] } | { readonly problem: string };

export function layerEdits(
  file: SyntaxFile,
  items: readonly BlockItem[],
  plan: PipelinePlan,
  calibration: Calibration,
): Edits {
  const stageOf = new Map(plan.stages.flatMap(({ layers }, stage) => layers.map((name) => [name, stage] as const)));
  const edits: Edit[] = [];
  for (const item of items) {
    if (item.kind !== 'entry' || item.key.text !== 'layer' || item.name === undefined) continue;
    const name = item.name.text;
    const members = [...stageOf.keys()].filter((one) => one === name || one.startsWith(`${name}[`));
    const made = members.map((member) => bodyEdits(file, item, plan, calibration, stageOf.get(member) ?? 0));
    const problem = made.find((one) => 'problem' in one);
    if (problem !== undefined) return problem;
    const bodies = made.map((one) => ('edits' in one ? one.edits : []));
    const texts = bodies.map((one) => JSON.stringify(one));
    if (new Set(texts).size === 1) edits.push(...bodies[0]);
    else if (texts.length > 1) {
      const apart = splitEdit(file, item, name, bodies);
      if ('problem' in apart) return apart;
      edits.push(...apart.edits);
    }
  }
  return { edits };
}

/** `layer block[8] { … }` as eight layers, whose times differ. */
function splitEdit(
  { text, tokens }: SyntaxFile,
  item: Entry,
  name: string,
  bodies: readonly (readonly Edit[])[],
): Edits {
  const { body } = item;
  const mentions = tokens.filter((token) => token.kind === 'name' && token.text === name);
  const taken = tokens.some((token) => new RegExp(`^${name}_\\d+$`).test(token.text));
  if (body === undefined || mentions.length > 1 || taken)
    return {
      problem: `layers of "${name}" take different times in different stages, and the file names "${name}" elsewhere: write a layer for each stage`,
    };
  const layers = bodies.map((edits, at) => {
    const shifted = edits.map((edit) => ({ ...edit, start: edit.start - body.start, end: edit.end - body.start }));
    return `layer ${name}_${at} ${applied(text.slice(body.start, body.end), shifted)}`;
  });
  return { edits: [{ start: item.start, end: item.end, text: layers.join('\n  ') }] };
}

function bodyEdits(file: SyntaxFile, item: Entry, plan: PipelinePlan, calibration: Calibration, stage: number): Edits {
  const find = (key: string): Expression | undefined => {
    const entry = item.body?.entries.find((one): one is Entry => one.kind === 'entry' && one.key.text === key);
    return entry?.values?.[0];
  };
  const alone = plan.stages[stage].layers.length === 1;
  const { forward, whole, input, weight } = kindsOfStage(calibration, plan.stages.length, stage);
  const [old, backward] = [find('forward'), find('backward')];
  const halves = [find('backward_input'), find('backward_weight')] as const;
  if (old === undefined)
    return {
      problem: `the times of layer "${item.name?.text ?? ''}" follow from its shape: calibrate a model with measured layers, such as \`pipewright import\` writes`,
    };
  const rewrite = (value: Expression, row: CalibratedRow, note = measuredNote(row)): Edit | undefined => {
    const text = scaled(file, value, row, note, alone);
    return text === undefined ? undefined : { start: value.start, end: value.end, text };
  };
  const wanted: (Edit | undefined)[] = [];
  if (forward !== undefined) wanted.push(rewrite(old, forward));
  if (whole !== undefined && backward !== undefined) wanted.push(rewrite(backward, whole));
  else if (whole !== undefined && halves[0] !== undefined && halves[1] !== undefined)
    wanted.push(...halves.map((half) => (half === undefined ? undefined : rewrite(half, whole, sharedNote))));
  else if (input !== undefined && weight !== undefined && halves[0] !== undefined && halves[1] !== undefined)
    wanted.push(rewrite(halves[0], input), rewrite(halves[1], weight));
  else if (whole !== undefined || input !== undefined)
    return {
      problem: `layer "${item.name?.text ?? ''}" has no ${whole === undefined ? '`backward_input` and `backward_weight`' : '`backward`'}, which the run measured: write the planned times first`,
    };
  return wanted.includes(undefined)
    ? {
        problem: `the plan says that an operation of stage ${stage} takes no time, so its measured time cannot be shared among ${plan.stages[stage].layers.length} layers`,
      }
    : { edits: wanted.filter((edit) => edit !== undefined) };
}

/** The new value: measured for the only layer of a stage, otherwise in proportion to what was planned. */
function scaled(
  { text }: SyntaxFile,
  value: Expression,
  row: CalibratedRow,
  said: string,
  alone: boolean,
): string | undefined {
  const old = text.slice(value.start, value.end);
  const { planned } = row;
  const note = `// ${said}, was ${old.replace(/\s+/g, ' ')}\n`;
  const literal = value.kind === 'quantity' ? findUnit(value.unit) : undefined;
  const ratio = row.seconds / planned;
  if (literal?.dimension === 'time' && value.kind === 'quantity' && planned > 0)
    return `${milliseconds(value.value * literal.scale * ratio)} ${note}`;
  if (planned > 0) return `(${old}) * ${Number(ratio.toPrecision(6))} ${note}`;
  return alone ? `${milliseconds(row.seconds)} ${note}` : undefined;
}

/** Of the halves of a backward that ran whole: nobody measured them, so they have no interval. */
export const sharedNote = 'shared as the plan has it';

const measuredNote = ({ half, count }: CalibratedRow): string =>
  `${half === undefined ? '' : `± ${time(half)}, `}n = ${count}`;

const milliseconds = (seconds: number): string => `${Number((seconds * 1e3).toFixed(6))}ms`;
