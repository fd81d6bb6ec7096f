import { share, time } from '../../engine/basics/quantities.ts';
import { button } from '../controls/toolkit.ts';
import { element } from '../controls/dom.ts';
import type { JobReport } from '../../engine/values/jobReport.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import { onMeasureChange } from './onMeasureChange.ts';
import { paintJobLanes } from './paint/jobLanes.ts';
import { type Sight, type JobScene, clampSight, firstSight, jobScene, panSight, zoomSight } from './scene/jobScene.ts';
import type { Theme } from './scene/theme.ts';

const zoomStep = 1.4;
const panStep = 0.1;

export interface JobLanesActions {
  close(): void;
  /** Shows the pipeline of a worker. */
  worker(name: string): void;
}

/** All workers of a job on one axis, and their waits in a table. It takes the place of the timeline. */
export function jobLanes(actions: JobLanesActions) {
  const title = element('h2', { id: 'job-lanes-title' });
  const canvas = element('canvas', { role: 'img' });
  const drawing = element('div', { class: 'drawing' }, canvas);
  const rows = element('tbody');
  const head = element(
    'tr',
    {},
    ...['Worker', 'Per wave alone', 'In the job', 'Waits'].map((name) => element('th', { scope: 'col' }, name)),
  );
  const table = element('table', {}, element('thead', {}, head), rows);
  const box = element(
    'section',
    { class: 'job-lanes', 'aria-labelledby': 'job-lanes-title', tabindex: '-1' },
    element('div', { class: 'title' }, title, button('Close', actions.close, 'Close (Esc)').element),
    drawing,
    element(
      'p',
      { class: 'dim' },
      'Dotted lines: the global clock. Hatched: a minibatch is held back. Thin bars: updates to the servers and weights from them. W S A D zoom and pan; 0 shows the whole run.',
    ),
    element('div', { class: 'workers' }, table),
  );
  const ink = canvas.getContext('2d');
  let shown: { readonly lanes: JobLanes; readonly theme: Theme } | undefined;
  let scene: JobScene | undefined;
  let sight: Sight = { t0: 0, t1: 0 };

  box.addEventListener('keydown', (event) => {
    const about = (sight.t0 + sight.t1) / 2;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) return;
    if (key === 'escape') actions.close();
    else if (key === 'w' || key === '+') look(zoomSight(sight, about, zoomStep));
    else if (key === 's' || key === '-') look(zoomSight(sight, about, 1 / zoomStep));
    else if (key === 'a' || key === 'arrowleft') look(panSight(sight, -panStep));
    else if (key === 'd' || key === 'arrowright') look(panSight(sight, panStep));
    else if (key === '0') showAll();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  drawing.addEventListener('wheel', onWheel, { passive: false });

  function look(next: Sight): void {
    if (shown === undefined) return;
    sight = clampSight(next, shown.lanes);
    paint();
  }

  const showAll = (): void => look({ t0: 0, t1: shown?.lanes.until ?? 0 });

  /** As on the timeline: Ctrl zooms at the pointer, Shift pans, the plain wheel scrolls. */
  function onWheel(event: WheelEvent): void {
    if (scene === undefined) return;
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    if (event.ctrlKey || event.metaKey) {
      const at = (event.clientX - drawing.getBoundingClientRect().left - scene.left) / scene.plot;
      look(zoomSight(sight, sight.t0 + at * (sight.t1 - sight.t0), 2 ** (-turned / 240)));
    } else if (event.shiftKey || event.deltaX !== 0) look(panSight(sight, turned / scene.plot));
    else return;
    event.preventDefault();
  }
  onMeasureChange(drawing, paint);

  function paint(): void {
    if (shown === undefined || ink === null || drawing.clientWidth === 0) return;
    const room = { width: drawing.clientWidth, height: drawing.clientHeight };
    scene = jobScene(shown.lanes, shown.theme, room, sight, devicePixelRatio);
    canvas.width = Math.round(scene.width * scene.dpr);
    canvas.height = Math.round(scene.height * scene.dpr);
    canvas.style.width = `${scene.width}px`;
    canvas.style.height = `${scene.height}px`;
    paintJobLanes(ink, scene);
  }

  return {
    element: box,
    update(lanes: JobLanes, report: JobReport, theme: Theme): void {
      sight = shown === undefined ? firstSight(lanes) : clampSight(sight, lanes);
      shown = { lanes, theme };
      title.textContent = `Workers of ${lanes.name}`;
      canvas.setAttribute('aria-label', `Workers of ${lanes.name}, ${time(lanes.until)}. Figures are in the table.`);
      rows.replaceChildren(
        ...report.workers.map((worker) => {
          const name = element('button', { type: 'button', class: 'link' }, worker.name);
          name.addEventListener('click', () => actions.worker(worker.name));
          const cells = [time(worker.period_alone), time(worker.period), share(worker.waiting_share)];
          return element(
            'tr',
            {},
            element('th', { scope: 'row' }, name),
            ...cells.map((cell) => element('td', {}, cell)),
          );
        }),
      );
      paint();
    },
    showAll,
    focus: () => box.focus(),
    /** The next job starts with its first waves. */
    forget: (): void => void (shown = undefined),
  };
}
