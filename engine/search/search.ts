import { fits, fitsAll } from './bytes.ts';
import { decode, decoderFor } from './decode.ts';
import { disturb } from './disturb.ts';
import { latestStarts } from './latest.ts';
import { layoutOf, type Words } from './layout.ts';
import type { OrderProblem } from './orderProblem.ts';
import { randomOf, seedOf } from './random.ts';
import { makespanOf, spanOf, timingFor } from './timing.ts';

export interface Seed { readonly name: string; readonly words: Words }
export interface SearchOptions { readonly seeds: readonly Seed[]; readonly objective: 'end' | 'span'; readonly effort: number; readonly inner?: boolean; readonly random?: number }
export interface Found { readonly words: Words; readonly makespan: number; readonly span: number; readonly bound: number; readonly effort: number; readonly by: string }

export const operationsOfEffort = 2e7;

export function* searchSteps(problem: OrderProblem, options: SearchOptions): Generator<Found | undefined, Found> {
  const layout = layoutOf(problem);
  const { devices, microbatches: m } = problem;
  const { stages, local, first, offsets, ticks } = layout;
  const size = offsets[devices];
  const timing = timingFor(layout);
  const decoder = decoderFor(layout);
  const random = randomOf(options.random ?? seedOf([problem.forward, problem.input, problem.weight, problem.transfer, problem.step, problem.activation, problem.forWeight, problem.limit, problem.device, [m, devices]]));
  const most = options.effort * operationsOfEffort;
  let visited = 0;
  let pause = 2e5;
  let bound = 0;
  for (let d = 0; d < devices; d++) { let w = 0; for (let q = first[d]; q < first[d + 1]; q++) w += m * ticks[local[q]]; bound = Math.max(bound, w); }
  let typical = 0; for (const c of local) typical += ticks[c]; typical /= local.length;
  const best: Words = new Uint8Array(size);
  let makespan = Infinity, span = Infinity, by = '';
  let found: Found[] = [];
  const value = (end: number, between: number) => options.objective === 'end' ? end : between;
  const offer = (words: Words, end: number, name: string): boolean => {
    if (end === Infinity) return false;
    const between = options.objective === 'span' || end <= makespan ? (makespanOf(layout, words, timing), spanOf(layout, timing)) : Infinity;
    const better = options.objective === 'end' ? end < makespan || (end === makespan && between < span) : between < span || (between === span && end < makespan);
    if (!better) return false;
    const shorter = options.objective === 'end' ? end < makespan : between < span;
    best.set(words); makespan = end; span = between; by = name;
    if (shorter) found.push({ words: best.slice(), makespan, span, bound, effort: visited / operationsOfEffort, by });
    return true;
  };
  const due = (work: number): boolean => { visited += work; if (visited < pause) return false; pause = visited + 2e5; return true; };
  function* rest(work: number): Generator<Found | undefined, void> { const p = due(work); if (found.length > 0) { const all = found; found = []; yield* all; } else if (p) yield undefined; }

  const words: Words = new Uint8Array(size);
  const keys = new Float64Array(3 * stages * m);
  const over = (): boolean => visited >= most;

  for (const seed of options.seeds) if (fitsAll(layout, seed.words)) { offer(seed.words, makespanOf(layout, seed.words, timing), seed.name); yield* rest(size); }
  // priority lists
  const total = m * typical * local.length / devices;
  for (let rule = 0; rule < 12; rule++) {
    const order = [[1, 0, 2], [0, 1, 2], [1, 2, 0]][rule % 3];
    for (let s = 0; s < stages; s++) for (let j = 0; j < m; j++) for (let kind = 0; kind < 3; kind++) {
      const lap = rule < 6 ? 0 : j * typical * local.length / devices;
      const stage = (rule % 6) < 3 ? stages - s : s;
      keys[(kind * stages + s) * m + j] = order[kind] * (rule < 6 ? total * 10 : typical * 3) + lap + stage * 1e-3;
    }
    const end = decode(layout, keys, decoder, words); offer(words, end, 'list');
    yield* rest(4 * size);
  }
  // small
  const held = (d: number) => { let a = 0; for (let q = first[d]; q < first[d + 1]; q++) if (local[q] < stages) a += problem.activation[local[q]]; return a > 0 ? problem.limit[d] / a : m; };
  let lim = 0; for (let d = 0; d < devices; d++) lim = Math.max(lim, Math.min(m, held(d)));
  const m0 = Math.ceil(Math.max(devices + 2, 10, 2 * Math.min(lim, 2 * devices) + 2));
  if (options.inner !== true && m >= 1.5 * m0 && !over()) {
    const inner = searchSteps({ ...problem, microbatches: m0 }, { ...options, seeds: [], inner: true, effort: 0.15 });
    let result: Found; for (;;) { const s = inner.next(); if (s.done) { result = s.value; break; } yield undefined; }
    visited += 0.15 * operationsOfEffort;
    const small = layoutOf({ ...problem, microbatches: m0 });
    const smallTiming = timingFor(small);
    const sEnd = makespanOf(small, result.words, smallTiming);
    const late = new Float64Array(3 * stages * m0);
    latestStarts(small, smallTiming, sEnd, late);
    for (let K = 1; K <= 8; K++) for (let mode = 0; mode < 2; mode++) for (const at of [0.3, 0.5, 0.7]) {
      const lo = Math.max(0, Math.min(m0 - K, Math.floor(m0 * at - K / 2)));
      // period: time between repetition of K: measured as mean over codes
      let T = 0; let count = 0;
      const startOf = (c: number, j: number) => mode === 0 ? smallTiming.end[c * m0 + j] - ticks[c] : late[c * m0 + j];
      for (const c of local) { if (lo + K < m0) { T += startOf(c, lo + K) - startOf(c, lo); count++; } }
      T = count > 0 ? T / count : K * typical * local.length / devices;
      const extra = m - m0;
      for (const c of local) for (let j = 0; j < m; j++) {
        let k = j, add = 0;
        if (j >= lo + K) { if (j < lo + K + extra) { const q = Math.floor((j - lo) / K); k = lo + (j - lo) % K; add = q * T; } else { k = j - extra; add = extra / K * T; } }
        keys[c * m + j] = startOf(c, k) + add;
      }
      const end = decode(layout, keys, decoder, words); offer(words, end, 'small');
      yield* rest(4 * size);
    }
  }
  const current: Words = new Uint8Array(size);
  const base = new Float64Array(keys.length);
  const late = new Float64Array(keys.length);
  const take = (from: Words, mode: number): void => {
    const end = makespanOf(layout, from, timing);
    for (const c of local) for (let j = 0; j < m; j++) base[c * m + j] = timing.end[c * m + j] - ticks[c];
    if (mode > 0) { latestStarts(layout, timing, end, late); for (let i = 0; i < base.length; i++) base[i] = mode === 1 ? late[i] : (base[i] + late[i]) / 2; }
  };
  const history = new Float64Array(64);
  const scratch: Words = new Uint8Array(size);
  const critical = new Int32Array(size); let length = 0;
  const placeOf = new Int32Array(keys.length);
  const mark = (): void => {
    for (let at = 0; at < size; at++) placeOf[timing.operation[at]] = at;
    length = 0;
    let d = 0; for (let o = 1; o < devices; o++) if (timing.free[o] + problem.step[o] > timing.free[d] + problem.step[d]) d = o;
    let at = offsets[d + 1] - 1;
    for (;;) {
      critical[length++] = at;
      const start = timing.start[at];
      if (start <= 0) return;
      const op = timing.operation[at]; const code = Math.floor(op / m); const on = layout.device[code];
      const from = layout.feeds[code];
      const prior = at > offsets[on] && timing.end[timing.operation[at - 1]] === start;
      const fed = from >= 0 && timing.end[from * m + op - code * m] + layout.delay[code] === start;
      if (prior && (!fed || random.whole(2) === 0)) at -= 1;
      else if (fed) at = placeOf[from * m + op - code * m];
      else return;
    }
  };
  const moveWord = (w: Words, from: number, to: number): void => { const c = w[from]; if (to > from) w.copyWithin(from, from + 1, to + 1); else w.copyWithin(to + 1, to, from); w[to] = c; };
  const done = () => options.objective === 'end' ? makespan <= bound : span <= bound;
  for (let round = 0; !over() && !done(); round++) {
    // keys
    current.set(best);
    let now = value(makespan, span);
    history.fill(now);
    let until = visited + 0.3 * operationsOfEffort / 4;
    take(current, round % 3);
    for (let step = 0; visited < until && !over() && !done(); step++) {
      keys.set(base);
      disturb(layout, keys, typical, random);
      if (random.whole(3) === 0) disturb(layout, keys, typical, random);
      let end = decode(layout, keys, decoder, words);
      let work = 4 * size;
      if (end < Infinity && random.whole(2) === 0) {
        // justification
        const e0 = makespanOf(layout, words, timing); latestStarts(layout, timing, e0, late);
        keys.set(late);
        const other: Words = scratch; const e1 = decode(layout, keys, decoder, other); work += 5 * size;
        if (e1 <= end) { words.set(other); end = e1; }
      }
      if (end < Infinity) {
        let v = end;
        if (options.objective === 'span') { makespanOf(layout, words, timing); v = spanOf(layout, timing); }
        offer(words, end, 'keys');
        const at = step % history.length;
        if (v <= now || v <= history[at]) { current.set(words); now = v; take(current, random.whole(3)); work += size; }
        if (now < history[at]) history[at] = now;
      }
      yield* rest(work);
    }
    // words
    current.set(best); now = value(makespan, span); history.fill(now);
    until = visited + 0.15 * operationsOfEffort / 4;
    makespanOf(layout, current, timing); mark(); const places = timing.operation.slice();
    for (let step = 0; visited < until && !over() && !done(); step++) {
      // timing holds current
      const from = critical[random.whole(length)];
      const on = layout.device[Math.floor(places[from] / m)];
      const reach = 1 + random.whole(3 * devices);
      const to = Math.max(offsets[on], Math.min(offsets[on + 1] - 1, random.whole(2) === 0 ? from + reach : from - reach));
      let same = true; for (let q = Math.min(from, to); q <= Math.max(from, to) && same; q++) same = current[q] === current[from];
      if (same) { visited += 20; continue; }
      moveWord(current, from, to);
      const end = fits(layout, current, on) ? makespanOf(layout, current, timing) : Infinity;
      const v = end === Infinity ? Infinity : options.objective === 'span' ? spanOf(layout, timing) : end;
      const at = step % history.length;
      if (v <= now || v <= history[at]) { if (v < Infinity) offer(current, end, 'words'); now = v; mark(); places.set(timing.operation); }
      else moveWord(current, to, from);
      if (now < history[at]) history[at] = now;
      yield* rest(size);
    }
  }
  yield* rest(0);
  return { words: best, makespan, span, bound, effort: visited / operationsOfEffort, by };
}
