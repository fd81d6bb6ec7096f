import type { SyntaxNode } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import type { View } from '../view.ts';
import type { Text } from './language.ts';
import { devicesText, memoryText } from './memory.ts';
import { worstCopy } from './stage.ts';

/** `gpu[0]` in the `on` of a stage: what fills the device at its peak. */
export function hoverDevice(view: View, path: readonly SyntaxNode[]): Text | undefined {
  const [block, stage, on] = path.filter((node) => node.kind === 'block' || node.kind === 'entry');
  const span = path.find((node) => node.kind === 'index');
  if (block?.kind !== 'block' || stage?.kind !== 'entry' || on?.kind !== 'entry' || span === undefined)
    return undefined;
  if (block.keyword.text !== 'pipeline' || stage.key.text !== 'stage' || on.key.text !== 'on') return undefined;
  const pipeline = view.analysis.pipelines.find((evaluation) => evaluation.plan.name === block.name?.text);
  const name = stage.name?.text;
  if (pipeline?.run === undefined || name === undefined) return undefined;
  const index = worstCopy(pipeline, name);
  const device = index === undefined ? undefined : pipeline.run.report.devices[pipeline.plan.placement[index] ?? -1];
  return device === undefined ? undefined : { span, text: memoryText(pipeline.plan, device) };
}

/** The cluster in the `devices` of a pipeline: its devices and the fullest one; empty elsewhere. */
export function clusterText(view: View, offset: number): string {
  const block = view.syntax.declarations.find(
    (declaration) => declaration.kind === 'block' && holds(declaration, offset),
  );
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline') return '';
  const pipeline = view.analysis.pipelines.find((evaluation) => evaluation.plan.name === block.name?.text);
  return pipeline?.run === undefined ? '' : devicesText(pipeline.plan, pipeline.run.report);
}
