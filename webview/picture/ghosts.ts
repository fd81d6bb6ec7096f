import { addedItem } from '../../engine/schedule/addedItem.ts';
import type { Picture } from './picture.ts';

/** Whether a block is an operation that the text lacks. */
export const isGhost = ({ items }: Picture, block: number): boolean => items?.[block] === addedItem;
