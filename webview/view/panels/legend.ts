import type { PipelinePlan } from '../../../engine/plan.ts';
import { cividis, css } from '../scene/colour.ts';
import { element } from '../../controls/dom.ts';
import { limitInSight } from '../../picture/memoryLevel.ts';
import { secondsByKind } from '../../picture/rangeFigures.ts';
import { type Theme, chunkColour } from '../scene/theme.ts';
import {
  kindCollective,
  kindFill,
  kindForward,
  kindInput,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
} from '../../picture/columns.ts';
import type { Picture } from '../../picture/picture.ts';
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

/** What colours and patterns mean, in the colouring that is chosen. Only what this timeline has. */
export function legend() {
  const bar = element('footer', { class: 'legend', 'aria-label': 'Legend' });
  const entry = (label: string, shape: string, background?: string) => {
    const swatch = element('i', { class: shape });
    if (background !== undefined) swatch.style.background = background;
    return element('span', {}, swatch, label);
  };
  function update(plan: PipelinePlan, picture: Picture, theme: Theme, settings: Settings): void {
    const { colourBy, criticalPath } = settings;
    const { report } = picture;
    const ramp = [0, 0.25, 0.5, 0.75, 1].map((share) => css(cividis(share)));
    const seconds = secondsByKind(picture);
    const occurs = (kind: number, shape: string) =>
      shape === 'lane' ? picture.timing.needRoute.some((route) => route >= 0) : seconds[kind] > 0;
    const ofKinds = entries
      .filter(([, kind, shape]) => occurs(kind, shape) && (colourBy !== 'microbatch' || kind >= kindTransfer))
      .map(([label, kind, shape]) => {
        const made = entry(label, shape);
        const swatch = made.firstElementChild;
        if (swatch instanceof HTMLElement) swatch.style.backgroundColor = css(theme.kinds[kind]);
        return made;
      });
    const ofMicrobatches = [
      entry(
        `Microbatch 0 to ${Math.max(0, plan.microbatches * plan.iterations - 1)}`,
        'block',
        `linear-gradient(90deg, ${ramp.join()})`,
      ),
      ...(seconds[kindWeight] > 0 ? [entry('Weight gradient in the lower half', 'half')] : []),
    ];
    const shades = [0, 1, 2].map((chunk) => css(chunkColour(theme, kindForward, chunk)));
    const hasChunks = plan.stages.length > plan.devices.length;
    const ofChunks = [entry('Later chunks are paler', 'block', `linear-gradient(90deg, ${shades.join()})`)];
    bar.replaceChildren(
      ...(colourBy === 'microbatch' ? ofMicrobatches : []),
      ...ofKinds,
      ...(colourBy === 'chunk' && hasChunks ? ofChunks : []),
      ...(report.bubble.makespan > 1e-9 ? [entry('Bubble', 'idle')] : []),
      ...((report.fill?.tasks ?? 0) > 0
        ? [entry(`Fill: ${plan.fill?.model ?? ''}`, 'block', css(theme.kinds[kindFill]))]
        : []),
      ...(criticalPath && picture.critical.length > 0 ? [entry('Critical path', 'path')] : []),
      ...(limitInSight(picture) ? [entry('Over the limit', 'over')] : []),
    );
  }
  return { element: bar, update };
}
