/** The best rows of each part of a search, in a file that other parts read: what is worse than these needs no simulation. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figures, frontOf } from '../../engine/sweep/front.ts';
import { frontName, frontNames } from './partNames.ts';
import type { RowsHead } from './rowsHead.ts';

/** Milliseconds between two looks at the folder. If a look takes long, looks take this share of the time. */
const lookEvery = 1_000;
const lookShare = 1 / 50;

export interface SharedFront {
  /** Says what this part has found. Its rows must be on disk: other parts drop rows because of them. */
  publish(front: readonly Figures[]): void;
  /** The best of what other parts have found. */
  others(): readonly Figures[];
}

export function sharedFront(folder: string, head: RowsHead): SharedFront {
  const own = frontName(head.shard);
  const search = searchKey(head);
  const known = new Map<string, { readonly changed: number; readonly front: readonly Figures[] }>();
  let published = '';
  let best: readonly Figures[] = [];
  let next = -Infinity;

  function read(name: string): void {
    try {
      const path = join(folder, name);
      const changed = statSync(path).mtimeMs;
      if (known.get(name)?.changed === changed) return;
      known.set(name, { changed, front: frontIn(readFileSync(path, 'utf8'), search) });
    } catch {
      // It is being replaced: the next look finds it.
    }
  }

  return {
    publish(front) {
      const text = JSON.stringify({ search, front: front.map(({ iteration, peak }) => [iteration, peak]) });
      if (text === published) return;
      published = text;
      const path = join(folder, own);
      // Readers see the file before or after, never a part of it.
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    },
    others() {
      const begun = performance.now();
      if (begun < next) return best;
      for (const name of frontNames(readdirSync(folder))) if (name !== own) read(name);
      best = frontOf([...known.values()].flatMap(({ front }) => front));
      const ended = performance.now();
      next = ended + Math.max(lookEvery, (ended - begun) / lookShare);
      return best;
    },
  };
}

/** Equal for parts of one search: figures of another one say nothing. */
function searchKey({
  source,
  batch_asked: asked,
  pipeline,
  search,
  limits,
  minimise,
  shard: { of },
}: RowsHead): string {
  return createHash('sha256')
    .update(JSON.stringify([source, asked, pipeline, search, limits, minimise, of]))
    .digest('hex');
}

function frontIn(text: string, search: string): readonly Figures[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const { search: of, front } = (value ?? {}) as { readonly search?: unknown; readonly front?: unknown };
  if (of !== search || !Array.isArray(front)) return [];
  return front.flatMap((pair: unknown) => {
    const [iteration, peak] = Array.isArray(pair) ? (pair as unknown[]) : [];
    return typeof iteration === 'number' && typeof peak === 'number' ? [{ iteration, peak }] : [];
  });
}
