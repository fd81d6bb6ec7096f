import { paths } from '../engine/plan.ts';
import { deviceOf } from './blocks.ts';
import { type Exhibit, carrySelection } from './exhibit.ts';
import type { tooltip } from './panels/tooltip.ts';
import { type Pick as Picked, pickAt, rangeOf } from './pick.ts';
import type { presenter } from './presenter.ts';
import type { FromPage } from './protocol/messages.ts';
import type { Scene, Selection, Target } from './scene.ts';
import { pathOf } from './source.ts';
import type { Picture } from './worker/result.ts';
import { clampView, reveal, showRange, timeAt } from './view.ts';

type Show = ReturnType<typeof presenter>;

export interface SelectingHost {
  readonly show: Pick<Show, 'exhibit' | 'view' | 'bounds' | 'layout' | 'scene' | 'setView' | 'paintOver'>;
  readonly tip: ReturnType<typeof tooltip>;
  post(message: FromPage): void;
  /** Another selection, or another timeline to which it belongs. `speak`: it is complete. */
  changed(selection: Selection | undefined, speak: boolean): void;
  /** The timeline was clicked: from now on keys are for it. */
  clicked(): void;
}

/** What is selected, what is under the pointer, and where in the file it comes from. */
export function selecting({ show, tip, post, changed, clicked }: SelectingHost) {
  let selection: Selection | undefined;
  let hovered: Target | undefined;
  let cursor: number | undefined;
  let focus = 0;

  function pick(x: number, y: number): Picked {
    const [exhibit, view] = [show.exhibit(), show.view()];
    if (exhibit === undefined || view === undefined) return { kind: 'nothing' };
    return pickAt(exhibit.picture, view, show.layout(), x, y);
  }

  function select(next: Selection | undefined, follow: boolean, speak = true): void {
    selection = next;
    const [exhibit, view] = [show.exhibit(), show.view()];
    if (next?.kind === 'block' && exhibit !== undefined && view !== undefined) {
      focus = next.block;
      const { start, end } = exhibit.picture.columns;
      const device = deviceOf(exhibit.picture, next.block);
      const moved = reveal(view, show.bounds(), device, start[next.block], end[next.block]);
      const still = JSON.stringify(clampView(moved, show.bounds())) === JSON.stringify(view);
      if (follow && !still) show.setView(moved);
    }
    if (next?.kind === 'device' && exhibit !== undefined) focus = onDevice(exhibit.picture, next.device, focus);
    changed(selection, speak);
  }

  /** Asks for the source of a selection; of the schedule where nothing is selected. */
  function openSource(of: Selection | undefined, preserveFocus: boolean): void {
    const exhibit = show.exhibit();
    if (exhibit !== undefined) post({ type: 'reveal', path: pathOf(exhibit.plan, exhibit.picture, of), preserveFocus });
  }

  function hover(x: number, y: number): void {
    const at = pick(x, y);
    const view = show.view();
    const { left, plot, ruler } = show.layout();
    const outside = view === undefined || x < left || x > left + plot || y < ruler.y;
    hovered = at.kind === 'target' ? at.target : undefined;
    cursor = outside ? undefined : timeAt(view, plot, x - left);
    const scene = show.scene();
    if (hovered === undefined || scene === undefined) tip.hide();
    else tip.show(scene, hovered, x, y);
    show.paintOver();
  }

  return {
    select,
    openSource,
    hover,
    leave: () => hover(-1, -1),
    click(x: number, y: number): void {
      const at = pick(x, y);
      const plan = show.exhibit()?.plan;
      if (at.kind === 'device' && plan !== undefined)
        post({ type: 'reveal', path: paths.device(plan.name, at.device), preserveFocus: true });
      if (at.kind === 'device') select({ kind: 'device', device: at.device }, false);
      else if (at.kind === 'target') {
        select(at.target, false);
        openSource(at.target, true);
      } else select(undefined, false);
      clicked();
    },
    /** What is under the pointer fills the width. */
    doubleClick(x: number, y: number): void {
      const [exhibit, view, at] = [show.exhibit(), show.view(), pick(x, y)];
      if (at.kind !== 'target' || exhibit === undefined || view === undefined) return;
      const { start, end } = exhibit.picture.columns;
      const { target } = at;
      const [from, to] =
        target.kind === 'block' ? [start[target.block], end[target.block]] : [target.gap.from, target.gap.to];
      show.setView(showRange(view, from, to));
    },
    range(x0: number, y0: number, x1: number, y1: number, done: boolean): void {
      const view = show.view();
      if (view === undefined) return;
      tip.hide();
      select({ kind: 'range', ...rangeOf(view, show.layout(), show.bounds(), [x0, y0], [x1, y1]) }, false, done);
    },
    /** Another timeline is on show: the same operation in it. */
    carry(next: Exhibit, before: Exhibit | undefined): void {
      selection = before === undefined ? undefined : carrySelection(selection, before.picture, next.picture);
      const last = Math.max(0, next.picture.columns.word.length - 1);
      focus = selection?.kind === 'block' ? selection.block : Math.min(focus, last);
      if (selection?.kind === 'device') focus = onDevice(next.picture, selection.device, focus);
      hovered = undefined;
      tip.hide();
    },
    clear(): void {
      selection = undefined;
      hovered = undefined;
      tip.hide();
    },
    selection: () => selection,
    /** Block that the keyboard is at. */
    focus: () => focus,
    seen: (): Pick<Scene, 'selection' | 'hovered' | 'cursor'> => ({ selection, hovered, cursor }),
  };
}

/** Where keys go on from once a device is selected: from the block where they are, if it is there, else from its first. */
function onDevice(picture: Picture, device: number, block: number): number {
  const { offsets } = picture.columns;
  const there = block >= offsets[device] && block < offsets[device + 1];
  return there || offsets[device] === offsets[device + 1] ? block : offsets[device];
}
