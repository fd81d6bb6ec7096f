import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { type Rgb, css } from '../scene/colour.ts';
import { element } from '../../controls/dom.ts';
import { criticalPathWords } from '../../picture/criticalPath.ts';
import { type LevelOfDetail, levelOfDetail } from '../../picture/levelOfDetail.ts';
import { shapesSayKind } from '../../picture/versions.ts';
import { secondsByKind } from '../../picture/rangeFigures.ts';
import type { Scene } from '../scene/scene.ts';
import { type Theme, chunkColour } from '../scene/theme.ts';
import {
  kindCollective,
  kindFill,
  kindForward,
  kindInput,
  kindOfDeclared,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
  marksOfDeclared,
} from '../../picture/columns.ts';
import { kindOf, kinds } from '../../../engine/values/program.ts';
import type { Lanes } from '../../picture/lanes.ts';
import type { Picture } from '../../picture/picture.ts';
import { paintSwatch } from './swatch.ts';
import type { Settings } from '../../session/settings.ts';

const entries = [
  ['Forward', kindForward, 'block'],
  ['Backward, input', kindInput, 'block'],
  ['Backward, weight', kindWeight, 'block'],
  ['Recompute', kindRecompute, 'striped'],
  ['Weight loading', kindTransfer, 'block'],
  ['Transfer', kindTransfer, 'lane'],
  ['Gradient sync', kindCollective, 'striped'],
  ['Optimizer', kindOptimizer, 'block'],
] as const;

/** Operations that the schedule declares and that take time, by number. */
function declaredWithTime({ columns }: Picture): readonly (readonly [number: number, name: string])[] {
  const { declared, word, start, end } = columns;
  if (declared === undefined) return [];
  const takesTime = new Uint8Array(declared.length);
  for (let block = 0; block < word.length; block += 1) {
    if (word[block] < 0) continue;
    const number = kindOf(columns, word[block]) - kinds;
    if (number >= 0 && end[block] > start[block]) takesTime[number] = 1;
  }
  return [...declared.entries()].filter(([number]) => takesTime[number] === 1);
}

/** Side by side, of equal width. */
const bands = (colours: readonly Rgb[]): string =>
  `linear-gradient(90deg, ${colours.map((colour, at) => `${css(colour)} ${(100 * at) / colours.length}% ${(100 * (at + 1)) / colours.length}%`).join()})`;

/** Layers by name, if their colours tell them apart; otherwise one entry for all of them. Lanes count their layers from the front. */
function exchangeEntries(
  lanes: Lanes,
  { hues }: Theme,
  entry: (label: string, shape: string, background?: string) => HTMLElement,
): readonly HTMLElement[] {
  const most = lanes.all.reduce((count, { tensors }) => Math.max(count, tensors.length), 0);
  if (most > namedLayers || lanes.all.length > namedLanes)
    return [entry(`Gradients of layers, from the front, modulo ${hues.length}`, 'block', bands(hues))];
  return Array.from({ length: most }, (_, index) => {
    const layers = lanes.all.flatMap(({ tensors }) => tensors[index]?.layer ?? []);
    return entry(`Gradients of ${layers.join(', ')}`, 'block', css(hues[index]));
  });
}
const namedLanes = 4;
const namedLayers = 6;

/** How the rows in sight, and the lane of all devices, are drawn. */
const levelsOf = ({ picture, layout, view, shape }: Scene): readonly LevelOfDetail[] => {
  const secondsPerPixel = (view.t1 - view.t0) / layout.plot;
  const ofRows = levelOfDetail(picture.columns, { secondsPerPixel, mixed: layout.map.mixed, height: shape.bandHeight });
  return layout.all.height > 0 ? ['hills', ofRows] : [ofRows];
};

/** Whether weight gradients are operations on the first device. */
const hasWeightBlocks = ({ columns: { offsets, parts, word, shift } }: Picture): boolean =>
  word.subarray(0, offsets[1]).some((code) => code >= 0 && parts.main[code >> shift] === kindWeight);

/** What colours and patterns mean, in the colouring that is chosen. Only what this timeline has. */
export function legend() {
  const bar = element('div', { class: 'legend' });
  const entry = (label: string, shape: string, background?: string) => {
    const swatch = element('i', { class: shape });
    if (background !== undefined) swatch.style.background = background;
    return element('span', {}, swatch, label);
  };
  /** Made only while it is open: most timelines come and go without. */
  function render(plan: PipelinePlan, picture: Picture, theme: Theme, settings: Settings): void {
    const { colourBy, criticalPath } = settings;
    const { report } = picture;
    const shaped = shapesSayKind(colourBy, picture.columns);
    const seconds = secondsByKind(picture);
    const occurs = (kind: number, shape: string) =>
      shape === 'lane' ? picture.timing.needRoute.some((route) => route >= 0) : seconds[kind] > 0;
    const ofKinds = entries
      .filter(([, kind, shape]) => occurs(kind, shape) && (!shaped || kind >= kindTransfer))
      .map(([label, kind, shape]) => {
        const made = entry(label, shape);
        const swatch = made.firstElementChild;
        if (swatch instanceof HTMLElement) swatch.style.backgroundColor = css(theme.kinds[kind]);
        return made;
      });
    // By microbatch all of them take the colours of microbatches.
    const ofDeclared = (colourBy === 'microbatch' ? [] : declaredWithTime(picture)).map(([number, name]) => {
      const swatch = element('i', { class: 'block' });
      paintSwatch(swatch, theme, kindOfDeclared(number), marksOfDeclared(number));
      return element('span', {}, swatch, name);
    });
    const ofMicrobatches = [
      entry(
        `Microbatch 0 to ${Math.max(0, plan.microbatches * plan.iterations - 1)}${plan.microbatches * plan.iterations > theme.hues.length ? ', number modulo 8' : ''}`,
        'block',
        bands(theme.hues),
      ),
    ];
    const ofVersions = [
      entry(
        'Version of the weights, number modulo 4: solid, dashed, dotted, dash-dot edge',
        'block',
        bands(theme.versions),
      ),
    ];
    const ofShapes = [
      ...(seconds[kindInput] > 0 ? [entry('Notch: backward', 'notched')] : []),
      ...(hasWeightBlocks(picture) ? [entry('Lower half: weight gradient', 'half')] : []),
    ];
    const { lanes } = picture;
    const overhead = lanes?.all.some(({ legs }) => legs.some((leg) => leg.overhead.some((seconds) => seconds > 0)));
    const ofLanes =
      lanes === undefined
        ? []
        : [
            ...exchangeEntries(lanes, theme, entry),
            ...(overhead === true ? [entry('Call', 'called')] : []),
            ...(lanes.repeats
              ? [entry('Paler: iterations before and after', 'block', css(theme.kinds[kindForward], 0.5))]
              : []),
          ];
    const shades = [0, 1, 2].map((chunk) => css(chunkColour(theme, kindForward, chunk)));
    const hasChunks = plan.stages.length > plan.devices.length;
    const ofChunks = [entry('Later chunks are paler', 'block', `linear-gradient(90deg, ${shades.join()})`)];
    bar.replaceChildren(
      ...(colourBy === 'microbatch' ? ofMicrobatches : []),
      ...(shaped && colourBy === 'version' ? ofVersions : []),
      ...(shaped ? ofShapes : []),
      ...ofKinds,
      ...ofDeclared,
      ...(colourBy === 'chunk' && hasChunks ? ofChunks : []),
      ...ofLanes,
      ...(levels.includes('hills')
        ? [entry('Hill: share of time that each colour takes; above it, idle time', 'hill')]
        : []),
      ...(levels.includes('mixed') ? [entry('Mixed colours: by share of time, idle time as background', 'mixed')] : []),
      ...(report.bubble.makespan > 1e-9 ? [entry('Bubble', 'idle')] : []),
      ...((report.fill?.tasks ?? 0) > 0
        ? [entry(`Fill: ${plan.fill?.model ?? ''}`, 'block', css(theme.kinds[kindFill]))]
        : []),
      ...(criticalPath && picture.critical.length > 0 ? [entry(criticalPathWords(picture), 'path')] : []),
      ...(report.devices.length > 0 && settings.memory ? [entry('Over the limit', 'over')] : []),
    );
  }
  let newest: Parameters<typeof render> | undefined;
  let levels: readonly LevelOfDetail[] = [];
  let shown = false;
  return {
    /** Shown from now on, until `hide`. */
    open(): HTMLElement {
      shown = true;
      if (newest !== undefined) render(...newest);
      return bar;
    },
    hide(): void {
      shown = false;
    },
    update(...next: Parameters<typeof render>): void {
      newest = next;
      if (shown) render(...next);
    },
    /** The reader sees other rows or times. */
    moved(scene: Scene): void {
      const next = levelsOf(scene);
      if (next.join() === levels.join()) return;
      levels = next;
      if (shown && newest !== undefined) render(...newest);
    },
  };
}
