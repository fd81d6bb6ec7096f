import { expect, it } from 'vitest';
import { fillOf } from '../../../engine/drawing/blockShapes.ts';
import { inks, mostShade, numberColour, shaded } from '../../../engine/drawing/ink.ts';
import { E, kindOf, L, letters, stageOf } from '../../../engine/values/program.ts';
import { good } from '../cli/harness.ts';
import { runOf } from '../../support/analyse.ts';
import { blocksIn, readStrictly, svgOf } from './figure.ts';

const under = (schedule: string, stages = 4) =>
  runOf(good.replace('balance(4)', `balance(${stages})`).replace('= 1f1b', `= ${schedule}`));

it('gives each chunk of a device its shade, and the legend a swatch of all', () => {
  const { plan, run } = under('interleaved_1f1b', 8);
  const { program } = run;
  const blocks = blocksIn(svgOf(plan, run));
  for (const [position, word] of program.order.entries()) {
    if (letters[kindOf(program, word)] !== 'F') continue;
    const shade = stageOf(program, word) < 4 ? 0 : 1;
    expect(blocks[position].parts[0].fill).toBe(fillOf('forward', shade));
  }
  expect(fillOf('forward', 1)).not.toBe(fillOf('forward'));
  const text = svgOf(plan, run);
  expect(text).toContain('>paler: later stage of the device</text>');
  expect(svgOf(under('1f1b').plan, under('1f1b').run)).not.toContain('paler');
});

/** Contrast of two colours after WCAG 2. */
function contrast(one: string, other: string): number {
  const light = (colour: string): number =>
    [1, 3, 5].reduce((sum, at, index) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return (
        sum + (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4) * [0.2126, 0.7152, 0.0722][index]
      );
    }, 0);
  const [most, least] = [light(one), light(other)].toSorted((a, b) => b - a);
  return (most + 0.05) / (least + 0.05);
}

it('writes numbers on the colours of work that can be read in every shade', () => {
  const { plan, run } = under('1f1b');
  expect(svgOf(plan, run)).toContain('fill="#2f5d9e"');
  const colours = { forward: '#2f5d9e', backward: '#e3a24a', backwardInput: '#e3a24a', backwardWeight: '#bfe6d8' };
  for (const ink of inks)
    for (let shade = 0; shade <= mostShade; shade += 1)
      if (ink in colours) {
        const colour = shaded(colours[ink as keyof typeof colours], shade);
        expect(contrast(colour, numberColour(ink, shade)), `${ink} ${shade}`).toBeGreaterThan(3.5);
      }
});

it('marks each activation that leaves a device or is back, if that takes no time there', () => {
  const { plan, run } = under('bpipe');
  const kinds = [...run.program.order].map((word) => kindOf(run.program, word));
  const [evicted, loaded] = [E, L].map((kind) => kinds.filter((found) => found === kind).length);
  const svg = svgOf(plan, run);
  expect(evicted).toBeGreaterThan(0);
  // One more is in the legend.
  expect([...svg.matchAll(/class="evicts"/g)]).toHaveLength(evicted + 1);
  expect([...svg.matchAll(/class="loads"/g)]).toHaveLength(loaded + 1);
  expect(svg).toContain('>activation leaves</text>');
  expect(svgOf(under('1f1b').plan, under('1f1b').run)).not.toMatch(/class="(?:evicts|loads)"/);
});

it('says on a page what each device holds at most, and of which limit', async () => {
  const held = (schedule: string): readonly string[] => {
    const { plan, run } = under(schedule);
    const [, column = ''] = /<g class="held">([^]*?)<\/g>/.exec(svgOf(plan, run, { page: true })) ?? [];
    return [...column.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text);
  };
  expect(held('1f1b')).toEqual(['4', '3', '2', '1', 'holds']);
  expect(held('dapple(in_flight = 2)')).toEqual(['2 of 2', '2 of 2', '2 of 2', '1 of 2', 'holds']);
  const { plan, run } = under('1f1b');
  const page = svgOf(plan, run, { page: true });
  expect(page).toContain('@media (prefers-color-scheme:dark)');
  await readStrictly(page);
  expect(svgOf(plan, run)).not.toMatch(/<style|class="held"/);
});
