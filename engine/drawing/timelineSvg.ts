/** A simulated pipeline as a figure for a paper: SVG without references to anything outside. */
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { timeAxis } from './axis.ts';
import { type Block, eachBlock } from './blocks.ts';
import { captionOf, type Provenance, wrapped } from './caption.ts';
import { type Detail, finest } from './detail.ts';
import { type Ink, inkLook, type InkMarks, inks } from './ink.ts';
import { type Labels, labelsOf } from './labels.ts';
import { laneShapes } from './laneShapes.ts';
import { lastMoment, legsOf, repeatsAfter } from './lanes.ts';
import { legendRows } from './legend.ts';
import { memoryChart, memoryHeight, memoryLabels } from './memoryChart.ts';
import { asPlayed, playHead, type Playing, playingStyle } from './playing.ts';
import { rasterRows } from './raster.ts';
import { fontSize, type PaperWidth, paperWidths, type Sheet, sheetOf, xOf, yOf } from './sheet.ts';
import { fitted, points, textWidth, xmlText } from './xml.ts';

export interface FigureOptions extends Provenance {
  readonly width: PaperWidth;
  /** With a chart of memory over time. */
  readonly memory: boolean;
  /** Default: `finest`. */
  readonly detail?: Detail;
  /** Default: nothing moves. */
  readonly playing?: Playing;
}

const lineHeight = 9;
const hairline = 0.5;

/** The figure in parts, for streams. The same for the same plan, on every machine. */
export function* timelineSvg(plan: PipelinePlan, run: Run, options: FigureOptions): Generator<string> {
  const width = paperWidths[options.width];
  const { detail = finest, playing } = options;
  const { mostShapes } = detail;
  const used = new Set<Ink>();
  const blocks = eachBlock(plan, run, ({ inks: drawn }) => {
    for (const ink of drawn) used.add(ink);
  });
  // Without a barrier the exchange runs into the next iteration, which is drawn too.
  const period = 2 * blocks > mostShapes ? undefined : repeatsAfter(run.timeline);
  const seconds = Math.max(lastMoment(run.timeline), period === undefined ? 0 : period + run.timeline.makespan);
  const labels = options.memory ? memoryLabels(run.report) : [];
  const sheet = sheetOf(plan, seconds, width, labels, {
    legs: detail.exchange ? legsOf(run.timeline) : 0,
    halves: run.program.fused !== undefined,
  });
  const shown = inks.filter((ink) => used.has(ink));
  const legend = legendRows(shown, sheet, run.timeline.program.declared?.names ?? [], {
    timeline: run.timeline,
    repeats: period !== undefined,
  });
  const caption = captionOf(plan, run.report, options);
  const lines = wrapped(caption, fontSize, width - 10);
  const chart = options.memory ? yOf(sheet, sheet.rows) + 6 : undefined;
  const axis = chart === undefined ? yOf(sheet, sheet.rows) + 2 : chart + memoryHeight + 2;
  const below = axis + 15;
  const captionTop = below + legend.height + 5;
  const height = captionTop + lines.length * lineHeight + 2;
  yield `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${options.width}" height="${points(height)}pt" viewBox="0 0 ${points(width)} ${points(height)}" role="img">
<title>${xmlText(`${plan.name}: ${plan.schedule.name}`)}</title>
<desc>${xmlText(caption)}</desc>
${marks(shown)}${playing === undefined ? '' : playingStyle(sheet, height, playing)}<rect width="${points(width)}" height="${points(height)}" fill="#ffffff"/>
<g font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="${fontSize}" fill="#000000">
`;
  yield* names(plan, sheet);
  yield* frames(sheet);
  yield* asPlayed(playing, work(plan, run, sheet, { blocks, period, detail, clear: playing !== undefined }));
  if (chart !== undefined) yield* memoryChart(plan, run, sheet, chart, { period, playing });
  yield* axisParts(sheet, axis);
  if (playing !== undefined) yield playHead(sheet, axis);
  yield `<g class="legend" transform="translate(0 ${points(below)})">\n${legend.text}</g>\n<g class="caption">\n`;
  for (const [index, line] of lines.entries())
    yield `<text x="5" y="${points(captionTop + fontSize + index * lineHeight)}">${xmlText(line)}</text>\n`;
  yield '</g>\n</g>\n</svg>\n';
}

interface Work {
  readonly blocks: number;
  readonly period: number | undefined;
  readonly detail: Detail;
  readonly clear: boolean;
}

/** What devices do: their blocks, the blocks of the next iteration if it is drawn, and their exchange. */
function* work(plan: PipelinePlan, run: Run, sheet: Sheet, { blocks, period, detail, clear }: Work): Generator<string> {
  if (blocks > detail.mostShapes) yield* rasterRows(plan, run, sheet, { ...detail, clear });
  else yield* shapes(plan, run, sheet, blocks);
  if (period !== undefined) yield* shapes(plan, run, sheet, blocks, period);
  yield* laneShapes(run.timeline, sheet);
}

/** Patterns that tell inks apart in grey. */
function marks(shown: readonly Ink[]): string {
  const patterns = shown.flatMap((ink) => {
    const { colour, marks: mark, text } = inkLook(ink);
    if (mark === undefined) return [];
    return [
      `<pattern id="${ink}" width="3" height="3" patternUnits="userSpaceOnUse"><rect width="3" height="3" fill="${colour}"/>${drawnMark(mark, text)}</pattern>\n`,
    ];
  });
  return patterns.length === 0 ? '' : `<defs>\n${patterns.join('')}</defs>\n`;
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

const fillOf = (ink: Ink): string => {
  const { marks: mark, colour } = inkLook(ink);
  return mark === undefined ? colour : `url(#${ink})`;
};

function* names(plan: PipelinePlan, sheet: Sheet): Generator<string> {
  yield '<g class="devices" text-anchor="end">\n';
  for (let row = 0; row < sheet.rows; row += sheet.namesEvery) {
    const name = fitted(plan.devices[row].name, fontSize, sheet.left - 4);
    const y = yOf(sheet, row) + sheet.row / 2 + fontSize * 0.36;
    yield `<text x="${points(sheet.left - 3)}" y="${points(y)}">${xmlText(name)}</text>\n`;
  }
  yield '</g>\n';
}

/** Idle time is white: a frame says where a row begins and ends. */
function* frames(sheet: Sheet): Generator<string> {
  if (sheet.pitch < 4) {
    const height = sheet.pitch * sheet.rows;
    yield `<rect x="${points(sheet.left)}" y="${points(sheet.top)}" width="${points(sheet.right - sheet.left)}" height="${points(height)}" fill="none" stroke="#999999" stroke-width="${hairline}"/>\n`;
    return;
  }
  yield `<g fill="none" stroke="#999999" stroke-width="${hairline}">\n`;
  for (let row = 0; row < sheet.rows; row += 1)
    yield `<rect x="${points(sheet.left)}" y="${points(yOf(sheet, row))}" width="${points(sheet.right - sheet.left)}" height="${points(sheet.row)}"/>\n`;
  yield '</g>\n';
}

/** `later`: seconds by which blocks of the next iteration are drawn later. */
function* shapes(plan: PipelinePlan, run: Run, sheet: Sheet, blocks: number, later = 0): Generator<string> {
  const labels = labelsOf(plan, run, sheet);
  // A white hairline parts neighbours. Where blocks are narrow it would hide them.
  const mean = ((sheet.right - sheet.left) * sheet.rows) / Math.max(1, blocks);
  const gap = Math.min(hairline, mean / 16);
  const next = later > 0 ? ` opacity="0.45" transform="translate(${points(xOf(sheet, later) - sheet.left)} 0)"` : '';
  yield `<g class="${later > 0 ? 'next' : 'blocks'}"${next} text-anchor="middle" font-size="${labels.size}" stroke="#ffffff" stroke-width="${points(gap)}">\n`;
  let parts: string[] = [];
  let row = 0;
  const rows: string[] = [];
  eachBlock(plan, run, (block) => {
    if (block.device !== row) {
      rows.push(parts.join(''));
      parts = [];
      row = block.device;
    }
    parts.push(shape(block, sheet, labels));
  });
  yield* rows;
  yield parts.join('');
  yield '</g>\n';
}

function shape(block: Block, sheet: Sheet, labels: Labels): string {
  const { device, start, end, half, microbatch } = block;
  const top = yOf(sheet, device) + (half === 'lower' ? sheet.row / 2 : 0);
  const height = half === 'whole' ? sheet.row : sheet.row / 2;
  let from = xOf(sheet, start);
  let text = '';
  let drawn = '';
  for (const [part, ink] of block.inks.entries()) {
    const to = xOf(sheet, start + (end - start) * (block.until[part] ?? 1));
    drawn += `<rect x="${points(from)}" y="${points(top)}" width="${points(to - from)}" height="${points(height)}" fill="${fillOf(ink)}"/>`;
    // What takes no time has no room for a number.
    if (part === block.labelled && microbatch >= 0 && to > from && labels.rows[device]) {
      const y = top + height / 2 + labels.size * 0.36;
      text = `<text x="${points((from + to) / 2)}" y="${points(y)}" fill="${inkLook(ink).text}" stroke="none">${microbatch}</text>`;
    }
    from = to;
  }
  return `<g>${drawn}${text}</g>\n`;
}

function* axisParts(sheet: Sheet, top: number): Generator<string> {
  // A tick needs room for its text and a space.
  const most = Math.max(1, Math.floor((sheet.right - sheet.left) / 34));
  const { title, ticks } = timeAxis(sheet.seconds, most);
  const y = points(top + 10);
  yield `<g class="axis" text-anchor="middle">\n<path fill="none" stroke="#000000" stroke-width="${hairline}" d="M${points(sheet.left)} ${points(top)}H${points(sheet.right)}${ticks
    .map(({ at }) => `M${points(xOf(sheet, at))} ${points(top)}v2.5`)
    .join('')}"/>\n`;
  for (const { at, text } of ticks) {
    // The last number may stand a little left of its tick: the edge of the figure would cut it off.
    const x = Math.min(xOf(sheet, at), sheet.width - textWidth(text, fontSize) / 2 - 1);
    yield `<text x="${points(x)}" y="${y}">${text}</text>\n`;
  }
  yield `<text x="${points(sheet.right)}" y="${points(top + 21)}" text-anchor="end">${title}</text>\n</g>\n`;
}
