import type { JobLanes } from '../../picture/jobLanes.ts';
import type { Theme } from './theme.ts';

/** One moment of the drawing of a job, in CSS pixels. */
export interface JobScene {
  readonly lanes: JobLanes;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  /** Names are left of `left`; time runs from there over `plot` pixels. */
  readonly left: number;
  readonly plot: number;
  readonly rowHeight: number;
  /** Seconds at the left and right edge. */
  readonly t0: number;
  readonly t1: number;
  readonly dpr: number;
}

export const jobRuler = 24;
/** Left of the plot in a narrow page. */
const narrowNames = 76;
/** Height of the line over a worker's rows, with its name, its waits and its exchanges with the servers. */
export const jobHeading = 26;
const gap = 8;
const rows = { least: 10, most: 34 };

/** The stretch of the run that is in sight, seconds. */
export type Sight = Pick<JobScene, 't0' | 't1'>;

const firstWaves = 6;
const deepest = 1e6;

/** The first waves: of a long run as a whole there is nothing to be seen. */
export const firstSight = ({ clock, until }: JobLanes): Sight => ({
  t0: 0,
  t1: clock.length <= firstWaves + 2 ? until : clock[firstWaves - 1],
});

/** Inside the run; as long as asked for where that is possible. */
export function clampSight({ t0, t1 }: Sight, { until }: Pick<JobLanes, 'until'>): Sight {
  const length = Math.min(until, Math.max(until / deepest, t1 - t0));
  const from = Math.max(0, Math.min(until - length, t0));
  return { t0: from, t1: from + length };
}

/** `factor` times closer, about a moment that stays where it is. */
export const zoomSight = ({ t0, t1 }: Sight, about: number, factor: number): Sight => ({
  t0: about - (about - t0) / factor,
  t1: about + (t1 - about) / factor,
});

export const panSight = ({ t0, t1 }: Sight, share: number): Sight => ({
  t0: t0 + share * (t1 - t0),
  t1: t1 + share * (t1 - t0),
});

/** Fills the height that there is; where that is too little, the drawing is taller and its place scrolls. */
export function jobScene(
  lanes: JobLanes,
  theme: Theme,
  room: { readonly width: number; readonly height: number },
  sight: Sight,
  dpr: number,
): JobScene {
  const devices = lanes.workers.reduce((sum, worker) => sum + worker.columns.rows, 0);
  const fixed = jobRuler + lanes.workers.length * (jobHeading + gap);
  const rowHeight = Math.floor(Math.max(rows.least, Math.min(rows.most, (room.height - fixed) / Math.max(1, devices))));
  const left = room.width < 520 ? narrowNames : room.width < 860 ? 96 : 136;
  return {
    lanes,
    theme,
    width: room.width,
    height: fixed + devices * rowHeight,
    left,
    plot: Math.max(1, room.width - left - 16),
    rowHeight,
    ...sight,
    dpr,
  };
}

/** Left edge and width of the names of workers and of their devices: a narrow page has little to spare around them. */
export function nameRoom(
  left: number,
): Readonly<Record<'worker' | 'device', { readonly x: number; readonly width: number }>> {
  const room = (x: number) => ({ x, width: left - x - 6 });
  return left <= narrowNames ? { worker: room(8), device: room(12) } : { worker: room(14), device: room(22) };
}

/** Top of the heading of each worker. */
export function headingTops({ lanes, rowHeight }: JobScene): number[] {
  let y = jobRuler;
  return lanes.workers.map((worker) => {
    const top = y;
    y += jobHeading + worker.columns.rows * rowHeight + gap;
    return top;
  });
}
