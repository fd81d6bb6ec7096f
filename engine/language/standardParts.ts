/** Models and clusters of the standard library, as a file begins that plans one on the other. */
import { standardNames, type Exported } from './exported.ts';
import { standardFiles } from '../std/index.ts';

export const standardParts = (kind: 'model' | 'cluster'): readonly Exported[] =>
  standardNames().filter((each) => each.kind === kind && each.path === `std:${kind}s`);

/** The param that gives the number of nodes of a cluster, or of racks if a node is a rack; undefined if it has one number only. */
export function nodesParam(cluster: string): string | undefined {
  const text = standardFiles.get('std:clusters') ?? '';
  const from = text.indexOf(`\ncluster ${cluster} {`);
  return from < 0 ? undefined : /node\[([a-z]+)\]/u.exec(text.slice(from, text.indexOf('\n}\n', from)))?.[1];
}

export const modelImport = (name: string): string => `import { ${name} } from "std:models"\n`;

/** `nodes`: absent for a cluster of one size. */
export function clusterImport(name: string, nodes: number | undefined): string {
  const param = nodesParam(name);
  const settings = nodes === undefined || param === undefined ? '' : ` with { ${param} = ${nodes} }`;
  return `import { ${name} } from "std:clusters"${settings}\n`;
}
