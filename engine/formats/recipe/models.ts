/** The model of `std:models` that a name in a configuration stands for. Only names that are known: another one is never guessed. */
import { readConfiguration } from '../huggingFace/read.ts';
import { publishedModels } from '../huggingFace/publishedModels.ts';

/** Owners and names on Hugging Face, in small letters, of models with the widths of an entry. */
const repositories: readonly (readonly [name: string, owner: string, repository: RegExp])[] = [
  ['gpt2', 'openai-community', /^gpt2$/],
  ['gpt2_medium', 'openai-community', /^gpt2-medium$/],
  ['gpt2_large', 'openai-community', /^gpt2-large$/],
  ['gpt2_xl', 'openai-community', /^gpt2-xl$/],
  ['llama2_7b', 'meta-llama', /^llama-2-7b(-chat)?(-hf)?$/],
  ['llama2_13b', 'meta-llama', /^llama-2-13b(-chat)?(-hf)?$/],
  ['llama2_70b', 'meta-llama', /^llama-2-70b(-chat)?(-hf)?$/],
  ['llama3_8b', 'meta-llama', /^(meta-)?llama-3-8b(-instruct)?$/],
  ['llama3_70b', 'meta-llama', /^(meta-)?llama-3-70b(-instruct)?$/],
  ['llama3_1_8b', 'meta-llama', /^(meta-)?llama-3\.1-8b(-instruct)?$/],
  ['llama3_1_70b', 'meta-llama', /^(meta-)?llama-3\.[13]-70b(-instruct)?$/],
  ['llama3_1_405b', 'meta-llama', /^(meta-)?llama-3\.1-405b(-instruct)?$/],
  ['llama3_2_1b', 'meta-llama', /^llama-3\.2-1b(-instruct)?$/],
  ['mixtral_8x7b', 'mistralai', /^mixtral-8x7b(-instruct)?-v0\.1$/],
  ['mixtral_8x22b', 'mistralai', /^mixtral-8x22b(-instruct)?-v0\.1$/],
  ['deepseek_v3', 'deepseek-ai', /^deepseek-(v3(\.1)?(-base|-0324|-terminus)?|r1(-0528)?)$/],
  ['qwen2_5_0_5b', 'qwen', /^qwen2\.5-0\.5b(-instruct)?$/],
  ['qwen2_5_7b', 'qwen', /^qwen2\.5-7b(-instruct)?$/],
  ['qwen2_5_14b', 'qwen', /^qwen2\.5-14b(-instruct)?$/],
  ['qwen2_5_32b', 'qwen', /^qwen2\.5-32b(-instruct)?$/],
  ['qwen2_5_72b', 'qwen', /^qwen2\.5-72b(-instruct)?$/],
  ['qwen3_8b', 'qwen', /^qwen3-8b(-base)?$/],
  ['qwen3_14b', 'qwen', /^qwen3-14b(-base)?$/],
  ['qwen3_32b', 'qwen', /^qwen3-32b$/],
  ['qwen3_30b_a3b', 'qwen', /^qwen3-30b-a3b(-base|-(instruct|thinking)-2507)?$/],
  ['qwen3_235b_a22b', 'qwen', /^qwen3-235b-a22b(-(instruct|thinking)-2507)?$/],
];

/** Owners that keep unchanged copies under the original names. */
const copies: ReadonlySet<string> = new Set(['nousresearch', 'unsloth']);

/** `NousResearch/Meta-Llama-3-8B` is `llama3_8b`; undefined for a name that is not known. */
export function modelOfRepository(repository: string): string | undefined {
  const [owner, base] = repository.toLowerCase().split('/');
  return repositories.find(
    ([, original, pattern]) => (owner === original || copies.has(owner)) && pattern.test(base ?? ''),
  )?.[0];
}

/** The same for a folder that is named after a repository: `./assets/hf/Llama-3.1-8B`. */
export function modelOfFolder(folder: string): string | undefined {
  const base = folder.toLowerCase().split('/').at(-1) ?? '';
  return repositories.find(([, , pattern]) => pattern.test(base))?.[0];
}

/** Names of later versions and other spellings with the widths of an entry, in small letters without marks. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['llama3370b', 'llama3_1_70b'],
  ['llama3405b', 'llama3_1_405b'],
  ['deepseekv3671b', 'deepseek_v3'],
  ['qwen25500m', 'qwen2_5_0_5b'],
]);

/** The name of an entry of `std:models` that is written without marks between its parts: `llama3` and `8B`, `qwen3_8b`. */
export function modelOfWords(...words: readonly string[]): string | undefined {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');
  const wanted = bare(words.join(''));
  return publishedModels.find(({ name }) => bare(name) === wanted)?.name ?? spellings.get(wanted);
}

/** Transformer layers of a model, as arrays of its file: `dense[3]`, `moe[58]`. The embedding is before them and the head behind. */
export interface LayerRun {
  readonly name: string;
  readonly count: number;
}

export interface StandardModel {
  readonly name: string;
  readonly runs: readonly LayerRun[];
  readonly first: string;
  readonly last: string;
  readonly layers: number;
  readonly experts: boolean;
  /** Tokens of a sample in its pre-training. */
  readonly sequence: number;
}

/** The second is a model that is not known here: its `config.json` has to describe it. */
export type RecipeModel = StandardModel | { readonly [Key in keyof StandardModel]?: undefined };

/** Expert ranks of a model that may have no experts. Of an unknown model the file is believed. */
export const hasExperts = ({ experts }: RecipeModel, ranks: number): boolean => experts ?? ranks > 1;

/** An entry of `std:models` by its name. */
export function standardModel(name: string): StandardModel {
  const published = publishedModels.find((model) => model.name === name) ?? publishedModels[0];
  const read = readConfiguration(JSON.stringify(published.config));
  const layers = 'faults' in read ? [] : read.layers;
  const runs = layers.slice(1, -1).map((layer) => ({ name: layer.name, count: layer.count ?? 1 }));
  return {
    name: published.name,
    runs,
    first: layers[0]?.name ?? '',
    last: layers.at(-1)?.name ?? '',
    layers: runs.reduce((sum, run) => sum + run.count, 0),
    experts: layers.some(({ args }) => args.experts !== undefined),
    sequence: published.sequence,
  };
}
