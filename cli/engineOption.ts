import { defaultOptions, type EngineOptions } from '../engine/basics/host.ts';
import { anyEngine, engines, findEngine } from '../engine/engines/registry.ts';
import type { Resolution } from '../engine/language/resolution.ts';
import { printable } from '../server/text/printable.ts';
import type { Arguments, OptionSpec } from './arguments.ts';

const names = [...engines.map(({ name }) => name), anyEngine];

/** Of every command that says what an engine does not run, or leaves it out. */
export const engineOption: OptionSpec = {
  name: 'engine',
  value: names.join('|'),
  choices: names,
  doc: 'The training engine of pipelines without `engine`: what it does not run is reported, and nothing else is offered. Default: any.',
};

/** The usual options, with the engine that the call names. */
export function optionsWith(args: Arguments): EngineOptions {
  const engine = findEngine(args.value('engine') ?? anyEngine);
  return engine === undefined ? defaultOptions : { ...defaultOptions, engine: engine.name };
}

/** Pipelines that name another engine than the call: `--engine` is for those that name none. */
export function engineRemark(args: Arguments, { settled }: Pick<Resolution, 'settled'>, file: string): string {
  const asked = args.value('engine');
  if (asked === undefined) return '';
  const others = [...settled.values()].filter(({ engine }) => engine !== undefined && engine !== asked);
  return others
    .map(
      ({ name, engine }) =>
        `pipewright: ${file}: --engine ${asked} is not used for "${printable(name)}", which has \`engine = ${engine}\`.\n`,
    )
    .join('');
}
