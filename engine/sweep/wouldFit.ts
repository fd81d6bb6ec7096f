/** The least change with which a search has a row that fits, where none does: simulated, in a sentence. */
import { parse } from '../../grammar/index.ts';
import { bytes, iterationTime, share } from '../basics/quantities.ts';
import type { Axis } from '../definitions/search.ts';
import { apply } from '../fixes/proposal.ts';
import { setNodesOf } from '../fixes/nodeCount.ts';
import { pipelineBody, setKey, valueOf } from '../fixes/source.ts';
import { overriddenAxes, settingsOf, settingsText } from './axes.ts';
import { sweepBase, type SweepBase } from './base.ts';
import type { RowFigures } from './evaluateRow.ts';
import { outcomeOf } from './rowsSearch.ts';
import { defaultSpace } from './space/space.ts';
import { sweepSteps } from './sweep.ts';

/** Rows that are looked at for one change. */
const mostRows = 400;
const mostNodes = 2048;

export interface WouldFit {
  /** `recompute = full`, or `16 nodes`. */
  readonly change: string;
  readonly text: string;
}

/**
 * First one value of a key that the search does not have, then twice, four times, … the nodes. `isChosen`: the axes are the space that
 * was chosen, and are chosen again. `limits` hold. Undefined if nothing is found. Pauses between rows.
 */
export function* wouldFitSteps(
  base: SweepBase,
  axes: readonly Axis[],
  limits: readonly string[],
  isChosen: boolean,
): Generator<undefined, WouldFit | undefined, void> {
  if (!isChosen)
    for (const { key, values } of defaultSpace(base).axes) {
      const known = new Set(axes.find((axis) => axis.key === key)?.values ?? []);
      for (const value of values.filter((each) => !known.has(each))) {
        const found = yield* firstThatFits(base, overriddenAxes(axes, [{ key, values: [value] }]));
        if (found !== undefined) return sentence(`${key} = ${value}`, found, limits);
      }
    }
  for (const { nodes, file } of withMoreNodes(base)) {
    yield undefined;
    const more = sweepBase(file, base.pipeline, limits);
    // Another batch would be another training.
    if ('problem' in more || more.batch !== base.batch) continue;
    const found = yield* firstThatFits(more, isChosen ? defaultSpace(more).axes : axes);
    if (found !== undefined) return sentence(`${nodes} nodes`, found, limits);
  }
  return undefined;
}

interface Found {
  readonly settings: string;
  readonly figures: RowFigures;
}

/** The first row that is found to fit, of those that come first in a search. */
function* firstThatFits(base: SweepBase, axes: readonly Axis[]): Generator<undefined, Found | undefined, void> {
  const steps = sweepSteps(base, axes, { isLean: true });
  let looked = 0;
  for (let step = steps.next(); step.done !== true;) {
    const { rows, front } = step.value;
    const outcomes: ReturnType<typeof outcomeOf>[] = [];
    for (const row of rows) {
      yield undefined;
      looked += 1;
      const outcome = outcomeOf(base, axes, row, front);
      if (outcome.kind === 'ran' && outcome.figures.meets)
        return { settings: settingsText(settingsOf(axes, row)), figures: outcome.figures };
      if (looked >= mostRows) return undefined;
      outcomes.push(outcome);
    }
    step = steps.next({ outcomes });
  }
  return undefined;
}

const sentence = (change: string, { settings, figures }: Found, limits: readonly string[]): WouldFit => {
  const { peak, iteration, tight } = figures;
  const left = tight === undefined ? '' : `, which leaves ${share(tight)} of a device`;
  return {
    change,
    text: `With ${change} it fits${limits.length === 0 ? '' : ' and meets the limits'}: ${bytes(peak)}${left}, ${iterationTime(iteration)} (${settings}). Faster rows are possible.`,
  };
};

/** The file with twice the nodes, and so on; nothing where the number of nodes cannot be written. */
function* withMoreNodes({ file, pipeline, body, syntax, size, resolution }: SweepBase) {
  const named = valueOf(body, 'devices');
  const name = named === undefined ? '' : syntax.text.slice(named.start, named.end);
  const cluster = [...resolution.symbols.symbols.values()].find(
    (symbol) => symbol.kind === 'cluster' && symbol.name === name,
  );
  const setNodes = cluster === undefined ? undefined : setNodesOf(parse(file.text), cluster);
  if (setNodes === undefined) return;
  for (let factor = 2; (factor * size.devices) / size.perNode <= mostNodes; factor *= 2) {
    const nodes = (factor * size.devices) / size.perNode;
    // The ranks of the file have to make up the devices: the rows have others.
    const text = apply(file.text, [setNodes(nodes)]);
    yield { nodes, file: { ...file, text } };
    const wider = parse(text);
    const whole = pipelineBody(wider, pipeline);
    const data = whole === undefined ? undefined : setKey(text, whole, 'data', String(size.mesh.data * factor));
    if (data !== undefined) yield { nodes, file: { ...file, text: apply(text, [data]) } };
  }
}
