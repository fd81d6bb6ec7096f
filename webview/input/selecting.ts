import { paths } from '../../engine/values/plan.ts';
import { deviceOf } from '../picture/blocks.ts';
import { type ShownTimeline } from '../session/shownTimeline.ts';
import type { tooltip } from '../view/panels/tooltip.ts';
import { type Picked, pickAt, rangeOf } from './pick.ts';
import type { presenter } from '../view/presenter.ts';
import type { FromPage } from '../protocol/messages.ts';
import type { Scene } from '../view/scene/scene.ts';
import { pathOf } from '../session/source.ts';
import type { DeviceGroup } from '../picture/deviceGroups.ts';
import type { Picture } from '../picture/picture.ts';
import { rowOf } from '../view/scene/rowMap.ts';
import { type Viewport, clampViewport, reveal, showRange, timeAt } from '../view/scene/viewport.ts';
import { highest, worstDevice } from '../picture/memoryLevel.ts';
import { inside } from '../view/scene/layout.ts';
import {
  type Pointed,
  type Selection,
  type Target,
  carrySelection,
  selectedDevice,
  targetDevice,
  targetTimes,
} from '../session/selection.ts';

/** Pixels around the mark of a peak that are part of it. */
const peakReach = 14;
/** Milliseconds that the pointer rests before what it is at is enlarged. */
const patience = 300;

type Timelines = ReturnType<typeof presenter>;

export interface SelectingHost {
  readonly timelines: Pick<
    Timelines,
    'timeline' | 'view' | 'bounds' | 'layout' | 'scene' | 'setView' | 'paintOver' | 'enlarge' | 'hideLoupe'
  >;
  readonly tip: ReturnType<typeof tooltip>;
  post(message: FromPage): void;
  /** What the pointer is at. */
  pointed(at: Pointed | undefined): void;
  /** The peak of a device was clicked. */
  peak(device: number): void;
  /** Another selection, or another timeline to which it belongs. `speak`: it is complete. */
  changed(selection: Selection | undefined, speak: boolean): void;
  /** Opens a group of devices, or closes it. */
  turnGroup(group: DeviceGroup): void;
  /** The timeline was clicked: from now on keys are for it. */
  clicked(): void;
}

/** What is selected, what is under the pointer, and where in the file it comes from. */
export function selecting({ timelines, tip, post, pointed, peak, changed, turnGroup, clicked }: SelectingHost) {
  let selection: Selection | undefined;
  let hovered: Target | undefined;
  /** As `hovered`, or a device or group whose name is under the pointer. */
  let about: Pointed | undefined;
  let cursor: number | undefined;
  let focus = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let pointer: readonly [x: number, y: number] = [-1, -1];

  function pick(x: number, y: number): Picked {
    const [timeline, view] = [timelines.timeline(), timelines.view()];
    if (timeline === undefined || view === undefined) return { kind: 'nothing' };
    return pickAt(timeline.picture, view, timelines.layout(), x, y);
  }

  function select(next: Selection | undefined, follow: boolean, speak = true): void {
    selection = next;
    const [timeline, view] = [timelines.timeline(), timelines.view()];
    if (next?.kind === 'block' && timeline !== undefined && view !== undefined) {
      focus = next.block;
      if (follow) bringIntoSight(timelines, timeline.picture, view, next.block);
    }
    if (next?.kind === 'device' && timeline !== undefined) focus = onDevice(timeline.picture, next.device, focus);
    changed(selection, speak);
  }

  /** Asks for the source of a selection; of the schedule where nothing is selected. `explicit`: by a key, not by a click. */
  function openSource(of: Selection | undefined, preserveFocus: boolean, explicit = false): void {
    const timeline = timelines.timeline();
    if (timeline === undefined) return;
    const peek = preserveFocus && explicit ? { explicit: true as const } : {};
    post({ type: 'reveal', path: pathOf(timeline.plan, timeline.picture, of), preserveFocus, ...peek });
  }

  function hover(x: number, y: number): void {
    const at = pick(x, y);
    pointer = [x, y];
    const view = timelines.view();
    const { left, plot, ruler } = timelines.layout();
    const outside = view === undefined || x < left || x > left + plot || y < ruler.y;
    hovered = at.kind === 'target' ? at.target : undefined;
    about = at.kind === 'target' ? at.target : at.kind === 'nothing' ? undefined : at;
    clearTimeout(resting);
    timelines.hideLoupe();
    if (hovered !== undefined) resting = setTimeout(enlarge, patience);
    cursor = outside ? undefined : timeAt(view, plot, x - left);
    const scene = timelines.scene();
    pointed(about);
    if (about === undefined || scene === undefined) tip.hide();
    else tip.show(scene, about, x, y);
    timelines.paintOver();
  }

  function enlarge(): void {
    const timeline = timelines.timeline();
    if (timeline === undefined || hovered === undefined || cursor === undefined) return;
    if (hovered.kind === 'piece') return;
    const device = targetDevice(timeline.picture, hovered);
    const [x, y] = pointer;
    timelines.enlarge(device, cursor, { x, y, tip: tip.place() });
  }

  return {
    select,
    /** Brings a block into sight without selecting it. */
    reveal(block: number): void {
      const [timeline, view] = [timelines.timeline(), timelines.view()];
      if (timeline !== undefined && view !== undefined) bringIntoSight(timelines, timeline.picture, view, block);
    },
    openSource,
    hover,
    /** More is known of what the pointer is at. */
    refresh(): void {
      const scene = timelines.scene();
      if (about !== undefined && scene !== undefined) tip.show(scene, about, ...pointer);
    },
    leave: () => hover(-1, -1),
    /** Block at a point; −1 for none. */
    blockAt(x: number, y: number): number {
      const at = pick(x, y);
      return at.kind === 'target' && at.target.kind === 'block' ? at.target.block : -1;
    },
    click(x: number, y: number): void {
      const at = pick(x, y);
      const shown = timelines.timeline();
      const plan = shown?.plan;
      const peaked = shown === undefined ? -1 : peakAt(timelines, shown, selection, x, y);
      if (peaked >= 0) {
        peak(peaked);
        return;
      }
      if (at.kind === 'group') {
        turnGroup(at.group);
        clicked();
        return;
      }
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
      const [timeline, view, at] = [timelines.timeline(), timelines.view(), pick(x, y)];
      if (at.kind !== 'target' || timeline === undefined || view === undefined) return;
      timelines.setView(showRange(view, ...targetTimes(timeline.picture, at.target)));
    },
    range(x0: number, y0: number, x1: number, y1: number, done: boolean): void {
      const view = timelines.view();
      if (view === undefined) return;
      tip.hide();
      select(
        { kind: 'range', ...rangeOf(view, timelines.layout(), timelines.bounds(), [x0, y0], [x1, y1]) },
        false,
        done,
      );
    },
    /** Another timeline is shown: the same operation in it. */
    carry(next: ShownTimeline, before: ShownTimeline | undefined): void {
      selection = before === undefined ? undefined : carrySelection(selection, before.picture, next.picture);
      const last = Math.max(0, next.picture.columns.word.length - 1);
      focus = selection?.kind === 'block' ? selection.block : Math.min(focus, last);
      if (selection?.kind === 'device') focus = onDevice(next.picture, selection.device, focus);
      hovered = undefined;
      about = undefined;
      tip.hide();
    },
    clear(): void {
      selection = undefined;
      hovered = undefined;
      about = undefined;
      tip.hide();
    },
    selection: () => selection,
    /** Block that the keyboard is at. */
    focus: () => focus,
    seen: (): Pick<Scene, 'selection' | 'hovered' | 'cursor'> => ({ selection, hovered, cursor }),
  };
}

function bringIntoSight(timelines: SelectingHost['timelines'], picture: Picture, view: Viewport, block: number): void {
  const { start, end } = picture.columns;
  const row = rowOf(timelines.layout().map, deviceOf(picture, block));
  const moved = reveal(view, timelines.bounds(), row, start[block], end[block]);
  const inSight = JSON.stringify(clampViewport(moved, timelines.bounds())) === JSON.stringify(view);
  if (!inSight) timelines.setView(moved);
}

/** The device whose peak is marked at a point of the memory chart, or whose chart has its name there; −1 for none. */
function peakAt(
  timelines: SelectingHost['timelines'],
  { picture }: ShownTimeline,
  selection: Selection | undefined,
  x: number,
  y: number,
): number {
  const [view, { memory, left, plot }] = [timelines.view(), timelines.layout()];
  if (view === undefined || !inside(memory, y) || picture.report.devices.length === 0) return -1;
  const chosen = selectedDevice(selection, (block) => deviceOf(picture, block));
  const device = chosen >= 0 ? chosen : worstDevice(picture.report);
  const at = left + ((highest(picture.memory[device]).at - view.t0) / (view.t1 - view.t0)) * plot;
  return x < left || Math.abs(x - at) <= peakReach ? device : -1;
}

/** The block that keys start from after a device is selected: the current one if the device runs it, otherwise its first. */
function onDevice(picture: Picture, device: number, block: number): number {
  const { offsets } = picture.columns;
  const there = block >= offsets[device] && block < offsets[device + 1];
  return there || offsets[device] === offsets[device + 1] ? block : offsets[device];
}
