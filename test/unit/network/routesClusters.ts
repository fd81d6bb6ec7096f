import { createReporter } from '../../../engine/findings/reporter.ts';
import { createReadContext } from '../../../engine/read/context.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { parse } from '../../../grammar/parse.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { readCluster } from '../../../engine/read/cluster.ts';
import { readDevice } from '../../../engine/read/device.ts';
import { evaluateConstants } from '../../../engine/language/constants.ts';
import { declareAll } from '../../../engine/language/declare.ts';
import { foreignFiles } from '../../../engine/language/foreign.ts';
import { linkFile } from '../../../engine/language/linking.ts';
import { clusters } from '../../../engine/std/clusters.ts';
import { hardware } from '../../../engine/std/hardware.ts';
import { hostOf, uri } from '../../support/host.ts';

/** Room for thousands of nodes. */
const options = { ...defaultOptions, limits: { ...defaultOptions.limits, elements: 1e6 } };

/** The first cluster of a text, with its `params` set; devices of `std:hardware` have their names. */
export function clusterIn(text: string, params: Readonly<Record<string, number>> = {}): ClusterDefinition {
  const syntax = parse(text, { size: 1e7, faults: 10 });
  const report = createReporter(uri, 100);
  const context = createReadContext(uri, syntax, options, report, foreignFiles(hostOf(), options));
  declareAll(context, () => undefined);
  Array.from(linkFile(context));
  evaluateConstants(context, params);
  const blocks = syntax.declarations.flatMap((declaration) => (declaration.kind === 'block' ? [declaration] : []));
  for (const block of blocks) if (block.keyword.text === 'device') readDevice(context, block);
  for (const block of blocks) if (block.keyword.text === 'cluster') readCluster(context, block);
  const [made] = context.clusters.values();
  const cluster = made?.();
  if (cluster === undefined || syntax.errors.length > 0 || report.errors() > 0)
    throw new Error([...syntax.errors, ...report.findings].map(({ message }) => message).join('\n'));
  return cluster;
}

/** A cluster written by its body, of devices `x`. */
export const clusterOf = (body: string): ClusterDefinition =>
  clusterIn(`device x { memory = 1GiB }\ncluster k { ${body} }`);

/** A cluster of `std:clusters` with so many nodes. */
export function stdCluster(name: string, nodes: number): ClusterDefinition {
  const start = clusters.indexOf(`cluster ${name} {`);
  const text = clusters.slice(start, clusters.indexOf('\n}\n', start) + 3);
  return clusterIn(`${hardware}\nparam nodes = 2 in 1..4096\n${text}`, { nodes });
}
