/** Schedules that a preview shows without a pipeline. */
import { describe, expect, it } from 'vitest';
import type { CodeLens } from 'vscode-languageserver';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { paths } from '../../../engine/values/plan.ts';
import { F } from '../../../engine/values/program.ts';
import {
  type BlocksAnswer,
  type LocateAnswer,
  methods,
  type OriginAnswer,
  type ParamEditAnswer,
  type PathsAnswer,
  type PlanAnswer,
  type ShownSchedule,
} from '../../../webview/protocol/requests.ts';
import { hoverAt } from '../../support/asked.ts';
import { applyEdits, main, positionAt, slice, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const mine = `schedule mine {
  param warm = 2 in 1..4
  require microbatches >= warm
  row(d) = F[0..<warm+d], B[0..<microbatches], F[warm+d..<microbatches]
}
`;
const test = 'expect mine { over(devices = 1..2, microbatches = 1..3, warm = 1..2)  valid }\n';
const library = `${mine}${test}`;

const asked = (source: string, overrides: Record<string, number> = {}): Promise<PlanAnswer> =>
  withClient(async (client) => {
    client.open(main, source);
    await client.diagnostics(main);
    return client.request<PlanAnswer>('pipewright/plan', { uri: main, overrides });
  });
const shown = ({ schedules }: PlanAnswer, name = 'mine'): ShownSchedule | undefined =>
  schedules?.find((schedule) => schedule.name === name);

describe('a library', () => {
  it('has a plan of equal stages for each of its schedules, with the numbers of its shape to turn', async () => {
    const answer = await asked(`${library}schedule other { order = greedy(prefer = [B, F]) }\n`);
    expect(answer.problem).toBeUndefined();
    expect(
      answer.plan?.pipelines.map(({ name, devices, microbatches }) => [name, devices.length, microbatches]),
    ).toEqual([
      ['mine', 2, 3],
      ['other', 4, 8],
    ]);
    expect(answer.plan?.params.map(({ name, value, min, max }) => [name, value, min, max])).toEqual([
      ['mine.devices', 2, 1, 8],
      ['mine.microbatches', 3, 1, 16],
      ['mine.warm', 2, 1, 4],
      ['other.devices', 4, 1, 8],
      ['other.microbatches', 8, 1, 16],
    ]);
    // Everything is finite: a message carries no infinity.
    expect(JSON.parse(JSON.stringify(answer.plan))).toEqual(answer.plan);
    expect(answer.contents).toBeUndefined();
  });

  it('says for each shape of the test whether it passes, fails or is refused', async () => {
    // warm + d forwards come first: with more devices than microbatches leave, a device runs forwards twice or waits for itself.
    const found = shown(await asked(library));
    expect(found?.axes.map(({ name, values }) => [name, values])).toEqual([
      ['devices', [1, 2]],
      ['microbatches', [1, 2, 3]],
      ['warm', [1, 2]],
    ]);
    const letter = (p: number, m: number, warm: number): string => {
      if (m < warm) return 'r';
      // By hand: device d runs F[0..<warm+d] first; the row names microbatches that are not there if warm + d > m.
      if (p === 2 && warm + 1 > m) return 'f';
      // All backwards come before the other forwards, which they need.
      return m > warm ? 'f' : 'p';
    };
    const all = [1, 2].flatMap((p) => [1, 2, 3].flatMap((m) => [1, 2].map((warm) => letter(p, m, warm))));
    expect(found?.verdicts).toBe(all.join(''));
  });

  it('is planned for the shape and the parameters that are asked for', async () => {
    const answer = await asked(library, { 'mine.devices': 1, 'mine.microbatches': 4, 'mine.warm': 4 });
    const [plan] = answer.plan?.pipelines ?? [];
    expect([plan?.devices.length, plan?.microbatches]).toEqual([1, 4]);
    // One device, F = 1 and B = 2: 4 · 3.
    const run = plan === undefined ? undefined : evaluate(plan, defaultOptions).run;
    expect(run?.report.iteration).toBe(12);
  });

  it('has a limit that all microbatches reach, also if stages are cut into parts or have copies', async () => {
    const parts = `schedule mine {
  parts = 4
  row(d) = each(j in 0..<microbatches, F[j, part = 0..3]), each(j in 0..<microbatches, B[j, part = 3..0 step -1])
}
`;
    const chunks = 'schedule mine {\n  placement = v_shape\n  order = greedy(prefer = [B, F])\n}\n';
    const copies = 'schedule mine {\n  placement = bidirectional\n  order = greedy(prefer = [B, F])\n}\n';
    const limits = async (source: string) =>
      (await asked(source)).plan?.pipelines[0]?.devices.map(({ memory }) => memory);
    expect(await limits(parts)).toEqual([8, 8, 8, 8]);
    expect(await limits(chunks)).toEqual([16, 16, 16, 16]);
    expect(await limits(copies)).toEqual([8, 8, 8, 8]);
  });

  it('names the params of the file that it uses', async () => {
    const source = `param ahead = 1 in 0..2\nparam idle = 1\n${library.replace('warm+d]', 'warm+d+ahead-1]')}`;
    expect(shown(await asked(source))?.params).toEqual(['ahead']);
  });

  it('says why there is no order for a shape, and keeps what can be turned', async () => {
    const refused = await asked(library, { 'mine.microbatches': 1 });
    expect(refused.plan?.pipelines).toEqual([]);
    expect(shown(refused)?.problem).toMatchObject({
      message: expect.stringMatching(/^p = 2, m = 1: The schedule refuses this shape: /),
      ofShape: true,
    });
    expect(refused.plan?.params.map(({ name }) => name)).toContain('mine.microbatches');
    const outside = await asked(library, { 'mine.devices': 0.5, 'mine.microbatches': 1e12 });
    expect(outside.plan?.pipelines[0]?.devices).toHaveLength(2);
  });

  it('keeps a schedule with an error in its place, with the error', async () => {
    const source = library.replace('B[0..<microbatches]', 'B[0..<microbatch]');
    const found = shown(await asked(`${source}schedule other { order = greedy(prefer = [B, F]) }\n`));
    expect(found?.problem).toMatchObject({ ofShape: false, message: expect.stringContaining('microbatch') });
    expect(found?.problem?.range && slice(source, found.problem.range)).toBe('microbatch');
  });

  it('has paths that lead to its rows, and rows that lead to their paths', async () => {
    await withClient(async (client) => {
      client.open(main, library);
      const place = await client.request<LocateAnswer>('pipewright/locate', { uri: main, path: 'mine/row:1/item:1' });
      expect(place && slice(library, place.range)).toBe('B[0..<microbatches]');
      const paths = await client.request<PathsAnswer>('pipewright/pathsAt', {
        uri: main,
        position: positionAt(library, library.indexOf('B[0..<') + 1),
      });
      expect(paths[0]).toContain('mine/row:1/item:1');
    });
  });

  it('says for its shape what wrote an operation, and which operations the text at the cursor writes', async () => {
    await withClient(async (client) => {
      client.open(main, library);
      const overrides = { 'mine.devices': 1, 'mine.microbatches': 4, 'mine.warm': 4 };
      const path = paths.operation('mine', 0, 0, F, 0, 3);
      const card = await client.request<OriginAnswer>(methods.origin, { uri: main, path, overrides });
      expect(card?.lines[0]).toEqual(['Written by', 'F[0..<warm+d]']);
      // With three microbatches there is no such operation.
      expect(await client.request(methods.origin, { uri: main, path, overrides: {} })).toBeNull();
      const position = positionAt(library, library.indexOf('B[0..<') + 1);
      const [blocks] = await client.request<BlocksAnswer>(methods.blocksAt, { uri: main, position, overrides });
      // Four forwards, then four backwards: bits 4 to 7.
      expect(blocks).toEqual({ pipeline: 'mine', operations: 8, rows: [Buffer.from([0xf0]).toString('base64')] });
    });
  });

  it('gets a tried parameter written as its default', async () => {
    await withClient(async (client) => {
      client.open(main, library);
      const edit = await client.request<ParamEditAnswer>('pipewright/paramEdit', {
        uri: main,
        name: 'mine.warm',
        value: 3,
      });
      expect(edit && applyEdits(library, [edit])).toBe(library.replace('param warm = 2', 'param warm = 3'));
    });
  });
});

describe('a file with a pipeline', () => {
  it('shows the schedules that it tests after its pipelines, and no others', async () => {
    const source = `${toy}${library}schedule other { order = greedy(prefer = [B, F]) }\n`;
    const answer = await asked(source);
    expect(answer.plan?.pipelines.map(({ name }) => name)).toEqual(['train', 'mine']);
    expect(answer.schedules?.map(({ name }) => name)).toEqual(['mine']);
  });

  it('does not show a schedule while its pipelines have errors', async () => {
    const { plan, problem } = await asked(`${toy.replace('= 1f1b', '= 1f1bb')}${library}`);
    expect(plan).toBeUndefined();
    expect(problem?.message).toContain('1f1bb');
  });
});

describe('the text of a tested schedule', () => {
  it('has a table of its shapes at the pointer', async () => {
    const text = await hoverAt(library.replace('expect mine', 'expect mi$0ne'));
    // With any `warm`: two devices fail, one fails with more microbatches than forwards before.
    expect(text).toContain(['```text', ' p \\ m  1 2 3', '     1  ✓ ✕ ✕', '     2  ✕ ✕ ✕', '```'].join('\n'));
  });

  it('has a lens that opens the preview', async () => {
    await withClient(
      async (client) => {
        client.open(main, library);
        await client.diagnostics(main);
        const lenses = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } });
        expect(lenses.map(({ command }) => [command?.title, command?.arguments])).toEqual([
          ['2 of 10 shapes pass', [main, 'mine']],
        ]);
      },
      { initialization: { previews: true } },
    );
  });
});
