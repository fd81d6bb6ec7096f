import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CallHierarchyPrepareParams,
} from 'vscode-languageserver';
import { SymbolKind } from 'vscode-languageserver';
import { bytes, count, time } from '../../engine/basics/quantities.ts';
import { cutStages, stageName, stageNumber } from '../../engine/costs/stages.ts';
import { placeOf } from '../../engine/flow/check.ts';
import type { Evaluation } from '../../engine/schedule/evaluation.ts';
import { paths, type Place } from '../../engine/values/plan.ts';
import type { Session } from '../session.ts';
import { toDocumentUri, toOffset } from '../text/convert.ts';
import { locate, referenceAt, type View } from '../view.ts';

/**
 * Who runs what: a model its stages, a stage its devices. An item says in `data` what it is, so that the protocol's next question about
 * it can be answered. `file` is the open document whose pipelines are meant: a model may be declared in another one.
 */
type Thing = { readonly file: string } & (
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'stage'; readonly pipeline: string; readonly stage: number }
  | { readonly kind: 'device'; readonly pipeline: string; readonly device: number }
);

type Addresses = Pick<Session, 'address'>;

export const fileOf = ({ data }: CallHierarchyItem): string | undefined => (data as Thing | undefined)?.file;

/** The model under the cursor or of the pipeline under it, the stage, or the devices of the kind. */
export function prepareCallHierarchy(
  view: View,
  params: CallHierarchyPrepareParams,
  addresses: Addresses,
): CallHierarchyItem[] | null {
  const symbol = referenceAt(view, toOffset(view.lines, params.position))?.symbol;
  if (symbol === undefined) return null;
  const things = view.analysis.pipelines.flatMap((pipeline): readonly Thing[] => {
    const { plan } = pipeline;
    const isOwn = symbol.container === `pipeline:${plan.name}`;
    if (symbol.kind === 'stage' && isOwn)
      return stagesOf(view, pipeline).filter(({ stage }) => nameOf(pipeline, stage) === symbol.name);
    if (symbol.kind === 'device')
      return devicesOf(view, pipeline).filter(({ device }) => plan.devices[device]?.kind === symbol.name);
    return [];
  });
  const named =
    symbol.kind === 'pipeline'
      ? view.analysis.pipelines.find(({ plan }) => plan.name === symbol.name)?.plan.model
      : symbol.name;
  const isModel = symbol.kind === 'model' || symbol.kind === 'pipeline';
  const found = isModel && named !== undefined ? [{ kind: 'model', name: named, file: view.uri } as const] : things;
  return found.flatMap((thing) => itemOf(view, thing, addresses) ?? []);
}

/** What runs the thing: of a model its stages, of a stage its devices. */
export function outgoingCalls(
  view: View,
  item: CallHierarchyItem,
  addresses: Addresses,
): CallHierarchyOutgoingCall[] | null {
  const thing = item.data as Thing;
  return callees(view, thing).flatMap((callee): CallHierarchyOutgoingCall[] => {
    const to = itemOf(view, callee, addresses);
    return to === undefined ? [] : [{ to, fromRanges: [item.selectionRange] }];
  });
}

/** What the thing runs: of a device its stages, of a stage its model. */
export function incomingCalls(
  view: View,
  item: CallHierarchyItem,
  addresses: Addresses,
): CallHierarchyIncomingCall[] | null {
  const thing = item.data as Thing;
  return callers(view, thing).flatMap((caller): CallHierarchyIncomingCall[] => {
    const from = itemOf(view, caller, addresses);
    return from === undefined ? [] : [{ from, fromRanges: [from.selectionRange] }];
  });
}

function callees(view: View, thing: Thing): readonly Thing[] {
  const { pipelines } = view.analysis;
  if (thing.kind === 'model')
    return pipelines.flatMap((pipeline) => (pipeline.plan.model === thing.name ? stagesOf(view, pipeline) : []));
  const pipeline = pipelines.find(({ plan }) => plan.name === thing.pipeline);
  if (thing.kind === 'device' || pipeline === undefined) return [];
  const { plan } = pipeline;
  const ranks = new Set(plan.placement.filter((_, index) => stageNumber(plan, index) === thing.stage));
  return devicesOf(view, pipeline).filter(({ device }) => ranks.has(device));
}

function callers(view: View, thing: Thing): readonly Thing[] {
  if (thing.kind === 'model') return [];
  const pipeline = view.analysis.pipelines.find(({ plan }) => plan.name === thing.pipeline);
  if (pipeline === undefined) return [];
  if (thing.kind === 'stage') return [{ kind: 'model', name: pipeline.plan.model, file: view.uri }];
  const { plan } = pipeline;
  const stages = new Set(
    plan.placement.flatMap((device, index) => (device === thing.device ? [stageNumber(plan, index)] : [])),
  );
  return stagesOf(view, pipeline).filter(({ stage }) => stages.has(stage));
}

const stagesOf = ({ uri }: View, { plan }: Evaluation) =>
  cutStages(plan).map((_, stage) => ({ kind: 'stage', pipeline: plan.name, stage, file: uri }) as const);
const devicesOf = ({ uri }: View, { plan }: Evaluation) =>
  plan.devices.map((_, device) => ({ kind: 'device', pipeline: plan.name, device, file: uri }) as const);
const nameOf = ({ plan }: Evaluation, stage: number): string => {
  const found = cutStages(plan)[stage]?.plan;
  return found === undefined ? '' : stageName(found);
};

/** Undefined where the file has changed so that there is no such thing. */
function itemOf(view: View, thing: Thing, addresses: Addresses): CallHierarchyItem | undefined {
  if (thing.kind === 'model') {
    const symbol = [...view.analysis.resolution.symbols.symbols.values()].find(
      ({ kind, name }) => kind === 'model' && name === thing.name,
    );
    return item(view, addresses, thing, thing.name, symbol?.detail, SymbolKind.Class, symbol?.declaration);
  }
  const pipeline = view.analysis.pipelines.find(({ plan }) => plan.name === thing.pipeline);
  if (pipeline === undefined) return undefined;
  const { plan, run } = pipeline;
  if (thing.kind === 'stage') {
    const stage = cutStages(plan)[thing.stage];
    if (stage === undefined) return undefined;
    const { layers, forward } = stage.plan;
    const detail = `${plan.name} · ${count(layers.length, 'layer', 'layers')} · forward ${time(forward)}`;
    const place = placeOf(paths.stage(plan.name, stage.index), view.analysis.resolution.places);
    return item(view, addresses, thing, stageName(stage.plan), detail, SymbolKind.EnumMember, place);
  }
  const device = plan.devices[thing.device];
  if (device === undefined) return undefined;
  const peak = run?.report.devices[thing.device]?.peak;
  const detail = `${plan.name} · ${device.kind}${peak === undefined ? '' : ` · peak ${bytes(peak)}`}`;
  const place = placeOf(paths.deviceKind(device.kind), view.analysis.resolution.places);
  return item(view, addresses, thing, device.name, detail, SymbolKind.Struct, place);
}

function item(
  view: View,
  { address }: Addresses,
  thing: Thing,
  name: string,
  detail: string | undefined,
  kind: SymbolKind,
  place: Place | undefined,
): CallHierarchyItem | undefined {
  const location = place === undefined ? undefined : locate(view, place);
  if (location === undefined) return undefined;
  const { range } = location;
  return {
    name,
    detail,
    kind,
    uri: address(toDocumentUri(place?.uri ?? '')),
    range,
    selectionRange: range,
    data: thing,
  };
}
