import type { Rgb } from './colour.ts';

const hues = (...words: readonly number[]): readonly Rgb[] =>
  words.map((word): Rgb => [word >> 16, (word >> 8) & 255, word & 255]);

/**
 * Eight colours for things without a hue: microbatches (number modulo 8) and versions of weights. Every pair
 * differs by a CIEDE2000 of 18.3 or more for normal, protan, deutan and tritan sight (Machado et al. 2009, severity 1), and
 * neighbours by 21.2. Each reads at 3:1 on the ground and carries a label in white or #101418 at 4.5:1.
 */
export const huesOf = {
  dark: hues(0xacf1bf, 0x077e65, 0xb688ff, 0xd2ea09, 0xd086a1, 0xe01d05, 0x865f9f, 0xffcdfd),
  light: hues(0xaf8e07, 0x1b7358, 0x947eff, 0xec3d7d, 0x73165e, 0x03a39a, 0x5f38d7, 0xa11604),
  highContrast: hues(0xaa52f4, 0xff9f8c, 0xbeadf6, 0xe8307d, 0x67ffe7, 0x8a8500, 0x069b98, 0xfeea00),
  highContrastLight: hues(0xbe64ff, 0x0b6f55, 0x9a9100, 0x762dcc, 0x9e0800, 0x2ea19c, 0x6f0758, 0xe33e7a),
} as const;
