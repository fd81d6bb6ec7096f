import { select } from 'd3-selection';
import { scaleLinear } from 'd3-scale';
import { type D3ZoomEvent, zoom, zoomIdentity } from 'd3-zoom';
import { type Layout, inside } from '../view/scene/layout.ts';
import { type Bounds, type Viewport, leastLength, panBy, scaleRows, timeAt, zoomAt } from '../view/scene/viewport.ts';

export interface GestureHost {
  view(): Viewport | undefined;
  layout(): Layout;
  bounds(): Bounds;
  setView(view: Viewport): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** A drag from here moves an operation: called with each place. Undefined where a drag selects. */
  grab(x: number, y: number): ((x: number) => void) | undefined;
  /** Select from one corner to another; `done` when the button is up. */
  range(x0: number, y0: number, x1: number, y1: number, done: boolean): void;
}

const dragThreshold = 4;
/** A notch of a wheel, and the most that one event of a touchpad zooms. */
const notch = 1.2;
/** Powers of two for each pixel that a touchpad reports of a pinch. */
const pinch = 0.02;

/** Wheel, drag and pinch on the timeline. d3-zoom does zooming and panning in time; the rest is here. */
export function gestures(target: HTMLElement, host: GestureHost): { sync(): void } {
  const behaviour = zoom<HTMLElement, unknown>()
    .filter((event: Event) => {
      const { rows, ruler, all, left } = host.layout();
      const [x, y] = place(event);
      if (x < left || ![rows, ruler, all].some((band) => inside(band, y))) return false;
      if (event instanceof WheelEvent) return (event.ctrlKey || event.metaKey) && !event.altKey;
      if (event instanceof MouseEvent) return event.button === 1 || (event.button === 0 && event.shiftKey);
      return event.type.startsWith('touch');
    })
    .wheelDelta(({ deltaY }) => Math.sign(-deltaY) * Math.min(Math.log2(notch), Math.abs(deltaY) * pinch))
    .on('zoom', ({ transform, sourceEvent }: D3ZoomEvent<HTMLElement, unknown>) => {
      const view = host.view();
      if (view === undefined || !sourceEvent) return;
      const { left, plot } = host.layout();
      const base = scaleLinear()
        .domain([0, host.bounds().makespan])
        .range([left, left + plot]);
      const [t0, t1] = transform.rescaleX(base).domain();
      host.setView({ ...view, t0, t1 });
    });
  const box = select(target);
  box.call(behaviour).on('dblclick.zoom', null);

  const place = (event: Event): readonly [number, number] => {
    const { left, top } = target.getBoundingClientRect();
    const point =
      event instanceof MouseEvent ? event : ((event as TouchEvent).touches?.[0] ?? { clientX: left, clientY: top });
    return [point.clientX - left, point.clientY - top];
  };

  target.addEventListener('wheel', (event) => onWheel(event, place(event), host), { passive: false });
  target.addEventListener('pointermove', (event) => {
    if (event.buttons === 0) host.hover(...place(event));
  });
  target.addEventListener('pointerleave', host.leave);
  target.addEventListener('dblclick', (event) => host.doubleClick(...place(event)));
  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.shiftKey || event.pointerType === 'touch') return;
    const [x, y] = place(event);
    if (inside(host.layout().overview, y)) dragOverview(event, x);
    else dragRange(event, x, y);
  });

  function track(event: PointerEvent, move: (x: number, y: number, done: boolean) => void): void {
    target.setPointerCapture(event.pointerId);
    const onMove = (next: PointerEvent) => move(...place(next), false);
    const onUp = (next: PointerEvent) => {
      target.removeEventListener('pointermove', onMove);
      target.removeEventListener('pointerup', onUp);
      target.removeEventListener('pointercancel', onUp);
      move(...place(next), true);
    };
    target.addEventListener('pointermove', onMove);
    target.addEventListener('pointerup', onUp);
    target.addEventListener('pointercancel', onUp);
  }

  function dragRange(event: PointerEvent, x: number, y: number): void {
    let dragging = false;
    const move = host.grab(x, y);
    track(event, (nowX, nowY, done) => {
      dragging ||= Math.hypot(nowX - x, nowY - y) >= dragThreshold;
      if (dragging && move !== undefined) move(nowX);
      else if (dragging) host.range(x, y, nowX, nowY, done);
      else if (done) host.click(x, y);
    });
  }

  /** On a handle: move that end. Inside the window: move it. Outside: draw a new one. */
  function dragOverview(event: PointerEvent, x: number): void {
    const view = host.view();
    if (view === undefined) return;
    const { left, plot } = host.layout();
    const { makespan } = host.bounds();
    const time = (at: number) => Math.max(0, Math.min(makespan, ((at - left) / plot) * makespan));
    const at = (moment: number) => left + (moment / makespan) * plot;
    const near = (edge: number) => Math.abs(x - at(edge)) <= 6;
    const whole = view.t1 - view.t0 >= makespan * 0.999;
    track(event, (now) => {
      if (near(view.t0)) host.setView({ ...view, t0: Math.min(time(now), view.t1 - makespan * 1e-6) });
      else if (near(view.t1)) host.setView({ ...view, t1: Math.max(time(now), view.t0 + makespan * 1e-6) });
      else if (!whole && x > at(view.t0) && x < at(view.t1)) host.setView(panBy(view, ((now - x) / plot) * makespan));
      else if (Math.abs(now - x) >= dragThreshold)
        host.setView({ ...view, t0: time(Math.min(x, now)), t1: time(Math.max(x, now)) });
    });
  }

  return {
    /** Tells d3-zoom of a view that came about otherwise. */
    sync(): void {
      const view = host.view();
      const { makespan } = host.bounds();
      if (view === undefined || !(makespan > 0)) return;
      const { left, plot, height } = host.layout();
      const k = makespan / (view.t1 - view.t0);
      const x = left - (left + (view.t0 / makespan) * plot) * k;
      behaviour.extent([
        [left, 0],
        [left + plot, height],
      ]);
      behaviour.scaleExtent([1, makespan / leastLength(host.bounds())]);
      behaviour.translateExtent([
        [left, Number.NEGATIVE_INFINITY],
        [left + plot, Number.POSITIVE_INFINITY],
      ]);
      box.property('__zoom', zoomIdentity.translate(x, 0).scale(k));
    },
  };
}

function onWheel(event: WheelEvent, [x, y]: readonly [number, number], host: GestureHost): void {
  const view = host.view();
  if (view === undefined) return;
  const layout = host.layout();
  const lines = event.deltaMode === 1 ? 16 : 1;
  const across = (event.shiftKey ? event.deltaX || event.deltaY : event.deltaX) * lines;
  const down = event.shiftKey ? 0 : event.deltaY * lines;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    if (event.altKey) host.setView(scaleRows(view, y - layout.rows.y, 2 ** (-event.deltaY / 400)));
    else if (inside(layout.overview, y))
      host.setView(
        zoomAt(
          view,
          timeAt({ ...view, t0: 0, t1: host.bounds().makespan }, layout.plot, x - layout.left),
          2 ** (-event.deltaY / 400),
        ),
      );
    return;
  }
  event.preventDefault();
  const moved = across === 0 ? view : panBy(view, (across / layout.plot) * (view.t1 - view.t0));
  host.setView({ ...moved, scroll: moved.scroll + down });
}
