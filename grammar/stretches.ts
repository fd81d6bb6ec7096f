/**
 * A long list of spans after an edit: stretches of the list before, moved, and new ones between them. Hardly any keystroke looks at
 * all tokens of a file, so nothing is copied until it is asked for.
 */
import type { Span } from './syntax.ts';

/** `items[from]` up to but without `items[to]`, each moved by `by` characters. */
interface Stretch<Item> {
  readonly items: readonly Item[];
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

/** Of more, a list is written out: each edit elsewhere adds two. */
const mostStretches = 64;

/** A list in stretches; `items` writes it out once. */
export class Stretches<Item extends Span> {
  readonly length: number;
  private stretches: readonly Stretch<Item>[];

  private constructor(stretches: readonly Stretch<Item>[]) {
    this.stretches = stretches;
    this.length = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  static of<Item extends Span>(items: readonly Item[]): Stretches<Item> {
    return new Stretches([{ items, from: 0, to: items.length, by: 0 }]);
  }

  /** The items before `start`, `between`, and the items from `end` on, these moved by `by` characters. */
  spliced(start: number, end: number, between: readonly Item[], by: number): Stretches<Item> {
    if (this.stretches.length > mostStretches) this.items();
    const middle = { items: between, from: 0, to: between.length, by: 0 };
    return new Stretches(
      [...this.part(0, start, 0), middle, ...this.part(end, this.length, by)].filter(({ from, to }) => from < to),
    );
  }

  /** How many items begin before a place of the text. */
  firstFrom(place: number): number {
    let before = 0;
    for (const { items, from, to, by } of this.stretches) {
      let [low, high] = [from, to];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (items[middle].start + by < place) low = middle + 1;
        else high = middle;
      }
      before += low - from;
      if (low < to) break;
    }
    return before;
  }

  items(): readonly Item[] {
    const [first] = this.stretches;
    if (this.stretches.length === 1 && first.by === 0 && first.from === 0 && first.to === first.items.length)
      return first.items;
    const items = writtenOut(this.stretches, this.length);
    this.stretches = [{ items, from: 0, to: items.length, by: 0 }];
    return items;
  }

  /** The items from `start` on, up to but without `end`: the others are not written out. */
  slice(start: number, end: number): readonly Item[] {
    return writtenOut(this.part(start, end, 0), end - start);
  }

  private part(start: number, end: number, moved: number): Stretch<Item>[] {
    let offset = 0;
    return this.stretches.map(({ items, from, to, by }) => {
      const first = Math.max(from, from + start - offset);
      const last = Math.min(to, from + end - offset);
      offset += to - from;
      return { items, from: first, to: Math.max(first, last), by: by + moved };
    });
  }
}

function writtenOut<Item extends Span>(stretches: readonly Stretch<Item>[], length: number): readonly Item[] {
  const items = new Array<Item>(length);
  let at = 0;
  for (const { items: of, from, to, by } of stretches)
    for (let place = from; place < to; place += 1) {
      const item = of[place];
      items[at] = by === 0 ? item : { ...item, start: item.start + by, end: item.end + by };
      at += 1;
    }
  return items;
}
