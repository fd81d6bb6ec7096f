/** What the server needs of the machine that it runs on. There are two sides: `node/` for a process, `browser/` for a worker of a page. */
import type { RunAnswer } from '../../engine/basics/host.ts';
import type { FileStore, StoreHost } from './files.ts';
import type { RunAsked, RunRead, RunShare } from './runs.ts';
import type { StartThread } from './threads.ts';

export interface Platform {
  /** Of this program, as its manifest has it. */
  readonly version: string;
  /** Threads that run at the same time. */
  cores(): number;
  readonly startThread: StartThread;
  /** Files of `file:` addresses. Absent: the client reads them, as it reads files of other schemes. */
  disk?(host: StoreHost): FileStore;
  /** Traces of runs. Absent: none is read. */
  readonly runs?: RunReading;
  /** Read-only files for editors that cannot show documents of the server. Absent: every editor on this side can. */
  copies?(): ReadOnlyCopies;
  /** The PNG of an SVG. Absent: what draws it is packed for a process only. */
  rasterise?(raster: Raster): Promise<Picture>;
  /** The bundles of the preview's page; undefined where they are missing. */
  pageSources(): Promise<PageSources | undefined>;
}

export interface RunReading {
  /** What a plan needs of the traces at a path, of these ranks or of all. */
  read(path: string, ranks: readonly number[]): Promise<RunAnswer>;
  /** Differs once a file there has changed; empty where there is none. */
  stampOf(path: string): string;
  /** The summary of a run; `tell` hears how far that is. */
  summarise(asked: RunAsked, tell: (progress: RunShare) => void): Reading<RunRead>;
}

export interface Reading<Answer> {
  readonly answer: Promise<Answer>;
  /** Ends it at once: then there is an error in place of an answer. */
  cancel(): void;
}

export interface ReadOnlyCopies {
  /** The address of a file with this text, at a path such as `std/hardware.pipe`. Throws where the disk refuses. */
  fileOf(name: string, text: string): string;
  /** Deletes all of them. */
  close(): void;
}

/** Pixels of a CSS pixel, which is 1/96 inch. */
export type Scale = 1 | 2 | 3 | 4;
export const scales: readonly Scale[] = [1, 2, 3, 4];

export interface Raster {
  readonly svg: string;
  readonly scale: Scale;
}

export interface Picture {
  /** Of the PNG. */
  readonly bytes: Uint8Array;
  /** Characters that the font does not have: boxes are drawn for them. */
  readonly missing: readonly string[];
}

/** What is said of a PNG; undefined where every character is drawn. */
export const missingWords = ({ missing }: Pick<Picture, 'missing'>): string | undefined =>
  missing.length === 0
    ? undefined
    : `The font of a PNG has no ${missing.slice(0, 10).join(' ')}${missing.length > 10 ? ' …' : ''}: boxes are drawn instead. Export SVG to use your fonts.`;

/** Script and style of the page. */
export interface PageSources {
  readonly script: string;
  readonly style: string;
}
