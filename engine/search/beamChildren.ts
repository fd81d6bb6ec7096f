/** Orders that the orders of a step may become, one operation longer. */
export interface Children {
  count: number;
  /** By child: the slot and the code that make it, the start of that operation, and its score. */
  of: Int32Array;
  code: Int32Array;
  start: Float64Array;
  score: Float64Array;
  /** Equal for equal sets of operations. */
  key: Float64Array;
  waits: Int32Array;
}

export const emptyChildren = (room: number): Children => ({
  count: 0,
  of: new Int32Array(room),
  code: new Int32Array(room),
  start: new Float64Array(room),
  score: new Float64Array(room),
  key: new Float64Array(room),
  waits: new Int32Array(room),
});

export function pushChild(
  children: Children,
  {
    slot,
    code,
    start,
    score,
    key,
    waits,
  }: Readonly<Record<'slot' | 'code' | 'start' | 'score' | 'key' | 'waits', number>>,
): void {
  if (children.count === children.of.length) grow(children);
  const at = children.count;
  children.of[at] = slot;
  children.code[at] = code;
  children.start[at] = start;
  children.score[at] = score;
  children.key[at] = key;
  children.waits[at] = waits;
  children.count += 1;
}

function grow(children: Children): void {
  const { of, code, start, score, key, waits } = children;
  Object.assign(children, emptyChildren(2 * of.length), { count: children.count });
  children.of.set(of);
  children.code.set(code);
  children.start.set(start);
  children.score.set(score);
  children.key.set(key);
  children.waits.set(waits);
}

/** By score; of equal ones the first. */
export const bestFirst = ({ count, score }: Children): readonly number[] =>
  Array.from({ length: count }, (_, child) => child).toSorted((a, b) => score[a] - score[b] || a - b);
