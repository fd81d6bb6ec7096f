/** Whether Megatron-LM takes a layout (megatron/core/transformer/pipeline_parallel_layer_layout.py, `validate_layer_layout`). */
import { mostTextFaults, type TextFault } from '../fault.ts';
import type { LayerSymbol, Layout, Placed } from './layout.ts';

/** What the other flags say; absent where they do not. */
export interface LayoutSetting {
  readonly pipelineSize?: number;
  readonly layers?: number;
  readonly mtpLayers?: number;
}

/** What is wrong, each at the symbol that shows it; `at` is the layout as a whole. Without a pipeline size each rank has one stage. */
export function checkLayout(
  stages: Layout,
  setting: LayoutSetting,
  at: { readonly start: number; readonly end: number },
): readonly TextFault[] {
  const faults: TextFault[] = [];
  const fault = (place: { readonly start: number; readonly end: number }, message: string): void => {
    if (faults.length < mostTextFaults) faults.push({ start: place.start, end: place.end, message });
  };
  const of = (
    symbol: LayerSymbol,
  ): readonly { readonly placed: Placed; readonly stage: number; readonly index: number }[] =>
    stages.flatMap((symbols, stage) =>
      symbols.flatMap((placed, index) => (placed.symbol === symbol ? [{ placed, stage, index }] : [])),
    );
  const [embeddings, losses, decoders, predictions] = [of('E'), of('L'), of('t'), of('m')];
  const last = stages.length - 1;
  const ranks = setting.pipelineSize ?? stages.length;

  if (stages.length % ranks !== 0)
    fault(at, `The layout has ${stages.length} stages, which ${ranks} pipeline ranks do not share evenly.`);
  if (embeddings.length !== 1)
    fault(embeddings[1]?.placed ?? at, `The layout has ${embeddings.length} embeddings (E): it needs exactly one.`);
  else if (embeddings[0].stage !== 0 || embeddings[0].index !== 0)
    fault(embeddings[0].placed, 'The embedding (E) must come first, in the first stage.');
  if (losses.length !== 1)
    fault(losses[1]?.placed ?? at, `The layout has ${losses.length} losses (L): it needs exactly one.`);
  else if (losses[0].stage !== last || losses[0].index !== stages[last].length - 1)
    fault(losses[0].placed, 'The loss (L) must come last, in the last stage.');
  if (setting.layers !== undefined && decoders.length !== setting.layers)
    fault(at, `The layout has ${decoders.length} transformer layers (t), and \`--num-layers\` says ${setting.layers}.`);
  if (setting.mtpLayers !== undefined && predictions.length !== setting.mtpLayers)
    fault(
      at,
      `The layout has ${predictions.length} prediction layers (m), and \`--mtp-num-layers\` says ${setting.mtpLayers}.`,
    );

  const [first] = predictions;
  if (first === undefined) return faults;
  const apart = predictions.find((prediction) => prediction.stage !== first.stage);
  if (apart !== undefined) fault(apart.placed, 'All prediction layers (m) must be in one stage.');
  const late = decoders.find(
    (decoder) => decoder.stage > first.stage || (decoder.stage === first.stage && decoder.index > first.index),
  );
  if (late !== undefined)
    fault(late.placed, 'This transformer layer (t) comes after a prediction layer (m): they must all come before.');
  if (first.stage < stages.length - ranks)
    fault(first.placed, 'Prediction layers (m) must be in the last virtual stage of their rank.');
  if (first.stage % ranks === 0) fault(first.placed, 'Prediction layers (m) must not be on pipeline rank 0.');
  return faults;
}
