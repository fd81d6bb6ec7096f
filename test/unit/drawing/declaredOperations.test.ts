import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { timelineText } from '../../../cli/drawing/timeline.ts';
import { traceParts } from '../../../engine/drawing/trace.ts';
import { inkLook, inkOfDeclared, inks, isOperationInk } from '../../../engine/drawing/ink.ts';
import { smallTimeline } from '../../../engine/drawing/smallTimeline.ts';
import { mostDeclared } from '../../../engine/values/program.ts';
import { ciede2000, labOf, type Sight, sights } from '../webview/ciede2000.ts';
import { runOf } from '../../support/analyse.ts';
import { blocksIn, svgOf } from './figure.ts';

/** Two devices; the last computes a loss. With `data` ranks, gradients are exchanged at the end. */
const fileOf = (ranks: number): string => `
device x { memory = 80GiB }
cluster box { gpu[${2 * ranks}] = x  link = 10GB/s + 1ms }
model m { layer a[2] { forward = 4ms  backward = 8ms  weights = 1GiB  output = 10MB } }
schedule mine {
  operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }
  row(d) = F[0..<microbatches], if(d == devices - 1, loss[0..<microbatches], []), B[0..<microbatches]
}
pipeline train { model = m  devices = box  data = ${ranks}  microbatches = 2  stages = balance(2)  schedule = mine }
`;

describe('operations that a schedule declares', () => {
  const { plan, run } = runOf(fileOf(1));
  it('are in the legend of the text by name', () => {
    const text = timelineText(run, ['gpu[0]', 'gpu[1]'], 100, picocolors.createColors(false));
    expect(text).toContain('# loss ');
  });

  it('are in the legend of a figure by name, next to exchanges of gradients only if there are any', () => {
    const figure = svgOf(plan, run);
    expect(figure).toContain('>loss</text>');
    expect(figure).not.toContain('gradient synchronisation');
    const both = runOf(fileOf(2));
    const drawn = svgOf(both.plan, both.run);
    expect(drawn).toContain('>loss</text>');
    expect(drawn).toContain('>gradient synchronisation</text>');
  });

  it('are slices of a category of their own in a trace', () => {
    const trace = [...traceParts(plan, run, { file: 'a.pipe', version: '1' })].join('');
    expect([...trace.matchAll(/"name":"(\w+)","cat":"operation"/g)].map(([, name]) => name)).toEqual([
      '1loss0',
      '1loss1',
    ]);
  });
});

const names = Array.from({ length: mostDeclared }, (_, number) => `work_${number}`);
/** As many operations as a schedule may declare, one after the other on one device. */
const all = runOf(`
device x { memory = 80GiB }
cluster box { gpu[1] = x }
model m { layer a { forward = 4ms  backward = 8ms  weights = 1GiB  output = 10MB } }
schedule mine {
  ${names.map((name) => `operation ${name} { time = 8ms }`).join('\n  ')}
  row(d) = F[0], ${names.map((name) => `${name}[0]`).join(', ')}, B[0]
}
pipeline train { model = m  devices = box  microbatches = 1  stages = balance(1)  schedule = mine }
`);

describe('as many operations as a schedule may declare', () => {
  it('differ in a figure by colour or marks, from each other and from all other work', () => {
    const figure = svgOf(all.plan, all.run);
    const fills = blocksIn(figure).flatMap(({ parts }) => parts.map(({ fill }) => fill));
    expect(fills).toHaveLength(mostDeclared + 3);
    expect(new Set(fills).size).toBe(fills.length);
    const looks = inks.map((ink) => {
      const { colour, marks } = inkLook(ink);
      return `${colour} ${marks ?? ''}`;
    });
    // Input gradients have the colour of whole backwards.
    expect(new Set(looks).size).toBe(looks.length - 1);
    for (const name of names) expect(figure).toContain(`>${name}</text>`);
  });

  it('differ in a print in grey: by marks from other work, by lightness from each other', () => {
    const sorts = new Map<string, number[]>();
    const others = inks.filter((ink) => !isOperationInk(ink)).map((ink) => inkLook(ink).marks);
    for (const number of names.keys()) {
      const { colour, marks = '' } = inkLook(inkOfDeclared(number));
      expect(others).not.toContain(marks);
      const [lightness] = labOf(rgbOf(colour), 'normal');
      sorts.set(marks, [...(sorts.get(marks) ?? []), lightness]);
    }
    for (const lights of sorts.values()) {
      lights.sort((a, b) => a - b);
      for (const [at, light] of lights.slice(1).entries()) expect(light - lights[at]).toBeGreaterThan(8);
    }
  });

  it('stay apart on paper for every sight', () => {
    const colours = [...new Set(names.map((_, number) => inkLook(inkOfDeclared(number)).colour))];
    for (const sight of Object.keys(sights) as Sight[])
      for (const [at, one] of colours.entries())
        for (const other of colours.slice(at + 1))
          expect(ciede2000(labOf(rgbOf(one), sight), labOf(rgbOf(other), sight))).toBeGreaterThan(9);
  });

  it('have a mark each in the text, and their names in its legend', () => {
    const [, row = '', , legend = ''] = timelineText(all.run, ['gpu[0]'], 160, picocolors.createColors(false)).split(
      '\n',
    );
    const marks = [...legend.matchAll(/(\S) work_\d+/g)].map(([, mark]) => mark);
    expect(new Set(marks).size).toBe(mostDeclared);
    for (const mark of marks) expect(row).toContain(`${mark}0`);
    const coloured = timelineText(all.run, ['gpu[0]'], 160, picocolors.createColors(true)).split('\n')[1];
    for (const mark of marks) expect(coloured).toContain(`${mark}0`);
  });

  it('are a mixture where a character holds several of them', () => {
    // 140 ms in 20 characters of 7 ms; operation n runs from 4 + 8n to 12 + 8n ms. Wholly within one are the characters at 21, 28, 77
    // and 84 ms (n = 2, 3, 9, 10), and the last one, within the backward.
    const [, row] = timelineText(all.run, ['gpu[0]'], 20 + 10, picocolors.createColors(false)).split('\n');
    expect(row).toBe('  gpu[0]  xxx&@xxxxxx:;xxxxxxB');
  });

  it('have colours in the timeline of a hover', () => {
    const pictures = names.map((_, number) => {
      const { plan, run } = runOf(fileWith(number));
      return smallTimeline(plan, run);
    });
    expect(new Set(pictures).size).toBe(6);
  });
});

const rgbOf = (colour: string): readonly [number, number, number] => {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

/** The only operation that runs is the one of this number. */
const fileWith = (number: number): string => `
device x { memory = 80GiB }
cluster box { gpu[1] = x }
model m { layer a { forward = 4ms  backward = 8ms  weights = 1GiB  output = 10MB } }
schedule mine {
  ${names.map((name) => `operation ${name} { time = 8ms }`).join('\n  ')}
  row(d) = F[0], ${names[number]}[0], B[0]
}
pipeline train { model = m  devices = box  microbatches = 1  stages = balance(1)  schedule = mine }
`;
