import { basename } from 'node:path';
import { filmSvg } from '../engine/drawing/filmSvg.ts';
import { playingSeconds } from '../engine/drawing/playing.ts';
import { type PaperWidth, paperWidths } from '../engine/drawing/sheet.ts';
import { timelineSvg } from '../engine/drawing/timelineSvg.ts';
import { traceParts } from '../engine/drawing/trace.ts';
import type { Run } from '../engine/schedule/evaluation.ts';
import { defaultOptions } from '../engine/basics/host.ts';
import { list } from '../engine/basics/quantities.ts';
import type { PipelinePlan, Plan } from '../engine/values/plan.ts';
import { pageSources } from '../platform/node/pageSources.ts';
import { rasterise } from '../platform/node/raster.ts';
import { missingWords, type Scale, scales } from '../platform/common/platform.ts';
import { type StandalonePage, standalonePage } from '../server/standalone.ts';
import type { Analysed } from './analyse.ts';
import { type Arguments, type OptionSpec } from './arguments.ts';
import type { Io } from './io.ts';
import { version } from './version.ts';

/** Formats of one simulated pipeline that other programs show. */
export const figureFormats = ['svg', 'png', 'film', 'html', 'trace'] as const;
export type FigureFormat = (typeof figureFormats)[number];
export const isFigureFormat = (name: string | undefined): name is FigureFormat =>
  figureFormats.some((format) => format === name);

export const figureDocs: Readonly<Record<FigureFormat, string>> = {
  svg: 'a figure for a paper',
  png: 'the same figure as pixels',
  film: 'the figure with memory as an animated SVG, for slides and READMEs',
  html: 'the preview as one page that needs no editor and no network',
  trace: 'JSON for ui.perfetto.dev and chrome://tracing',
};

const widths = Object.keys(paperWidths);
const defaultWidth: PaperWidth = '7in';
const defaultScale: Scale = 3;

/** `--memory`, `--scale` and `--seconds`; `--width` is shared with the drawing of the terminal. */
export const figureOptions: readonly OptionSpec[] = [
  { name: 'memory', doc: 'svg, png: with a chart of memory over time.' },
  {
    name: 'scale',
    value: scales.join('|'),
    choices: scales.map(String),
    doc: `png: pixels of 1/96 inch. Default: ${defaultScale}.`,
  },
  {
    name: 'seconds',
    value: 'SECONDS',
    doc: `film: from the first operation to the last. Default: ${playingSeconds.usual}.`,
  },
];

/** Options that a format takes. */
const taken: Readonly<Record<FigureFormat, readonly string[]>> = {
  svg: ['width', 'memory'],
  png: ['width', 'memory', 'scale'],
  film: ['width', 'seconds'],
  html: [],
  trace: [],
};
const takenBySome = ['width', 'memory', 'scale', 'seconds'] as const;

/** That an option was given which `format` does not take; undefined if none was. */
export function unusedOption(format: string, args: Arguments): string | undefined {
  const known: readonly string[] = isFigureFormat(format) ? taken[format] : [];
  const unused = takenBySome.find((name) => args.has(name) && !known.includes(name));
  if (unused === undefined) return undefined;
  const takers = figureFormats.filter((each) => taken[each].includes(unused));
  return `--${unused} is for ${list(takers)}, not for ${format}.`;
}

export interface FigureSetting {
  readonly format: FigureFormat;
  readonly width: PaperWidth;
  readonly scale: Scale;
  readonly memory: boolean;
  readonly seconds: number;
}

/** What a call asks of a figure, or what is wrong with the call. */
export function figureSetting(format: FigureFormat, args: Arguments): FigureSetting | { readonly problem: string } {
  const asked = args.value('width');
  const width = widths.find((known): known is PaperWidth => known === (asked ?? defaultWidth));
  const unused = unusedOption(format, args);
  if (unused !== undefined) return { problem: unused };
  if (width === undefined) return { problem: `--width of ${format} must be ${widths.join(' or ')}, not "${asked}".` };
  const scale = scales.find((known) => String(known) === (args.value('scale') ?? String(defaultScale))) ?? defaultScale;
  const seconds = Number(args.value('seconds') ?? playingSeconds.usual);
  const { least, most } = playingSeconds;
  if (!(seconds >= least && seconds <= most))
    return { problem: `--seconds must be a number from ${least} to ${most}, not "${args.value('seconds')}".` };
  return { format, width, scale, memory: args.has('memory'), seconds };
}

/** The content of the file, or why there is none. */
export async function figureOf(
  { plan, run }: { readonly plan: PipelinePlan; readonly run: Run },
  { format, width, scale, memory, seconds }: FigureSetting,
  { path, analysis }: Pick<Analysed, 'path' | 'analysis'>,
  io: Io,
): Promise<Iterable<string> | Uint8Array | { readonly problem: string }> {
  const made = { file: path === '-' ? '<stdin>' : basename(path), version: version(io) };
  if (format === 'html') {
    const page = standalonePage(pageOf(made.file, analysis.resolution.plan, plan.name), pageSources());
    return 'problem' in page ? page : [page.text];
  }
  if (format === 'trace') return traceParts(plan, run, made);
  if (format === 'film') return [filmSvg(plan, run, { ...made, width, playing: { seconds } })];
  const svg = timelineSvg(plan, run, { ...made, width, memory });
  if (format === 'svg') return svg;
  const picture = await rasterise({ svg: [...svg].join(''), scale });
  const missing = missingWords(picture);
  if (missing !== undefined) await io.err(`${made.file}: ${missing}\n`);
  return picture.bytes;
}

const pageOf = (title: string, plan: Plan, pipeline: string): StandalonePage => ({
  message: { type: 'plan', uri: title, title, version: 1, plan, overrides: {}, options: defaultOptions, pipeline },
});

/** Why a result cannot go where it is sent; undefined if it can. */
export const bytesOnTerminal = (format: FigureFormat, args: Arguments, io: Io): string | undefined =>
  format === 'png' && io.outIsTerminal && args.value('output') === undefined
    ? 'A PNG is no text for a terminal: name a file with --output.'
    : undefined;
