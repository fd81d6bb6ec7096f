import type { Timeline } from '../values/timeline.ts';
import { fillOf, moveMark, type Moves } from './blockShapes.ts';
import { type Ink, inkLook } from './ink.ts';
import { layerLooks } from './lanes.ts';
import { fontSize, type Sheet } from './sheet.ts';
import { points, textWidth, xmlText } from './xml.ts';

const lineHeight = 11;
const swatch = 7;
/** Layers and lanes that are named one by one. */
const mostLayers = 6;
const mostLanes = 4;

/** What a colour means. Several colours are bands of one swatch. */
interface Entry {
  readonly name: string;
  readonly fills: readonly string[];
  readonly opacity?: number;
  /** A triangle instead of a swatch: out of a device, or back. */
  readonly move?: 'evicts' | 'loads';
}

/** Whose exchange it is, and whether the figure has the next iteration. */
interface Exchange {
  readonly timeline: Timeline;
  readonly repeats: boolean;
  /** Moves that take no time on their device. */
  readonly moves: Moves;
  /** Shade of the last chunk. */
  readonly palest: number;
}

/**
 * Kinds of work that occur, then the gradients on lanes, in as many lines as they need, from y = 0 down. `declared`: names of the
 * operations that the schedule declares.
 */
export function legendRows(
  shown: readonly Ink[],
  sheet: Sheet,
  declared: readonly string[],
  exchange: Exchange,
): { readonly text: string; readonly height: number } {
  const ofWork = shown.map((ink): Entry => {
    const { name } = inkLook(ink, declared);
    return { name, fills: [fillOf(ink)] };
  });
  const entries = [...ofWork, ...orderEntries(exchange, shown[0]), ...(sheet.leg > 0 ? exchangeEntries(exchange) : [])];
  let x = sheet.left;
  let y = 0;
  const parts: string[] = [];
  for (const { name, fills, opacity, move } of entries) {
    const width = swatch + 3 + textWidth(name, fontSize) + 8;
    // The title of the axis is at the end of the first line.
    const room = y === 0 ? sheet.right - 42 : sheet.right;
    if (x > sheet.left && x + width - 8 > room) {
      x = sheet.left;
      y += lineHeight;
    }
    const band = swatch / fills.length;
    if (move !== undefined) parts.push(moveMark(move === 'evicts', x + swatch / 2, y + 1.5));
    for (const [at, fill] of fills.entries())
      parts.push(
        `<rect x="${points(x + at * band)}" y="${points(y)}" width="${points(band)}" height="${swatch}" fill="${fill}"${opacity === undefined ? '' : ` fill-opacity="${opacity}"`}/>`,
      );
    parts.push(`<text x="${points(x + swatch + 3)}" y="${points(y + 6)}">${xmlText(name)}</text>\n`);
    x += width;
  }
  return { text: parts.join(''), height: y + lineHeight };
}

/** Shades of chunks, and marks of moves. */
function orderEntries({ moves, palest }: Exchange, first: Ink | undefined): readonly Entry[] {
  const shades = Array.from({ length: palest + 1 }, (_, shade) => (first === undefined ? '' : fillOf(first, shade)));
  return [
    ...(palest > 0 ? [{ name: 'paler: later stage of the device', fills: shades }] : []),
    ...(moves.evicts ? [{ name: 'activation leaves', fills: [], move: 'evicts' } as const] : []),
    ...(moves.loads ? [{ name: 'activation is back', fills: [], move: 'loads' } as const] : []),
  ];
}

/** Layers by name where their colours tell them apart. Lanes count their layers from the front. */
function exchangeEntries({ timeline, repeats }: Exchange): readonly Entry[] {
  const lanes = timeline.exchange?.lanes ?? [];
  if (lanes.length === 0) return [];
  const most = lanes.reduce((count, { plan }) => Math.max(count, plan.tensors.length), 0);
  const layers =
    most > mostLayers || lanes.length > mostLanes
      ? [
          {
            name: `gradients of layers, from the front, number modulo ${layerLooks.length}`,
            fills: layerLooks.map(({ colour }) => colour),
          },
        ]
      : layerLooks.slice(0, most).map(({ colour }, index) => ({
          name: `gradients of ${lanes.flatMap(({ plan }) => plan.tensors[index]?.layer ?? []).join(', ')}`,
          fills: [colour],
        }));
  const calls = lanes.some(({ sent }) => sent.overhead.subarray(0, sent.length).some((seconds) => seconds > 0));
  return [
    ...layers,
    ...(calls ? [{ name: 'call', fills: ['#000000'], opacity: 0.35 }] : []),
    ...(repeats ? [{ name: 'paler: next iteration', fills: [inkLook('forward').colour], opacity: 0.45 }] : []),
  ];
}
