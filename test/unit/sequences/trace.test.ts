/** Where operations come from, against marks that are written into the text: a shifted microbatch shows which literal wrote it. */
import { describe, expect, it } from 'vitest';
import type { OperationOrigin, RowTracer } from '../../../engine/definitions/rowTracer.ts';
import { unpack } from '../../../engine/basics/packed.ts';
import type { Packed } from '../../../engine/values/plan.ts';
import { letters } from '../../../engine/values/program.ts';
import { parse, type Span, type SyntaxNode } from '../../../grammar/index.ts';
import { walk } from '../../../grammar/walk.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';
import { anySchedule } from './anySequence.ts';
import { pipelineOf } from './written.ts';

/** Numbers of the operations of a device. */
interface Row {
  readonly kinds: readonly number[];
  readonly stages: readonly number[];
  readonly microbatches: readonly number[];
}

interface Traced {
  readonly rows: readonly Row[];
  readonly tracer: RowTracer;
}

function traced(text: string): Traced | undefined {
  const { plan, tracers } = resolveText(text);
  const [pipeline] = plan.pipelines;
  const tracer = tracers.get('train');
  return pipeline?.schedule.kind === 'rows' && tracer !== undefined
    ? { rows: pipeline.schedule.rows.map(unpacked), tracer }
    : undefined;
}

const unpacked = ({ kinds, stages, microbatches }: Readonly<Record<keyof Row, Packed>>): Row => ({
  kinds: [...unpack(kinds)],
  stages: [...unpack(stages)],
  microbatches: [...unpack(microbatches)],
});

function mustTrace(text: string): Traced {
  const found = traced(text);
  if (found === undefined)
    throw new Error(
      resolveText(text)
        .findings.map(({ message }) => message)
        .join('\n'),
    );
  return found;
}

const nodesOf = (text: string, kind: SyntaxNode['kind']): readonly SyntaxNode[] => {
  const found: SyntaxNode[] = [];
  walk(parse(text), (node) => {
    if (node.kind === kind) found.push(node);
  });
  return found;
};

const shift = 100_000;

/** The text with the microbatches of one literal moved out of the way. */
function shifted(text: string, node: SyntaxNode): string {
  if (node.kind !== 'index') return text;
  const { value } = node.arguments[0];
  const moved = ({ start, end }: Span) => `(${text.slice(start, end)}) + ${shift}`;
  const written =
    value.kind === 'range'
      ? `${moved(value.from)}..${value.exclusive ? '<' : ''}${moved(value.to)}${value.step === undefined ? '' : ` step ${text.slice(value.step.start, value.step.end)}`}`
      : moved(value);
  return text.slice(0, value.start) + written + text.slice(value.end);
}

const isShifted = (row: Row): readonly number[] => row.microbatches.map((microbatch) => (microbatch >= shift ? 1 : 0));

const isWithin = (inner: SyntaxNode, outer: Span): boolean =>
  inner.kind !== 'file' && outer.start <= inner.start && inner.end <= outer.end;

const originsOf = ({ rows, tracer }: Traced, device: number): readonly (OperationOrigin | undefined)[] =>
  rows[device].kinds.map((_, position) => tracer.origin(device, position));

describe('a trace', () => {
  it('says of each operation which literal wrote it, and of each literal which operations it wrote', () => {
    let marked = 0;
    fc.assert(
      fc.property(
        anySchedule,
        fc.integer({ min: 1, max: 2 }),
        fc.integer({ min: 1, max: 4 }),
        ({ lets, row }, devices, microbatches) => {
          const text = pipelineOf(`schedule mine { ${lets}  row(d) = ${row.text} }`, { devices, microbatches });
          const found = traced(text);
          if (found === undefined || found.rows.some(({ kinds }) => kinds.length > 60)) return;
          const origins = found.rows.map((_, device) => originsOf(found, device));
          for (const node of nodesOf(text, 'index')) {
            if (node.kind !== 'index') continue;
            const expected = traced(shifted(text, node))?.rows.map(isShifted);
            expect(expected, shifted(text, node)).toBeDefined();
            for (const [device, marks] of expected?.entries() ?? []) {
              expect([...found.tracer.written(device, [node])], text).toEqual(marks);
              const here = origins[device].map((origin) =>
                origin?.place.start === node.start && origin.place.end === node.end ? 1 : 0,
              );
              expect(here, text).toEqual(marks);
              marked += marks.filter((mark) => mark === 1).length;
            }
          }
        },
      ),
      { numRuns: 30 },
    );
    expect(marked).toBeGreaterThan(15);
  });

  it('says of each expression which operations all that is in it wrote', () => {
    let larger = 0;
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 1, max: 4 }), ({ lets, row }, microbatches) => {
        const text = pipelineOf(`schedule mine { ${lets}  row(d) = ${row.text} }`, { devices: 1, microbatches });
        const found = traced(text);
        if (found === undefined || found.rows[0].kinds.length > 60) return;
        for (const node of ['call', 'list'].flatMap((kind) => nodesOf(text, kind as SyntaxNode['kind']))) {
          if (node.kind === 'file' || !found.tracer.writes(node)) continue;
          const literals = nodesOf(text, 'index').filter((each) => isWithin(each, node));
          if (literals.length < 2) continue;
          const all = literals.toReversed().reduce(shifted, text);
          const expected = traced(all)?.rows[0];
          expect(expected, all).toBeDefined();
          expect([...found.tracer.written(0, [node])], text).toEqual(expected && isShifted(expected));
          larger += 1;
        }
      }),
      { numRuns: 30 },
    );
    expect(larger).toBeGreaterThan(5);
  });

  it('writes as many operations as the plan has, of the same kinds', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 1, max: 3 }), ({ lets, row }, microbatches) => {
        const text = pipelineOf(`schedule mine { ${lets}  row(d) = ${row.text} }`, { devices: 1, microbatches });
        const found = traced(text);
        if (found === undefined || found.rows[0].kinds.length > 200) return;
        const written = nodesOf(text, 'index').filter((node) => node.kind === 'index');
        expect([...found.tracer.written(0, written)], text).toEqual(found.rows[0].kinds.map(() => 1));
        const kinds = originsOf(found, 0).map((origin) => origin?.text.slice(0, 1));
        expect(kinds, text).toEqual(found.rows[0].kinds.map((kind) => letters[kind]));
      }),
      { numRuns: 30 },
    );
  });
});

/** `row(1) › ahead: F[g]; g = 1` of one operation. */
function said({ rows, tracer }: Traced, device: number, operation: string): string {
  const row = rows[device];
  const position = row.kinds.findIndex(
    (kind, at) => `${row.stages[at]}${letters[kind]}${row.microbatches[at]}` === operation,
  );
  const origin = tracer.origin(device, position);
  if (origin === undefined) return 'nothing';
  const numbers = origin.numbers.map(({ name, value }) => `${name} = ${value}`).join(', ');
  return `${[...origin.path, ...(origin.item === '' ? [] : [origin.item])].join(' › ')}: ${origin.text}; ${numbers}`;
}

describe('the origin of an operation', () => {
  const grouped = mustTrace(
    pipelineOf(
      `schedule mine {
        param chunks = 2 in 1..16
        param group = devices in 1..1024
        placement = loop(chunks)
        let groups = ceil(microbatches / group)
        let ahead(n) = each(g in 0..<groups, each(c in 0..<chunks, F[g*group..<(g+1)*group, chunk = c]))
        let warm(d) = 2*(devices-1-d) + (chunks-1)*group
        row(d) = take(warm(d), ahead(d)), drop(warm(d), ahead(d)), [B[0..<microbatches, chunk = 1], B[3..0 step -1, chunk = 0]]
      }`,
      { stages: 4 },
    ),
  );
  const forward = 'F[g*group..<(g+1)*group, chunk = c]';
  it.each([
    [
      0,
      '0F0',
      `row(0) › ahead(0) › take(warm(d), ahead(d)): ${forward}; d = 0, n = 0, g = 0, c = 0, warm(0) = 4, groups = 2, chunks = 2, group = 2`,
    ],
    [
      1,
      '3F1',
      `row(1) › ahead(1) › drop(warm(d), ahead(d)): ${forward}; d = 1, n = 1, g = 0, c = 1, warm(1) = 2, groups = 2, chunks = 2, group = 2`,
    ],
    [
      1,
      '1B2',
      'row(1) › [B[0..<microbatches, chunk = 1], B[3..0 step -1, chunk = 0]]: B[3..0 step -1, chunk = 0]; d = 1',
    ],
  ])('on device %i of %s', (device, operation, text) => {
    expect(said(grouped, device, operation)).toBe(text);
  });

  it('is a literal alone where nothing is around it', () => {
    expect(
      said(mustTrace(pipelineOf('schedule mine { row(0) = F[0..3], B[0..3]  row(d) = F[0], B[0] }')), 0, '0B2'),
    ).toBe('row(0): B[0..3]; ');
  });

  it('is the slot of its kind in a clock table, with its number', () => {
    const table = mustTrace(
      pipelineOf('schedule mine { period = 2  slot(F, k) = k  slot(B, k) = 2*devices - 1 - k + 2*0 }', { devices: 2 }),
    );
    expect(said(table, 1, '1F3')).toBe(': slot(F, k) = k; k = 1, microbatch = 3, slot = 7');
    expect([...table.tracer.written(0, [table.tracer.origin(0, 0)?.place ?? { start: 0, end: 0 }])]).toEqual(
      table.rows[0].kinds.map((kind) => (kind === 0 ? 1 : 0)),
    );
  });

  it('is nothing behind the end of a row', () => {
    expect(grouped.tracer.origin(0, grouped.rows[0].kinds.length)).toBeUndefined();
    expect(grouped.tracer.origin(0, -1)).toBeUndefined();
  });
});
