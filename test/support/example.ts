import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../examples/', import.meta.url);

/** Names of all examples, by their path in the folder (`systems/dualpipe.pipe`). */
export const exampleNames: readonly string[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.pipe'));

export const isExample = (source: string): boolean => /^[\w./-]+\.pipe$/.test(source);
export const exampleUri = (name: string): string => new URL(name, folder).href;
export const exampleText = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
