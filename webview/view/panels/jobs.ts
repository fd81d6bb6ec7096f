import type { JobReport } from '../../../engine/report.ts';
import { jobSummary, workerSummary } from '../../../engine/job/describe.ts';
import { element } from '../../controls/dom.ts';

/** Of the jobs that the pipeline on show works in: what they reach together, and how this worker fares in them. */
export function jobs(open: (job: string) => void) {
  const bar = element('section', { class: 'jobs', 'aria-label': 'Jobs', hidden: '' });
  return {
    element: bar,
    update(pipeline: string, reports: readonly JobReport[]): void {
      bar.hidden = reports.length === 0;
      bar.replaceChildren(
        ...reports.map((report) => {
          const worker = report.workers.filter(({ name }) => name === pipeline).slice(0, 1);
          const parts = [jobSummary(report), ...worker.map(workerSummary)];
          const workers = element('button', { type: 'button', class: 'link' }, 'All workers');
          workers.title = `Show all workers of ${report.name} on one axis`;
          workers.addEventListener('click', () => open(report.name));
          return element('div', {}, element('strong', {}, report.name), ` ${parts.join(' · ')} `, workers);
        }),
      );
    },
  };
}
