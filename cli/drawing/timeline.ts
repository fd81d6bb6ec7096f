import type { Run } from '../../engine/schedule/evaluation.ts';
import type { FillStretches } from '../../engine/fill/stretches.ts';
import { list, time } from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';
import { type Cell, type CellKind, cellsOf, type DeclaredCell, filledCells, isDeclared } from './cells.ts';
import { laneRows } from './exchangeRows.ts';
import { type Lane, drawnLaneOf } from './lane.ts';
import { type Scale, scaleOf } from './scale.ts';
import { width } from './width.ts';

/** Without colours a block is its letter, its microbatch where it fits, and this up to its end. */
const fill = '─';
const idleMark = '·';
const chequered = '▞';
type FixedKind = Exclude<CellKind, DeclaredCell>;
const marks: Readonly<Record<FixedKind, string>> = {
  F: 'F',
  B: 'B',
  I: 'I',
  W: 'W',
  R: 'R',
  U: 'U',
  E: 'E',
  L: 'L',
  mixed: 'x',
  sync: '~',
  optimizer: '=',
  fill: '+',
  idle: idleMark,
};
const meanings: Readonly<Record<FixedKind, string>> = {
  F: 'forward',
  B: 'backward',
  I: 'input gradient',
  W: 'weight gradient',
  R: 'recompute',
  U: 'weight update',
  E: 'evict',
  L: 'load back',
  mixed: 'a mixture',
  sync: 'gradient sync',
  optimizer: 'optimizer',
  fill: 'fill job',
  idle: 'idle',
};

/** Of operations that a schedule declares, by number: as many as it may declare. */
const declaredMarks = '#%&@$*?!^:;/<>{}';
const numberOf = (kind: DeclaredCell): number => Number(kind.slice('declared '.length));
const markOf = (kind: CellKind): string => (isDeclared(kind) ? declaredMarks.charAt(numberOf(kind)) : marks[kind]);

/**
 * The timeline as text: a ruler, one row a device, a legend; no line is wider than `columns`. `names` are the devices', `fills`
 * what a fill job does on each.
 */
export function timelineText(
  run: Run,
  names: readonly string[],
  columns: number,
  colours: Colours,
  fills: readonly FillStretches[] = [],
): string {
  const label = Math.min(24, Math.max(0, ...names.map(width)));
  const scale = scaleOf(run, Math.max(10, columns - label - 4));
  if (scale.cells === 0) return `${' '.repeat(2)}No operation takes any time.\n`;
  const seen = new Set<CellKind>();
  const mixed = new Set<CellKind>();
  const rows = names.map((name, device) => {
    const lane = drawnLaneOf(run, device);
    const drawn = cellsOf(lane, scale);
    const cells = fills.length === 0 ? drawn : filledCells(drawn, fills[device], scale);
    for (const { kind, kinds } of cells) {
      seen.add(kind);
      for (const each of kinds ?? []) mixed.add(each);
    }
    return `  ${fit(name, label)}  ${rowText(cells, lane, scale, colours)}`;
  });
  const { exchange, timing } = run.timeline;
  const lanes = exchange === undefined ? undefined : laneRows(exchange, timing.exchange?.rule.barrier !== false, scale);
  const below = (device: number): readonly string[] =>
    (lanes?.rows ?? [])
      .filter((row) => row.device === device)
      .map((row) => `  ${fit(row.label.padStart(label).slice(-label), label)}  ${colours.dim(row.text)}`);
  const layers = lanes?.legend ?? [];
  return [
    `  ${' '.repeat(label)}  ${colours.dim(ruler(scale))}`,
    ...rows.flatMap((row, device) => [row, ...below(device)]),
    '',
    ...(layers.length === 0
      ? []
      : [lanes?.meaning ?? '', layers.join('  ')].map(
          (line) => `  ${' '.repeat(label)}  ${fit(line, columns - label - 4).trimEnd()}`,
        )),
    ...legend(seen, mixed, run.timeline.program.declared?.names ?? [], scale, colours).map(
      (line) => `  ${' '.repeat(label)}  ${line}`,
    ),
    '',
  ].join('\n');
}

const fit = (name: string, columns: number): string =>
  width(name) <= columns ? name + ' '.repeat(columns - width(name)) : `${name.slice(0, columns - 1)}…`;

/** One row: runs of cells that show one operation become a block. */
export function rowText(cells: readonly Cell[], lane: Lane, scale: Scale, colours: Colours): string {
  let text = '';
  for (let from = 0; from < cells.length;) {
    const cell = cells[from] ?? { kind: 'idle' };
    let to = from + 1;
    while (to < cells.length && isAlike(cells[to], cell)) to += 1;
    text += blockText(cell, to - from, lane, scale, colours);
    from = to;
  }
  return text;
}

const isAlike = (one: Cell | undefined, other: Cell): boolean =>
  one?.kind === other.kind && one.position === other.position && one.kinds?.join() === other.kinds?.join();

function blockText(cell: Cell, cells: number, lane: Lane, scale: Scale, colours: Colours): string {
  if (cell.kind === 'idle') return colours.dim(idleMark.repeat(cells));
  if (cell.kind === 'mixed') return mixedText(cell.kinds ?? [], cells, colours);
  const paint = painter(cell.kind, cell.position === undefined ? 0 : lane.microbatch(cell.position), colours);
  const number = cell.position === undefined ? '' : String(lane.microbatch(cell.position));
  const mark = markOf(cell.kind);
  if (colours.isColorSupported) {
    // Terminals have too few colours for all declared operations, so their marks stand on the ground.
    const texts = isDeclared(cell.kind) ? [`${mark}${number}`, mark] : [number];
    return paint((texts.find((text) => text.length <= cells) ?? '').padEnd(cells));
  }
  if (scale.compressed || cell.position === undefined) return mark.repeat(cells);
  return `${mark}${number.length < cells ? number : ''}`.padEnd(cells, fill);
}

/** With colours, a mixture is chequered in the colours of the two kinds that take most of it. */
function mixedText([first, second]: readonly CellKind[], cells: number, colours: Colours): string {
  if (!colours.isColorSupported || first === undefined) return marks.mixed.repeat(cells);
  const ink: Partial<Record<CellKind, (text: string) => string>> = {
    F: colours.blue,
    B: colours.green,
    I: colours.cyan,
    W: colours.magenta,
    R: colours.blue,
  };
  const ground = isDeclared(first)
    ? (text: string) => painter(first, 0, colours)(text)
    : grounds(colours, false)[first];
  return ground((ink[second ?? first] ?? colours.black)(chequered.repeat(cells)));
}

/** Neighbouring microbatches get two shades, so that you can distinguish blocks without a number. */
function painter(kind: CellKind, microbatch: number, colours: Colours): (text: string) => string {
  const bright = microbatch % 2 === 1;
  if (isDeclared(kind)) {
    const declared = [colours.bgRed, colours.bgYellowBright, colours.bgRedBright, colours.bgWhiteBright];
    return (text) => declared[numberOf(kind) % declared.length](colours.black(text));
  }
  return (text) => grounds(colours, bright)[kind](kind === 'F' && !bright ? colours.white(text) : colours.black(text));
}

const grounds = (colours: Colours, bright: boolean): Readonly<Record<FixedKind, (text: string) => string>> => ({
  F: bright ? colours.bgBlueBright : colours.bgBlue,
  B: bright ? colours.bgGreenBright : colours.bgGreen,
  I: bright ? colours.bgCyanBright : colours.bgCyan,
  W: bright ? colours.bgMagentaBright : colours.bgMagenta,
  R: bright ? colours.bgBlueBright : colours.bgBlue,
  U: colours.bgWhite,
  E: colours.bgYellow,
  L: colours.bgYellow,
  sync: colours.bgYellow,
  mixed: colours.bgGreen,
  optimizer: colours.bgWhite,
  fill: colours.bgBlackBright,
  idle: colours.dim,
});

/** Times at round steps, each at the cell that holds it. */
export function ruler(scale: Scale): string {
  const step = roundStep(12 * scale.cell);
  // Of the shortest times that numbers have, a twelfth is none.
  if (!(step > 0) || !(step / scale.cell >= 1)) return `|${time(0)}`.slice(0, scale.cells);
  let text = '';
  for (let tick = 0; ; tick += 1) {
    const at = Math.floor((tick * step) / scale.cell + 1e-6);
    const mark = `|${time(tick * step)}`;
    if (at + mark.length > scale.cells) return text === '' ? mark.slice(0, scale.cells) : text;
    if (at >= text.length) text = text.padEnd(at) + mark;
  }
}

/** The least of 1, 2, 5 times a power of ten that is not under `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10) * power;
}

function legend(
  seen: ReadonlySet<CellKind>,
  mixed: ReadonlySet<CellKind>,
  declared: readonly string[],
  scale: Scale,
  colours: Colours,
): string[] {
  const ofSchedule = [...new Set([...seen, ...mixed])].filter(isDeclared).sort((a, b) => numberOf(a) - numberOf(b));
  const kinds: readonly CellKind[] = (Object.keys(marks) as FixedKind[])
    .flatMap((kind): readonly CellKind[] => (kind === 'sync' ? [...ofSchedule, kind] : [kind]))
    .filter((kind) => seen.has(kind) || mixed.has(kind));
  const entries = kinds.map((kind) => {
    if (kind === 'idle') return `${colours.dim(idleMark)} idle`;
    if (kind === 'mixed') {
      const parts = (Object.keys(marks) as CellKind[])
        .filter((each) => mixed.has(each))
        .concat([...mixed].filter(isDeclared));
      return `${mixedText(parts, 1, colours)} ${list(parts.map(markOf))}`;
    }
    const sample = colours.isColorSupported
      ? painter(kind, 0, colours)(isDeclared(kind) ? `${markOf(kind)} ` : '  ')
      : markOf(kind);
    return `${sample} ${isDeclared(kind) ? (declared[numberOf(kind)] ?? '') : meanings[kind]}`;
  });
  const rule = scale.compressed ? 'shows what runs in most of it' : 'shows what runs at its middle';
  return [entries.join('  '), colours.dim(`a character is ${time(scale.cell)} and ${rule}`)];
}
