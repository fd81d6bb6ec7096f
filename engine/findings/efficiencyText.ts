/** What `device/efficiency` says: on what the times of derived layers rest. */
import { share } from '../basics/quantities.ts';

export type EfficiencyFacts = { readonly device: string } & (
  | { readonly guess: number }
  | { readonly reached: number }
  | { readonly format: string; readonly shared: number }
  /** No published run was fitted in this format, or only runs that scale whole tensors. */
  | { readonly format: string; readonly level: 'guess' | 'tensor' }
);

const percent = (value: number): string => `${Number((100 * value).toPrecision(3))} %`;

const calibrate = '`pipewright calibrate` writes the times of your run';

export function efficiencyText(facts: EfficiencyFacts): string {
  const { device } = facts;
  if ('guess' in facts)
    return `Times on ${device} rest on a guess, \`efficiency = ${percent(facts.guess).replace(' %', '%')}\`: no published run was fitted. Measure a layer, and set \`efficiency\` in a device \`from\` this one.`;
  if ('reached' in facts)
    return `Layers run at all of the \`compute\` of "${device}", because it has no \`efficiency\`: the pipeline reaches ${share(facts.reached)} of the peak. Published runs reach 30 % to 60 %. Set \`efficiency\`, or take a device of \`std:hardware\`.`;
  const { format } = facts;
  const way = `Set \`efficiency(${format})\` in a device \`from\` this one, or calibrate: ${calibrate}.`;
  if ('shared' in facts)
    return `"${device}" has no \`efficiency(${format})\`: products in ${format} are taken to reach ${percent(facts.shared)} of their peak, as in other formats. ${way}`;
  return facts.level === 'guess'
    ? `The share of the peak that ${device} reaches in ${format} is a guess: no published run in this format was fitted. ${way}`
    : `Times in ${format} are of products with one scale for a tensor. With scales for blocks (MXFP8) published runs were 4 to 6 % slower, with scales for rows (torchtitan) 26 to 34 %. If you use those: ${way.replace('Set', 'set')}`;
}
