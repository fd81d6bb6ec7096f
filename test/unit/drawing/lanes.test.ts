import { describe, expect, it } from 'vitest';
import { traceParts } from '../../../engine/drawing/trace.ts';
import { analyse } from '../../support/analyse.ts';
import { frontFirst, toyExchange as toy } from '../support/toyExchange.ts';
import { axisIn, made, readStrictly, svgOf } from './figure.ts';

const ordered = toy(frontFirst);
const servers = toy('sync = p3  collective = ps(servers = 2, link = 10GB/s)');

function shown(text: string) {
  const [{ plan, run }] = analyse(text).pipelines;
  if (run === undefined) throw new Error('no run');
  return { plan, run };
}

const piecesIn = (svg: string) =>
  [...svg.matchAll(/<rect class="piece" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)].map(([, x, y, width]) => ({
    x: Number(x),
    y: Number(y),
    width: Number(width),
  }));

describe('a figure', () => {
  it('has every piece under its device, also of the iteration before, and the end of the period', async () => {
    const { plan, run } = shown(ordered);
    const svg = svgOf(plan, run);
    await readStrictly(svg);
    const [left, right] = axisIn(svg);
    // The next iteration begins after 9.2 ms and computes for 6 ms.
    const seconds = 15.2e-3;
    // Of the iteration before, the last two pieces end after the start; of the next one, two begin before the figure's end.
    const moments = [
      [0, 0.8e-3],
      [0.8e-3, 2e-3],
      ...[0, 1, 2, 3, 4, 5].map((piece) => [4e-3 + piece * 1.2e-3, 5.2e-3 + piece * 1.2e-3]),
      [13.2e-3, 14.4e-3],
      [14.4e-3, 15.2e-3],
    ];
    const found = piecesIn(svg);
    expect(found).toHaveLength(moments.length);
    moments.forEach(([from, to], index) => {
      expect(found[index].x).toBeCloseTo(left + (from / seconds) * (right - left), 2);
      expect(found[index].width).toBeCloseTo(((to - from) / seconds) * (right - left), 2);
    });
    expect(svg).toContain(
      `<path class="period" d="M${Math.round((left + (9.2 / 15.2) * (right - left)) * 1000) / 1000} `,
    );
    expect(svg).toContain('>back</text>');
    expect(svg).toContain('period 9.2 ms');
    const next = svg.slice(svg.indexOf('<g class="next"'));
    const [, shift] = /translate\(([\d.]+) 0\)/.exec(next) ?? [];
    expect(Number(shift)).toBeCloseTo((9.2 / 15.2) * (right - left), 2);
    expect(next.match(/<rect [^>]*>/g)?.[0]).toBe(
      svg.slice(svg.indexOf('<g class="blocks"')).match(/<rect [^>]*>/g)?.[0],
    );
  });

  it('names layers, calls and the next iteration in its legend', () => {
    const legendIn = (text: string): readonly string[] => {
      const { plan, run } = shown(text);
      const svg = svgOf(plan, run);
      const legend = svg.slice(svg.indexOf('class="legend"'), svg.indexOf('class="caption"'));
      return [...legend.matchAll(/>([^<>\n]+)<\/text>/g)].map(([, name]) => name);
    };
    const work = ['forward', 'backward, input', 'backward, weight'];
    const layers = ['front', 'mid', 'back'].map((layer) => `gradients of ${layer}`);
    expect(legendIn(ordered)).toEqual([...work, ...layers, 'call', 'paler: next iteration']);
    // With a barrier the figure ends with the iteration, and plain rings take no time for a call.
    expect(legendIn(toy('sync = ddp'))).toEqual([...work, 'gradient synchronisation', ...layers]);
    expect(legendIn(toy(''))).toEqual([...work, 'gradient synchronisation']);
    const many = toy('sync = ddp').replace('layer mid  ', 'layer mid[8]');
    expect(legendIn(many).at(-1)).toBe('gradients of layers, from the front, number modulo 8');
  });

  it('has a row for pushes and one for pulls', () => {
    const { plan, run } = shown(servers);
    expect(new Set(piecesIn(svgOf(plan, run)).map(({ y }) => y)).size).toBe(2);
  });

  it('joins pieces that are too narrow to be seen apart', () => {
    const { plan, run } = shown(toy('sync = overlap(order = forward, barrier = false, partition = 1KB)'));
    const { length } = run.timeline.exchange?.lanes[0].sent ?? { length: 0 };
    expect(length).toBeGreaterThan(2);
    expect(piecesIn(svgOf(plan, run)).length).toBeLessThan(3 * 4 * 504);
  });

  it('has no lanes where no rule orders an exchange', () => {
    const { plan, run } = shown(toy(''));
    expect(svgOf(plan, run)).not.toContain('class="lanes"');
  });
});

describe('a trace', () => {
  it.each([
    [ordered, ['gradients']],
    [servers, ['pushes', 'pulls']],
    [toy('sync = dear'), ['scatters', 'gathers']],
  ])('has the pieces of a lane as slices of a thread', (text, names) => {
    const { plan, run } = shown(text);
    const { traceEvents } = JSON.parse([...traceParts(plan, run, made)].join('')) as {
      traceEvents: readonly {
        ph: string;
        name: string;
        tid: number;
        ts: number;
        dur: number;
        cat: string;
        args: { name?: string; pieces: number };
      }[];
    };
    const threads = traceEvents.filter(({ name, tid }) => name === 'thread_name' && tid >= 2);
    expect(threads.map(({ args }) => args.name)).toEqual(names);
    const slices = traceEvents.filter(({ cat }) => cat === 'exchange');
    const lane = run.timeline.exchange?.lanes[0];
    const legs = [lane?.sent, lane?.back].flatMap((leg) => leg ?? []);
    expect(slices).toHaveLength(legs.reduce((sum, { length }) => sum + length, 0));
    legs.forEach((leg, index) => {
      const of = slices.filter(({ tid }) => tid === 2 + index);
      of.forEach(({ ts, dur, args }, row) => {
        expect(ts).toBeCloseTo(leg.start[row] * 1e6, 2);
        expect(ts + dur).toBeCloseTo(leg.end[row] * 1e6, 2);
        expect(args.pieces).toBe(leg.count[row]);
      });
    });
  });
});
