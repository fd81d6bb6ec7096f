import { CompletionItemKind } from 'vscode-languageserver';
import { collectives } from '../../engine/exchange/collectives.ts';
import { localRule } from '../../engine/exchange/local.ts';
import { exchangePresets, findPreset } from '../../engine/exchange/presets.ts';
import { pipelineBody, valueOf } from '../../engine/fixes/source.ts';
import { cutStages } from '../../engine/costs/stages.ts';
import { type Base, type Choice, fileWith } from './choice.ts';
import type { Offer } from './offer.ts';
import type { SimulatedKey, ValueSlot } from './slot.ts';

/** Rules with sizes that the engine finds: what to write where the published sizes do not suit the file. */
const tunedRules: readonly { readonly text: string; readonly doc: string }[] = [
  { text: 'overlap(bucket = best)', doc: 'The buckets that make the iteration shortest.' },
  {
    text: 'overlap(order = forward, partition = best, barrier = false)',
    doc: 'What the next forward needs first goes first, in pieces of the size that makes the iteration shortest. No barrier.',
  },
  {
    text: 'bytescheduler(partition = best, credit = best)',
    doc: 'ByteScheduler, with the pieces and the credit that make the iteration shortest.',
  },
];

/** Whether gradients go through servers, which are as many as the ranks by default. Some rules do if the file names no collective. */
const usesServers = (key: SimulatedKey, name: string, hasCollective: boolean): boolean =>
  key === 'collective' ? name === 'ps' : !hasCollective && findPreset(name)?.collective !== undefined;

/** Rules of exchange, or collectives. A table needs a file, so it has no figures. */
export function exchangeChoices(slot: ValueSlot, { analysis, plan }: Base): readonly Choice[] {
  const { key } = slot;
  const names =
    key === 'sync'
      ? ['end', ...exchangePresets.map(({ name }) => name), ...tunedRules.map(({ text }) => text), localRule.name]
      : collectives.flatMap(({ name }) => (name === 'table' ? [] : name));
  const body = pipelineBody(analysis.syntax, slot.pipeline);
  const hasCollective = body !== undefined && valueOf(body, 'collective') !== undefined;
  const replicas = plan.data * plan.context;
  const ownMeshes = plan.devices.some(({ mesh }) => mesh !== undefined);
  return names.map((text) => ({
    key,
    name: text,
    text,
    file: () => fileWith(slot, text),
    devices: plan.devices.length,
    stages: cutStages(plan).length,
    long: false,
    ...(key === 'sync' && replicas === 1 && !ownMeshes
      ? { idle: 'No gradients are exchanged here: each weight is on one data rank.' }
      : text === localRule.name
        ? { idle: 'Islands train differently from ranks that exchange all gradients, so the times do not compare.' }
        : {}),
    ...(usesServers(key, text, hasCollective) ? { servers: replicas } : {}),
  }));
}

/** Offers of rules with sizes that the engine finds. They are functions with arguments, which no name stands for. */
export const tunedOffers = (choices: readonly Choice[]): readonly Offer[] =>
  tunedRules.flatMap(({ text, doc }) =>
    choices.some(({ name }) => name === text) ? { label: text, kind: CompletionItemKind.Function, doc } : [],
  );
