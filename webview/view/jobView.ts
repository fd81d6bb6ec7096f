import type { JobReport } from '../../engine/values/jobReport.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import { jobLanes } from './jobLanes.ts';
import type { Theme } from './scene/theme.ts';

export interface JobViewHost {
  /** Asks the worker for the lanes of a job. */
  ask(job: string): void;
  show(content: HTMLElement): void;
  close(): void;
  /** Shows the pipeline of a worker. */
  choose(pipeline: string): void;
  theme(): Theme;
}

/** The view of all workers of a job: opened by name, and in step with the file while it is open. */
export function jobView(host: JobViewHost) {
  let open: string | undefined;
  let shown: JobLanes | undefined;
  let reports: readonly JobReport[] = [];

  function close(): void {
    if (open === undefined) return;
    open = undefined;
    shown = undefined;
    view.forget();
    host.close();
  }
  const view = jobLanes({
    close,
    worker: (name) => {
      close();
      host.choose(name);
    },
  });

  function update(): void {
    const report = reports.find(({ name }) => name === open);
    if (shown !== undefined && report !== undefined) view.update(shown, report, host.theme());
  }

  return {
    open(job: string): void {
      open = job;
      host.ask(job);
    },
    close,
    /** Shows the whole run; false if no job is open. */
    showAll(): boolean {
      if (shown !== undefined) view.showAll();
      return shown !== undefined;
    },
    /** Jobs of the newest pipeline are simulated. */
    simulated(next: readonly JobReport[]): void {
      reports = next;
      if (open === undefined) return;
      if (reports.some(({ name }) => name === open)) host.ask(open);
      else close();
    },
    arrived(lanes: JobLanes): void {
      if (lanes.name !== open) return;
      const first = shown === undefined;
      shown = lanes;
      if (first) host.show(view.element);
      update();
      if (first) view.focus();
    },
    themeChanged: update,
  };
}
