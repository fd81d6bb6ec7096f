import type { MemoryItem, MemoryItemKind } from '../../../engine/values/report.ts';
import {
  kindCollective,
  kindForward,
  kindInput,
  kindOfDeclared,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
} from '../../picture/columns.ts';
import type { MemoryStack } from '../../../engine/simulate/memoryStack.ts';
import { mix, type Rgb } from './colour.ts';
import type { Theme } from './theme.ts';

/** What is always there, from the bottom up: darker and quieter than what comes and goes. */
export const quietColours = (theme: Theme): readonly (readonly [keyof MemoryStack['statics'], Rgb])[] =>
  (['weights', 'gradients', 'optimizer', 'buffers'] as const).map((kind) => [kind, stackColour(theme, kind)]);

/** Colour of an item in the list of what fills a device. `declared`: operations of the schedule. */
export const itemColour = (theme: Theme, { kind, operation }: MemoryItem, declared: readonly string[]): Rgb =>
  kind === 'operations' ? operationColour(theme, declared.indexOf(operation ?? '')) : stackColour(theme, kind);

/** Colour of what a declared operation holds: the one of its blocks. */
export const operationColour = (theme: Theme, declared: number): Rgb =>
  theme.kinds[kindOfDeclared(Math.max(0, declared))];

/** Colour of memory of a kind in the stack. */
export function stackColour(theme: Theme, kind: Exclude<MemoryItemKind, 'operations'>): Rgb {
  const quiet = (colour: Rgb) => mix(theme.background, colour, 0.38);
  switch (kind) {
    case 'weights':
      return quiet(theme.dim);
    case 'gradients':
      return quiet(theme.kinds[kindCollective]);
    case 'gradient_copies':
      return theme.kinds[kindOptimizer];
    case 'optimizer':
      return quiet(theme.kinds[kindOptimizer]);
    case 'buffers':
      return quiet(theme.kinds[kindTransfer]);
    case 'versions':
      return theme.dim;
    case 'activations':
      return theme.kinds[kindForward];
    case 'activations_for_weight':
      return theme.kinds[kindWeight];
    case 'recomputed':
      return theme.kinds[kindRecompute];
    case 'workspace':
      return theme.kinds[kindInput];
  }
}
