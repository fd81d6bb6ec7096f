import { accuracyNote } from '../../../engine/analyze/accuracyWords.ts';
import { jobSummary, workerSummary } from '../../../engine/job/describe.ts';
import type { JobReport } from '../../../engine/values/jobReport.ts';
import { element, setShare } from '../../controls/dom.ts';
import { type Figure, changeOf, figuresOf, withoutUnit } from '../../session/figures.ts';
import type { ShownTimeline } from '../../session/shownTimeline.ts';
import { violinOf } from '../../session/violin.ts';
import type { Theme } from '../scene/theme.ts';
import { busyTime } from './busyTime.ts';
import { violin } from './violin.ts';

/** All figures with what they are compared with, and the jobs that the pipeline works in. */
export function figureList(
  timeline: ShownTimeline,
  base: ShownTimeline | undefined,
  theme: Theme,
  jobs: readonly JobReport[],
  openJob: (name: string) => void,
): HTMLElement {
  const before = base === undefined ? [] : figuresOf(base.plan, base.picture);
  const list = element('dl', { class: 'figure-list' });
  for (const figure of figuresOf(timeline.plan, timeline.picture)) {
    const was = before.find(({ key }) => key === figure.key);
    list.append(
      element('dt', {}, figure.name),
      value(figure, was),
      figure.key === 'p95' ? spread(timeline) : bar(figure, timeline, theme),
    );
  }
  const box = element('div', {}, list);
  const { accuracy } = timeline.picture.report;
  if (accuracy !== undefined) box.append(element('p', { class: 'note dim' }, accuracyNote(accuracy)));
  if (jobs.length > 0) box.append(jobLines(timeline.plan.name, jobs, openJob));
  return box;
}

function value(figure: Figure, before: Figure | undefined): HTMLElement {
  const was =
    before === undefined || before.value === figure.value ? '' : `${withoutUnit(before.value, figure.value)} > `;
  const made = element('dd', {}, element('strong', { class: changeOf(figure, before) }, `${was}${figure.value}`));
  if (figure.spread !== '') made.append(` ${figure.spread}`);
  if (figure.unit !== '') made.append(` ${figure.unit}`);
  if (figure.note !== '') made.append(element('span', { class: 'note dim' }, figure.note));
  made.classList.toggle('over', figure.over);
  return made;
}

function bar(figure: Figure, { picture }: ShownTimeline, theme: Theme): HTMLElement {
  const made = element('div', { class: 'bar', 'aria-hidden': 'true' });
  if (figure.key === 'iteration') busyTime(made, picture, theme);
  else {
    const fill = element('i');
    setShare(fill, figure.share);
    made.append(fill);
  }
  const cell = element('dd', { class: figure.over ? 'meter over' : 'meter' }, made);
  return cell;
}

/** How the iterations of random draws are spread; empty for certain times. */
function spread({ plan, picture }: ShownTimeline): HTMLElement {
  const found = violinOf(plan, picture.report);
  const cell = element('dd', { class: 'meter' });
  if (found === undefined) return cell;
  const legend = found.marks.map(({ kind, words }) => element('span', { class: kind }, words));
  cell.append(violin(found), element('div', { class: 'violin-legend dim' }, ...legend));
  return cell;
}

/** Of the jobs: what they reach together, and how this worker fares in them. */
function jobLines(pipeline: string, jobs: readonly JobReport[], open: (name: string) => void): HTMLElement {
  const lines = jobs.map((report) => {
    const worker = report.workers.filter(({ name }) => name === pipeline).slice(0, 1);
    const parts = [jobSummary(report), ...worker.map(workerSummary)];
    const workers = element('button', { type: 'button', class: 'link' }, 'All workers');
    workers.title = `Show all workers of ${report.name} on one axis`;
    workers.addEventListener('click', () => open(report.name));
    return element('p', {}, element('strong', {}, report.name), ` ${parts.join(' · ')} `, workers);
  });
  return element('section', { class: 'jobs', 'aria-label': 'Jobs' }, ...lines);
}
