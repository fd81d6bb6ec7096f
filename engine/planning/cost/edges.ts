import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import type { EdgePlan } from '../../values/plan.ts';

/**
 * Data between stages. Each pair that shares a tensor has the sum of the outputs of the producing layers. An output is sent once
 * to a stage, however many of its layers need it. In order of `from`, then `to`. If no gradient comes back to any of the producers,
 * the edge has none.
 */
export function edgesOf(
  model: ModelDefinition,
  stageOf: Int32Array,
  stages: number,
  output: (element: number) => number,
  returns: (element: number) => boolean = () => true,
): readonly EdgePlan[] {
  const answered = new Set<number>();
  const bytes = new Map<number, number>();
  const sent = new Set<number>();
  for (let element = 0; element < model.elements; element += 1) {
    const to = stageOf[element];
    for (const producer of needsOf(model, element)) {
      const from = stageOf[producer];
      if (from === to || sent.has(producer * stages + to)) continue;
      sent.add(producer * stages + to);
      const edge = from * stages + to;
      bytes.set(edge, (bytes.get(edge) ?? 0) + output(producer));
      if (returns(producer)) answered.add(edge);
    }
  }
  return [...bytes.keys()]
    .sort((a, b) => a - b)
    .map((edge) => ({
      from: Math.floor(edge / stages),
      to: edge % stages,
      bytes: bytes.get(edge) ?? 0,
      ...(answered.has(edge) ? {} : { forwardOnly: true }),
    }));
}

/** Edges whose ends split the sequence into the given numbers of parts, with the bytes of the gradient if these differ. */
export const withGradients = (edges: readonly EdgePlan[], parts: readonly number[]): readonly EdgePlan[] =>
  edges.map((edge) =>
    parts[edge.from] === parts[edge.to]
      ? edge
      : { ...edge, back: inParts(edge.bytes, parts[edge.from], parts[edge.to]) },
  );

/** One of `from` equal parts is as many bytes; what one of `to` parts is. */
export const inParts = (bytes: number, from: number, to: number): number => (from === to ? bytes : (bytes * from) / to);
