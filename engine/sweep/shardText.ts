/** How an optimizer splits its state over data ranks, in the text of its arguments: `adamw(shard = fsdp, reshard = false)`. */

const argument = /,?\s*\b(shard|reshard|over|gradient_sync)\s*=\s*(\w+)/gu;

export interface ShardWords {
  readonly shard?: string;
  readonly reshard?: string;
  readonly over?: string;
  readonly gradient_sync?: string;
}

export const shardWords = (optimizer: string): ShardWords =>
  Object.fromEntries([...optimizer.matchAll(argument)].map(([, name, word]) => [name, word]));

/** The same on one rank, where a shard has no effect. */
export const withoutShards = (optimizer: string): string =>
  optimizer
    .replaceAll(argument, '')
    .replace(/\(\s*,?\s*/u, '(')
    .replace(/\(\s*\)$/u, '');
