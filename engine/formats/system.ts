/** Descriptions of machines in any format that this project reads, recognised by their content. */
import { isAiconfigurator, readAiconfigurator } from './aiconfigurator/read.ts';
import { isCalculon, readCalculon } from './calculon/read.ts';
import type { TextFault } from './fault.ts';
import type { System } from './system/model.ts';

export interface SystemRead extends System {
  /** The format, as messages call it. */
  readonly format: string;
}

interface SystemFormat {
  readonly name: string;
  is(text: string): boolean;
  read(text: string): System | { readonly faults: readonly TextFault[] };
}

const calculon: SystemFormat = { name: 'system of Calculon', is: isCalculon, read: readCalculon };
const aiconfigurator: SystemFormat = {
  name: 'system of aiconfigurator',
  is: isAiconfigurator,
  read: readAiconfigurator,
};
const formats: readonly SystemFormat[] = [calculon, aiconfigurator];

/** Whether a text looks like a system of a format that `readSystem` knows. */
export const isKnownSystem = (text: string): boolean => formats.some((format) => format.is(text));

/** The device and the networks of a system, or what is wrong with it. A text of no known format is read as JSON if it starts with a brace. */
export function readSystem(text: string): SystemRead | { readonly faults: readonly TextFault[] } {
  const format =
    formats.find((systemFormat) => systemFormat.is(text)) ?? (/^\uFEFF?\s*\{/.test(text) ? calculon : aiconfigurator);
  const read = format.read(text);
  return 'faults' in read ? read : { ...read, format: format.name };
}
