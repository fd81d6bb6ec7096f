/** Blocks of a figure: a chunk by its shade, and what takes no time by a mark. */
import { stagesOn } from '../basics/stagesOn.ts';
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { E, kindOf, L, type Program, stageOf } from '../values/program.ts';
import { type Block, eachBlock } from './blocks.ts';
import { type Ink, inkLook, type InkMarks, mostShade, numberColour, shaded } from './ink.ts';
import { type Labels, labelsOf } from './labels.ts';
import { type Sheet, xOf, yOf } from './sheet.ts';
import { points } from './xml.ts';

const hairline = 0.5;

/** By stage: how many stages of its device come before it. */
export function shadesOf(program: Program): Uint8Array {
  const shades = new Uint8Array(program.stages);
  for (let device = 0; device < program.devices; device += 1)
    for (const [chunk, stage] of stagesOn(program.placement, device).entries())
      shades[stage] = Math.min(mostShade, chunk);
  return shades;
}

const patternOf = (ink: Ink, shade: number): string => (shade === 0 ? ink : `${ink}-${shade}`);

export function fillOf(ink: Ink, shade = 0): string {
  const { marks, colour } = inkLook(ink);
  return marks === undefined ? shaded(colour, shade) : `url(#${patternOf(ink, shade)})`;
}

/** Patterns that tell inks apart in grey, in each shade up to the palest. */
export function patterns(shown: readonly Ink[], palest: number): string {
  const parts = shown.flatMap((ink) => {
    const { colour, marks, text } = inkLook(ink);
    if (marks === undefined) return [];
    return Array.from(
      { length: palest + 1 },
      (_, shade) =>
        `<pattern id="${patternOf(ink, shade)}" width="3" height="3" patternUnits="userSpaceOnUse"><rect width="3" height="3" fill="${shaded(colour, shade)}"/>${drawnMark(marks, text)}</pattern>\n`,
    );
  });
  return parts.length === 0 ? '' : `<defs>\n${parts.join('')}</defs>\n`;
}

/** Marks of declared operations are faint: numbers are written over them. */
function drawnMark(mark: InkMarks, text: string): string {
  const line = (path: string) =>
    `<path d="${path}" fill="none" stroke="${text}" stroke-opacity="0.45" stroke-width="0.35"/>`;
  switch (mark) {
    case 'dots':
      return '<circle cx="0.75" cy="0.75" r="0.32" fill="#2f6d58"/><circle cx="2.25" cy="2.25" r="0.32" fill="#2f6d58"/>';
    case 'strokes':
      return '<path d="M0 3L3 0" stroke="#ffffff" stroke-width="0.5"/>';
    case 'bars':
      return line('M1.5 0V3');
    case 'lines':
      return line('M0 1.5H3');
    case 'squares':
      return line('M1.5 0V3M0 1.5H3');
  }
}

/** Moves of activations that take no time on their device. */
export interface Moves {
  readonly evicts: boolean;
  readonly loads: boolean;
}
export const moveColour = '#6a3fb5';
/** A triangle that leaves the row, or enters it. Its tip is at the time of the move. */
export const moveMark = (out: boolean, x: number, top: number): string =>
  `<path class="${out ? 'evicts' : 'loads'}" d="M${points(x)} ${points(top + (out ? 0 : 4))}l-2 ${out ? 4 : -4}h4z" fill="${moveColour}" stroke="#ffffff" stroke-width="0.3"/>`;

/** Whether an operation without a width is an eviction or a load. */
function moveOf({ program }: Run, { position, start, end }: Block): 'evicts' | 'loads' | undefined {
  if (position < 0 || end > start) return undefined;
  const kind = kindOf(program, program.order[position]);
  return kind === E ? 'evicts' : kind === L ? 'loads' : undefined;
}

export function movesIn(plan: PipelinePlan, run: Run): Moves {
  const found = { evicts: false, loads: false };
  eachBlock(plan, run, (block) => {
    const move = moveOf(run, block);
    if (move !== undefined) found[move] = true;
  });
  return found;
}

/** `later`: seconds by which blocks of the next iteration are drawn later. */
export function* blockShapes(plan: PipelinePlan, run: Run, sheet: Sheet, blocks: number, later = 0): Generator<string> {
  const labels = labelsOf(plan, run, sheet);
  const shades = shadesOf(run.program);
  // A white hairline parts neighbours. Where blocks are narrow it would hide them.
  const mean = ((sheet.right - sheet.left) * sheet.rows) / Math.max(1, blocks);
  const gap = Math.min(hairline, mean / 16);
  const next = later > 0 ? ` opacity="0.45" transform="translate(${points(xOf(sheet, later) - sheet.left)} 0)"` : '';
  yield `<g class="${later > 0 ? 'next' : 'blocks'}"${next} text-anchor="middle" font-size="${labels.size}" stroke="#ffffff" stroke-width="${points(gap)}">\n`;
  let parts: string[] = [];
  /** Over the blocks at both sides. */
  let moves: string[] = [];
  let row = 0;
  const rows: string[] = [];
  const close = (): void => {
    rows.push(parts.join(''), moves.length === 0 ? '' : `${moves.join('')}\n`);
    [parts, moves] = [[], []];
  };
  eachBlock(plan, run, (block) => {
    if (block.device !== row) {
      close();
      row = block.device;
    }
    const { position, device, start } = block;
    const shade = position < 0 ? 0 : (shades[stageOf(run.program, run.program.order[position])] ?? 0);
    parts.push(shape(block, sheet, labels, shade));
    const move = moveOf(run, block);
    if (move !== undefined) moves.push(moveMark(move === 'evicts', xOf(sheet, start), yOf(sheet, device)));
  });
  close();
  yield* rows;
  yield '</g>\n';
}

function shape(block: Block, sheet: Sheet, labels: Labels, shade: number): string {
  const { device, start, end, half, microbatch } = block;
  const top = yOf(sheet, device) + (half === 'lower' ? sheet.row / 2 : 0);
  const height = half === 'whole' ? sheet.row : sheet.row / 2;
  let from = xOf(sheet, start);
  let text = '';
  let drawn = '';
  for (const [part, ink] of block.inks.entries()) {
    const to = xOf(sheet, start + (end - start) * (block.until[part] ?? 1));
    drawn += `<rect x="${points(from)}" y="${points(top)}" width="${points(to - from)}" height="${points(height)}" fill="${fillOf(ink, shade)}"/>`;
    // What takes no time has no room for a number.
    if (part === block.labelled && microbatch >= 0 && to > from && labels.rows[device]) {
      const y = top + height / 2 + labels.size * 0.36;
      text = `<text x="${points((from + to) / 2)}" y="${points(y)}" fill="${numberColour(ink, shade)}" stroke="none">${microbatch}</text>`;
    }
    from = to;
  }
  return `<g>${drawn}${text}</g>\n`;
}
