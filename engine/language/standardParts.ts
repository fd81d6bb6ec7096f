/** Models and clusters of the standard library, as a file begins that plans one on the other. */
import { standardNames, type Exported } from './exported.ts';
import { standardFiles } from '../std/index.ts';

export const standardParts = (kind: 'model' | 'cluster'): readonly Exported[] =>
  standardNames().filter((each) => each.kind === kind && each.path === `std:${kind}s`);

/** The param that gives the number of nodes of a cluster, or of racks if a node is a rack; undefined if it has one number only. */
export function nodesParam(cluster: string): string | undefined {
  return /node\[([a-z]+)\]/u.exec(clusterText(cluster))?.[1];
}

/** GPUs of a node of the cluster: as the library has them, and the most that are a power of two. Undefined if no param says their number. */
export function nodeGpus(
  cluster: string,
): { readonly param: string; readonly all: number; readonly even: number } | undefined {
  const param = /gpu\[([a-z_]+)\]/u.exec(clusterText(cluster))?.[1];
  const text = standardFiles.get('std:clusters') ?? '';
  const all = Number(new RegExp(`^param ${param ?? ''} = (\\d+)`, 'mu').exec(text)?.[1]);
  return param === undefined ? undefined : { param, all, even: 2 ** Math.floor(Math.log2(all)) };
}

function clusterText(cluster: string): string {
  const text = standardFiles.get('std:clusters') ?? '';
  const from = text.indexOf(`\ncluster ${cluster} {`);
  return from < 0 ? '' : text.slice(from, text.indexOf('\n}\n', from));
}

export const modelImport = (name: string): string => `import { ${name} } from "std:models"\n`;

/**
 * `nodes`: absent for a cluster of one size. `gpus`: of each node. By default a power of two, where a param says them: people train on
 * 64 of the 72 of a rack, and keep 8 for those that fail.
 */
export function clusterImport(name: string, nodes: number | undefined, gpus?: number): string {
  const param = nodesParam(name);
  if (nodes === undefined || param === undefined) return `import { ${name} } from "std:clusters"\n`;
  const each = nodeGpus(name);
  const used = gpus ?? each?.even;
  const ofNode = each === undefined || used === each.all ? '' : `  ${each.param} = ${used}`;
  const idle = spareGpus(name, gpus);
  const comment = idle === undefined ? '' : `// ${idle}\n`;
  return `${comment}import { ${name} } from "std:clusters" with { ${param} = ${nodes}${ofNode} }\n`;
}

/** What a file with that import leaves idle, in a sentence; undefined for nothing. */
export function spareGpus(name: string, gpus?: number): string | undefined {
  const each = nodeGpus(name);
  const used = gpus ?? each?.even ?? 0;
  return each === undefined || used >= each.all
    ? undefined
    : `${used} of the ${each.all} GPUs of each rack train${Number.isInteger(Math.log2(used)) ? ', so ranks are powers of two' : ''}. ${each.all - used} are spare.`;
}
