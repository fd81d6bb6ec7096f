/** A simulated pipeline as a figure for a paper: SVG without references to anything outside. */
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { timeAxis } from './axis.ts';
import { blockShapes, movesIn, patterns, shadesOf } from './blockShapes.ts';
import { eachBlock } from './blocks.ts';
import { captionOf, type Provenance, wrapped } from './caption.ts';
import { type Detail, finest } from './detail.ts';
import { type Ink, inks } from './ink.ts';
import { laneShapes } from './laneShapes.ts';
import { lastMoment, legsOf, repeatsAfter } from './lanes.ts';
import { legendRows } from './legend.ts';
import { memoryChart, memoryHeight, memoryLabels } from './memoryChart.ts';
import { heldColumn, heldTexts } from './heldColumn.ts';
import { darkRules } from './onScreen.ts';
import { asPlayed, playHead, type Playing, playingStyle } from './playing.ts';
import { rasterRows } from './raster.ts';
import { fontSize, type PaperWidth, paperWidths, type Sheet, sheetOf, xOf, yOf } from './sheet.ts';
import { fitted, points, textWidth, xmlText } from './xml.ts';

export interface FigureOptions extends Partial<Provenance> {
  readonly width: PaperWidth;
  /** For a page that may be dark: with a column of the microbatches that each device holds at most. */
  readonly page?: true;
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
  const blocks = eachBlock(plan, run, ({ inks: drawn, start, end }) => {
    // What takes no time is not seen.
    if (end > start) for (const ink of drawn) used.add(ink);
  });
  // Without a barrier the exchange runs into the next iteration, which is drawn too.
  const period = 2 * blocks > mostShapes ? undefined : repeatsAfter(run.timeline);
  const seconds = Math.max(lastMoment(run.timeline), period === undefined ? 0 : period + run.timeline.makespan);
  const labels = options.memory ? memoryLabels(run.report) : [];
  const held = options.page === true ? heldTexts(plan, run.report) : [];
  const sheet = sheetOf(plan, seconds, width, labels, {
    held,
    legs: detail.exchange ? legsOf(run.timeline) : 0,
    halves: run.program.fused !== undefined,
  });
  const shown = inks.filter((ink) => used.has(ink));
  const legend = legendRows(shown, sheet, run.timeline.program.declared?.names ?? [], {
    timeline: run.timeline,
    repeats: period !== undefined,
    moves: movesIn(plan, run),
    palest: blocks > mostShapes ? 0 : Math.max(0, ...shadesOf(run.program)),
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
${patterns(shown, Math.max(0, ...shadesOf(run.program)))}${playing === undefined ? '' : playingStyle(sheet, height, playing)}${options.page === true ? `<style>${darkRules}</style>\n` : ''}<rect width="${points(width)}" height="${points(height)}" fill="#ffffff"/>
<g font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="${fontSize}" fill="#000000">
`;
  yield* names(plan, sheet);
  yield* frames(sheet);
  yield* heldColumn(sheet, held);
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
  else yield* blockShapes(plan, run, sheet, blocks);
  if (period !== undefined) yield* blockShapes(plan, run, sheet, blocks, period);
  yield* laneShapes(run.timeline, sheet);
}

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
