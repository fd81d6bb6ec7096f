import { layerModes } from '../../engine/costs/types.ts';
import { meshName } from '../../engine/costs/mesh.ts';
import { paths } from '../../engine/values/plan.ts';
import { type LayerFigures, type SymbolInfo } from '../../engine/language/resolution.ts';
import { amount, bytes, time } from '../../engine/basics/quantities.ts';
import type { View } from '../view.ts';
import { partsTable, trafficNote, trafficRows } from './costs.ts';
import { sections, table } from './markdown.ts';
import { plainMarkdown } from '../text/userText.ts';
import { trainableRows } from './trainable.ts';

/** What the engine derived for a layer: the figures that its inlay hint is taken from, all of them. */
export function layerText(view: View, { name, container, extent }: SymbolInfo): string {
  const model = container?.slice(container.indexOf(':') + 1);
  const origin =
    model === undefined ? undefined : (view.analysis.resolution.origins.get(paths.layer(model, name)) ?? extent);
  if (origin === undefined || origin.uri !== view.uri || extent === undefined) return '';
  const derived = view.analysis.resolution.derived.filter(
    (derivedValue) => derivedValue.offset > extent.start && derivedValue.offset <= extent.end + 1,
  );
  return sections(
    ...derived.map(({ text, tooltip, layer }) =>
      layer === undefined
        ? sections(plainMarkdown(text.trim()), tooltip === undefined ? undefined : plainMarkdown(tooltip))
        : sections(costsOf(layer), keptBy(layer)),
    ),
  );
}

function costsOf({ pipeline, letter, device, mesh, cost }: LayerFigures): string {
  const spread = [
    ...(mesh.tensor * mesh.context * mesh.data > 1 ? [meshName(mesh)] : []),
    ...(mesh.expert > 1 ? [`expert ranks ${mesh.expert}`] : []),
    ...(mesh.tensor > 1 && mesh.sequenceParallel ? ['sequence parallel'] : []),
  ];
  return sections(
    `${letter === undefined ? 'On' : `A layer \`${letter}\` on`} one ${device} in \`${pipeline}\`${spread.length === 0 ? '' : ` (${spread.join(', ')})`}, one microbatch:`,
    table([
      ['parameters', positive(cost.localParameters, () => parametersText(cost))],
      ...trainableRows(cost),
      ['FLOPs of the forward', positive(cost.forwardFlops, (flops) => `${amount(flops)}FLOP`)],
      ['forward', time(cost.forward)],
      ['input gradient', time(cost.backwardInput)],
      ['weight gradient', time(cost.backwardWeight)],
      ['recompute', positive(cost.recompute, time)],
      ['output', bytes(cost.output)],
      ['workspace', positive(cost.workspace, bytes)],
      ...trafficRows(cost.traffic),
    ]),
    trafficNote(cost.traffic),
  );
}

/** A head that is tied to the embedding holds a copy of its matrix, and counts it as the embedding's. */
function parametersText({ parameters, localParameters }: LayerFigures['cost']): string {
  const [whole, local] = [amount(parameters), amount(localParameters)];
  if (local === whole) return whole;
  return `${whole}, ${local} on the device${localParameters > parameters ? ' including shared parameters' : ''}`;
}

/** What a forward leaves, and what it would under other recomputation. */
function keptBy({ recompute, cost, leaves }: LayerFigures): string {
  const others = layerModes.flatMap((mode): readonly (readonly [string, number])[] =>
    mode === recompute || leaves[mode] === cost.activation ? [] : [[`with \`recompute = ${mode}\``, leaves[mode]]],
  );
  if (cost.activation === 0 && others.length === 0) return '';
  const lead =
    recompute === 'stage'
      ? 'Under `recompute = stage` the backward recomputes these activations'
      : `Its forward keeps ${bytes(cost.activation)}${recompute === 'none' ? '' : ` (\`recompute = ${recompute}\`)`}`;
  return sections(`${lead}:`, partsTable(cost.activationParts, cost.activation, others), freedBy(cost));
}

/** What recomputation of parts of a layer frees. */
function freedBy({ recomputedParts, recomputed, recompute }: LayerFigures['cost']): string | undefined {
  if (recomputedParts === undefined || recomputed === 0) return undefined;
  return sections(
    `Its backward makes ${bytes(recomputed)} again in ${time(recompute)}:`,
    partsTable(recomputedParts, recomputed),
  );
}

const positive = (value: number, show: (value: number) => string): string | undefined =>
  value > 0 ? show(value) : undefined;
