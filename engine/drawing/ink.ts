/** Inks of a figure on paper. In grey they are dark, middle, light with dots and so on, so that a black-and-white print tells them apart. */

import { mostDeclared, operationColours } from '../values/program.ts';

export type OperationInk = `operation${number}`;
/** Of operations that a schedule declares, by number: as many as it may declare. */
const operationInks = Array.from({ length: mostDeclared }, (_, number): OperationInk => `operation${number}`);
export const inkOfDeclared = (declared: number): OperationInk => operationInks[declared];

/** Kinds of work, each with its ink. */
export const inks = [
  'forward',
  'recompute',
  'backward',
  'backwardInput',
  'backwardWeight',
  'transfer',
  'collective',
  'optimizer',
  ...operationInks,
] as const;
export type Ink = (typeof inks)[number];

interface InkLook {
  readonly colour: string;
  /** Colour of a number on it. */
  readonly text: string;
  /** As the legend calls it. */
  readonly name: string;
  /** Marks over the colour: they survive a print in grey. */
  readonly marks?: InkMarks;
}
export type InkMarks = 'dots' | 'strokes' | OperationMarks;
/** Their lines keep away from the strokes of other work. */
type OperationMarks = 'bars' | 'lines' | 'squares';

/** Lightness L*: 39, 57, 71, 71, 88, 80, 48, 93. Those that are near each other differ in marks. */
const workLooks: Readonly<Record<Exclude<Ink, OperationInk>, InkLook>> = {
  forward: { colour: '#2f5d9e', text: '#ffffff', name: 'forward' },
  recompute: { colour: '#2f5d9e', text: '#ffffff', name: 'recompute', marks: 'strokes' },
  backward: { colour: '#e3a24a', text: '#000000', name: 'backward' },
  backwardInput: { colour: '#e3a24a', text: '#000000', name: 'backward, input' },
  backwardWeight: { colour: '#bfe6d8', text: '#000000', name: 'backward, weight', marks: 'dots' },
  transfer: { colour: '#cfbfe6', text: '#000000', name: 'transfer', marks: 'strokes' },
  collective: { colour: '#a45a78', text: '#ffffff', name: 'gradient synchronisation' },
  optimizer: { colour: '#f2ecb8', text: '#000000', name: 'optimizer step' },
};

/** Of declared operations: lightness L* 28, 42, 53, 64, 73, 83. */
const operationLooks = [
  { colour: '#7a1f2b', text: '#ffffff' },
  { colour: '#1f6f5c', text: '#ffffff' },
  { colour: '#8070c8', text: '#ffffff' },
  { colour: '#84a63c', text: '#000000' },
  { colour: '#eb9cba', text: '#000000' },
  { colour: '#9fd6f0', text: '#000000' },
] as const;
/** The seventh operation has the colour of the first one, under other marks. */
const operationMarks: readonly OperationMarks[] = ['bars', 'lines', 'squares'];

/** Look of an ink. `declared`: names of the operations that the schedule declares. */
export function inkLook(ink: Ink, declared: readonly string[] = []): InkLook {
  if (!isOperationInk(ink)) return workLooks[ink];
  const number = Number(ink.slice('operation'.length));
  const look = operationLooks[number % operationColours];
  return { ...look, name: declared[number] ?? '', marks: operationMarks[Math.trunc(number / operationColours)] };
}

/** Shades of an ink: the first chunk of a device has the ink, each later one is paler, and all after the fourth are alike. */
export const mostShade = 3;

/** A colour `#rrggbb`, a step nearer to white for each shade. */
export function shaded(colour: string, shade: number): string {
  const paler = (at: number): string => {
    const byte = Number.parseInt(colour.slice(at, at + 2), 16);
    return Math.round(byte + (255 - byte) * 0.24 * shade)
      .toString(16)
      .padStart(2, '0');
  };
  return shade === 0 ? colour : `#${paler(1)}${paler(3)}${paler(5)}`;
}

/** Colour of a number on an ink of a shade: white is not read on the paler half. */
export const numberColour = (ink: Ink, shade: number): string => (shade > 1 ? '#000000' : inkLook(ink).text);

export const isOperationInk = (ink: Ink): ink is OperationInk => ink.startsWith('operation');
