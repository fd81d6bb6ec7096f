import { fullest } from '../../engine/basics/fullest.ts';
import { pipelineBody, valueOf } from '../../engine/fixes/source.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { paths } from '../../engine/values/plan.ts';
import type { SyntaxNode } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import { referenceAt, type View } from '../view.ts';
import type { Text } from './language.ts';
import { sections } from './markdown.ts';
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

/** A cluster: the devices of the pipeline around the cursor, elsewhere of each pipeline that uses it, and the fullest one. */
export function clusterText(view: View, cluster: SymbolInfo, offset: number): string {
  const here = view.syntax.declarations.find((declaration) => holds(declaration, offset));
  const around = here?.kind === 'block' && here.keyword.text === 'pipeline' ? here.name?.text : undefined;
  return sections(
    ...view.analysis.pipelines.flatMap(({ plan, run }) => {
      if (run === undefined || (around !== undefined && around !== plan.name)) return [];
      if (around === undefined && !isOn(view, plan.name, cluster)) return [];

      return [around === undefined ? `In \`${plan.name}\`:` : undefined, devicesText(plan, run.report)];
    }),
  );
}

function isOn(view: View, pipeline: string, cluster: SymbolInfo): boolean {
  const body = pipelineBody(view.syntax, pipeline);
  const value = body === undefined ? undefined : valueOf(body, 'devices');
  return value !== undefined && referenceAt(view, value.start)?.symbol.id === cluster.id;
}

/** A kind of device: the fullest of its devices in each pipeline, and what fills it. */
export const deviceText = ({ analysis }: View, { name, declaration }: SymbolInfo): string =>
  sections(
    ...analysis.pipelines.flatMap(({ plan, run }) => {
      const place = analysis.resolution.origins.get(paths.deviceKind(name));
      if (run === undefined || place?.uri !== declaration?.uri) return [];
      const most = fullest({ devices: run.report.devices.filter((_, at) => plan.devices[at].kind === name) });
      return most === undefined ? [] : [`In \`${plan.name}\`:`, memoryText(plan, most)];
    }),
  );
