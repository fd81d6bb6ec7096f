/** Descriptions of machines in any format that this project reads, told apart by their content. */
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

/** Whether a text looks like a system of a format that `readSystem` knows. */
export const isKnownSystem = (text: string): boolean => isCalculon(text) || isAiconfigurator(text);

/** The device and the networks of a system, or what is wrong with it. What starts with a brace is read as JSON. */
export function readSystem(text: string): SystemRead | { readonly faults: readonly TextFault[] } {
  const format =
    isCalculon(text) || (/^\uFEFF?\s*\{/.test(text) && !isAiconfigurator(text)) ? calculon : aiconfigurator;
  const read = format.read(text);
  return 'faults' in read ? read : { ...read, format: format.name };
}
