import texts from 'inline:examples';
import type { ExampleCard } from '../protocol/exampleCard.ts';

/** Made when the page is built. */
export type { ExampleCard };

export const exampleCards = (): readonly ExampleCard[] => JSON.parse(texts) as readonly ExampleCard[];
