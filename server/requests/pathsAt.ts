import type { Place } from '../../engine/values/plan.ts';
import { nodeAt, type Span, type SyntaxNode } from '../../grammar/index.ts';
import { holds, toOffset } from '../text/convert.ts';
import type { PathsAnswer, PathsRequest } from '../../webview/protocol/requests.ts';
import { scheduleOrigins } from '../scheduleOrigins.ts';
import type { View } from '../view.ts';

/**
 * Paths of the plan whose text holds the position, the shortest text first. All that comes from the same text is one group: the
 * devices of `gpu[4]`, the stages of `balance(4)`. The text of something with a name is its whole declaration, although its origin
 * is the name.
 */
export function pathsAt(view: View, { position }: PathsRequest): PathsAnswer {
  const offset = toOffset(view.lines, position);
  const around = nodeAt(view.syntax, offset).toReversed();
  const groups = new Map<string, { readonly size: number; readonly paths: string[] }>();
  for (const [path, place] of [...view.analysis.resolution.origins, ...scheduleOrigins(view)]) {
    const text = place.uri === view.uri ? textOf(place, offset, around) : undefined;
    if (text === undefined) continue;
    const key = `${text.start}-${text.end}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { size: text.end - text.start, paths: [path] });
    else group.paths.push(path);
  }
  return [...groups.values()].sort((a, b) => a.size - b.size).map(({ paths }) => paths);
}

function textOf(place: Place, offset: number, around: readonly SyntaxNode[]): Span | undefined {
  if (holds(place, offset)) return place;
  for (const node of around) {
    const head = headOf(node);
    if (node.kind !== 'file' && head?.start === place.start && head.end === place.end) return node;
  }
  return undefined;
}

/** What stands for a declaration or entry where one is pointed at: its name, or its key. */
function headOf(node: SyntaxNode): Span | undefined {
  switch (node.kind) {
    case 'param':
      return node.name;
    case 'block':
      return node.name ?? node.keyword;
    case 'entry':
      return node.name ?? node.key;
    default:
      return undefined;
  }
}
