/** What a file without a pipeline has, and a pipeline for it. */
import { list } from '../../../engine/basics/quantities.ts';
import type { ShownContents } from '../../protocol/messages.ts';
import { emptyTitle } from './empty.ts';
import type { Message } from './message.ts';

export interface ContentsActions {
  add(): void;
  openGuide(): void;
}

type Declared = ShownContents['declared'][number];

/** `It has the models a and b and 12 params. A pipeline says which model runs on which devices, and in what order.` */
export function contentsMessage({ declared, addition }: ShownContents, { add, openGuide }: ContentsActions): Message {
  const things = declared.filter(({ kind }) => kind !== 'import');
  const imports = declared.find(({ kind }) => kind === 'import');
  const clauses = [
    ...(things.length === 0 ? [] : [`has ${list(things.map((thing) => named(thing, `the ${thing.kind}`)))}`]),
    ...(imports === undefined ? [] : [`imports ${named({ ...imports, kind: 'file' }, '')}`]),
  ];
  const guide = { label: 'Language guide', run: openGuide };
  return {
    title: `${emptyTitle}.`,
    details: [
      `It ${clauses.join(' and ')}. A pipeline says which model runs on which devices, and in what order.`,
      ...(addition?.assumptions ?? []),
    ],
    actions: addition === undefined ? [guide] : [{ label: addition.title, run: add }, guide],
  };
}

/** `the model toy`, `the params a and b`; `12 params` where there are more than the names given. */
function named({ kind, names, count }: Declared, head: string): string {
  const known = names.filter((name) => name !== '');
  if (known.length < count) return `${count} ${kind}${count === 1 ? '' : 's'}`;
  return `${head}${count > 1 && head !== '' ? 's' : ''} ${list(known)}`.trim();
}
