import { microbatchOf, paintKindOf, stageOf } from '../../picture/blocks.ts';
import { shapesSayKind, versionLook, versionOfWord } from '../../picture/versions.ts';
import type { Rgb } from './colour.ts';
import type { Scene } from './scene.ts';
import { chunkColour } from './theme.ts';

type Colours = Pick<Scene, 'picture' | 'theme' | 'colourBy' | 'chunk'>;

/** Colour of most of a block, in the colouring that is chosen: the ground of its number. */
export function blockColour({ picture, theme, colourBy, chunk }: Colours, block: number): Rgb {
  const kind = paintKindOf(picture, block);
  const microbatch = microbatchOf(picture, block);
  if (microbatch < 0) return theme.kinds[kind];
  if (colourBy === 'microbatch') return theme.hues[microbatch % theme.hues.length];
  if (colourBy === 'chunk') return chunkColour(theme, kind, chunk[stageOf(picture, block)]);
  if (colourBy !== 'version') return theme.kinds[kind];
  const version = versionOfWord(picture.columns, picture.columns.word[block]);
  return version < 0 ? theme.kinds[kind] : theme.versions[versionLook(version)];
}

/** Whether colours leave it to the shape of a block to say its kind. */
export const hasShapes = ({ colourBy, picture }: Pick<Scene, 'colourBy' | 'picture'>): boolean =>
  shapesSayKind(colourBy, picture.columns);
