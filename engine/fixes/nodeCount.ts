/** The place at which a file says how many equal nodes a cluster has. */
import type { SyntaxFile } from '../../grammar/index.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import { standardFiles } from '../std/index.ts';
import type { Edit } from './proposal.ts';
import { entriesOf } from './source.ts';

/** The edit that gives a cluster this many nodes. */
export type SetNodes = (nodes: number) => Edit;

/** How a file sets the nodes of an imported cluster. */
export const nodesSetting = (nodes: number): string => ` with { nodes = ${nodes} }`;

/**
 * For a cluster of the file with nodes of one kind, whose number is plain, or an imported machine of the standard library. Undefined for
 * others: what a cluster of several kinds of nodes would be with more of them is not known.
 */
export function setNodesOf(
  { declarations }: SyntaxFile,
  { name, declaration }: Pick<SymbolInfo, 'name' | 'declaration'>,
): SetNodes | undefined {
  for (const each of declarations) {
    if (
      each.kind === 'block' &&
      each.keyword.text === 'cluster' &&
      each.name?.text === name &&
      each.body !== undefined
    ) {
      const nodes = entriesOf(each.body, 'node');
      const [number] = nodes[0]?.index ?? [];
      return nodes.length === 1 && number?.kind === 'quantity' ? replacing(number.start, number.end) : undefined;
    }
    if (each.kind !== 'import' || each.path === undefined || each.path.value !== declaration?.uri) continue;
    if (!standardFiles.get(each.path.value)?.includes(`\ncluster ${name} {\n  switch fabric {}\n  node[nodes] {`))
      continue;
    const { settings, end } = each;
    if (settings === undefined) return (nodes) => ({ start: end, end, text: nodesSetting(nodes) });
    const number = entriesOf(settings, 'nodes')[0]?.values?.[0];
    return number === undefined ? undefined : replacing(number.start, number.end);
  }
  return undefined;
}

const replacing =
  (start: number, end: number): SetNodes =>
  (nodes) => ({ start, end, text: String(nodes) });
