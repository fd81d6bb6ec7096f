import type { MemoryItemKind } from '../../../engine/report.ts';
import {
  kindCollective,
  kindForward,
  kindInput,
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

/** Colour of an item of memory in the stack and in its list. */
export function stackColour(theme: Theme, kind: MemoryItemKind): Rgb {
  const quiet = (colour: Rgb) => mix(theme.background, colour, 0.38);
  switch (kind) {
    case 'weights':
      return quiet(theme.dim);
    case 'gradients':
      return quiet(theme.kinds[kindCollective]);
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
    case 'operations':
      return theme.kinds[kindCollective];
  }
}
