/** Inks of a figure on paper. In grey they are dark, middle, light with dots and so on, so that a black-and-white print tells them apart. */

export const inks = [
  'forward',
  'recompute',
  'backward',
  'backwardInput',
  'backwardWeight',
  'transfer',
  'collective',
  'optimizer',
] as const;
export type Ink = (typeof inks)[number];

interface InkLook {
  readonly colour: string;
  /** Colour of a number on it. */
  readonly text: string;
  /** As the legend calls it. */
  readonly name: string;
  /** Marks over the colour: they survive a print in grey. */
  readonly marks?: 'dots' | 'strokes';
}

/** Lightness L*: 39, 57, 71, 71, 88, 80, 48, 93. Those that are near each other differ in marks. */
export const inkLooks: Readonly<Record<Ink, InkLook>> = {
  forward: { colour: '#2f5d9e', text: '#ffffff', name: 'forward' },
  recompute: { colour: '#2f5d9e', text: '#ffffff', name: 'recompute', marks: 'strokes' },
  backward: { colour: '#e3a24a', text: '#000000', name: 'backward' },
  backwardInput: { colour: '#e3a24a', text: '#000000', name: 'backward, input' },
  backwardWeight: { colour: '#bfe6d8', text: '#000000', name: 'backward, weight', marks: 'dots' },
  transfer: { colour: '#cfbfe6', text: '#000000', name: 'transfer', marks: 'strokes' },
  collective: { colour: '#a45a78', text: '#ffffff', name: 'gradient synchronisation' },
  optimizer: { colour: '#f2ecb8', text: '#000000', name: 'optimizer step' },
};
