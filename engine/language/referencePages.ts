/** The place of each name in the reference: a page below `docs/`, and the heading on it. Hovers and `explain` lead there. */
import type { Dimension } from '../values/plan.ts';
import type { FunctionSchema } from './functionRow.ts';
import type { BlockName } from './schema.ts';

const folder = 'look-up';

/** The anchor of a heading, as editors, code hosts and the site make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const at = (page: string, heading?: string): string =>
  `${folder}/${page}.md${heading === undefined ? '' : `#${anchorOf(heading)}`}`;

export const pageOfBlock = (block: string): string => at(`language/${block === 'let' ? 'param' : block}`);
export const pageOfKey = (block: BlockName, key: string): string => at(`language/${block}`, key);
export const pageOfFigure = (name: string): string => at('figures', name);
export const pageOfUnit = (dimension: Dimension): string => at('units', dimension);
export const pageOfStandard = (kind: string, name: string): string => at(`std/${kind}s`, name);
export const pageOfEngine = (): string => 'engines/README.md';

/** Shapes, optimizers and policies have a page each; functions of all other places share one. */
export function pageOfFunction({ context, name }: Pick<FunctionSchema, 'context' | 'name'>): string {
  const page = ownPages[context];
  return page === undefined ? at('functions', `${name}, ${placeOf(context)}`) : at(page, name);
}

const ownPages: Readonly<Partial<Record<FunctionSchema['context'], string>>> = {
  shape: 'shapes',
  optimizer: 'optimizers',
  schedule: 'policies',
};

/** What the heading of a function says of where it may be written. */
export const placeOf = (context: FunctionSchema['context']): string =>
  context === 'value' ? 'any expression' : (places[context] ?? context);

const places: Readonly<Partial<Record<FunctionSchema['context'], string>>> = {
  source: 'from of a model',
  system: 'from of a device',
  cut: 'stages',
  link: 'link',
  gradientSync: 'sync',
  workerSync: 'sync of a job',
  lengths: 'tokens and documents',
  run: 'measured',
  operations: 'rows',
  guard: 'conditions',
  duration: 'time',
  cost: 'operations',
};
