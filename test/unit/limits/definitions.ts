/** Definitions of a text, as planning gets them. */
import { defaultOptions } from '../../../engine/basics/host.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import type { DeviceDefinition } from '../../../engine/definitions/device.ts';
import type { ModelDefinition } from '../../../engine/definitions/model.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { declareAll } from '../../../engine/language/declare.ts';
import { foreignFiles } from '../../../engine/language/foreign.ts';
import { linkFile } from '../../../engine/language/linking.ts';
import { readCluster } from '../../../engine/read/cluster.ts';
import { createReadContext, type ReadContext } from '../../../engine/read/context.ts';
import { readDevice } from '../../../engine/read/device.ts';
import { readModel } from '../../../engine/read/model.ts';
import { parse } from '../../../grammar/index.ts';
import { hostOf, uri } from '../../support/host.ts';

function read(text: string): ReadContext {
  const syntax = parse(text);
  const report = createReporter(uri, 10);
  const context = createReadContext(uri, syntax, defaultOptions, report, foreignFiles(hostOf(), defaultOptions));
  declareAll(context, () => undefined);
  toEnd(linkFile(context));
  for (const block of syntax.declarations) {
    if (block.kind !== 'block') continue;
    if (block.keyword.text === 'device') readDevice(context, block);
    if (block.keyword.text === 'cluster') readCluster(context, block);
    if (block.keyword.text === 'model') readModel(context, block);
  }
  if (report.findings.length > 0) throw new Error(report.findings.map(({ message }) => message).join('\n'));
  return context;
}

function only<Value>(found: ReadonlyMap<string, Value>): Value {
  const [first] = found.values();
  if (first === undefined) throw new Error('The text declares none.');
  return first;
}

export const modelOf = (text: string): ModelDefinition => only(read(text).models);
export const deviceOf = (text: string): DeviceDefinition => only(read(text).devices);

export function clusterOf(text: string): ClusterDefinition {
  const found = only(read(text).clusters)();
  if (found === undefined) throw new Error('The cluster is wrong.');
  return found;
}
