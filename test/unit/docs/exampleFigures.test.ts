/** Sentences and rows that say what an example gives: the figures are those of the engine, to the digits shown. */
import { expect, test } from 'vitest';
import { analyseExample } from '../../support/analyse.ts';
import { textOf } from './pages.ts';

function iterationOf(example: string, name: string): number {
  const found = analyseExample(example).pipelines.find(({ plan }) => plan.name === name);
  return found?.run?.report.iteration ?? NaN;
}
function plannedOf(example: string, name: string): number {
  const found = analyseExample(example).pipelines.find(({ plan }) => plan.name === name);
  return found?.run?.report.plan?.value ?? NaN;
}
/** Throughput of a job of HetPipe's example, and the shares that its workers wait, the least first. */
function jobOf(name: string): { readonly samples: string; readonly waits: readonly string[] } {
  const found = analyseExample('systems/hetpipe.pipe').jobs.find(({ plan }) => plan.name === name);
  if (found?.report?.sync !== 'wsp') throw new Error(`no job ${name}`);
  const waits = found.report.workers.map(({ waiting_share: share }) => (share * 100).toFixed(0));
  const byShare = [...new Set(waits)].toSorted((a, b) => Number(a) - Number(b));
  return { samples: found.report.throughput.toFixed(0), waits: byShare };
}
const ms = (seconds: number): string => `${(seconds * 1e3).toFixed(0)} ms`;
const s = (seconds: number): string => `${seconds.toFixed(2)} s`;
/** By how much the second is faster. */
const faster = (example: string, slow: string, fast: string): string =>
  `${Math.abs((iterationOf(example, slow) / iterationOf(example, fast) - 1) * 100).toFixed(0)} %`;

test('schedules/hetpipe: workers, by how they get their devices', () => {
  const page = textOf('docs/schedules/hetpipe.md');
  const [node, equal, hybrid] = ['node', 'equal', 'hybrid'].map(jobOf);
  expect(page).toContain(`| ${node.samples} samples/s; the fastest waits ${node.waits.at(-1)} % of the time |`);
  expect(page).toContain(
    `| ${equal.samples} samples/s; waits of ${equal.waits.join(' and ')} % for the servers only |`,
  );
  expect(page).toContain(`| ${hybrid.samples} samples/s; waits of ${hybrid.waits.join(' % and ')} % |`);
  const ahead = jobOf('equal_ahead');
  expect(ahead.waits).toEqual(['0']);
  expect(page).toContain(`Under ED with \`distance = 1\` no worker waits: ${ahead.samples} samples/s.`);
});

test('pages of planners: planned and simulated', () => {
  const planners = 'planners.pipe';
  const workers = [0, 1, 2, 3].map((index) => `worker_${index}`);
  const [planned] = [...new Set(workers.map((name) => ms(plannedOf(planners, name))))];
  const [simulated] = [...new Set(workers.map((name) => ms(iterationOf(planners, name))))];
  expect(textOf('docs/schedules/hetpipe.md')).toContain(`is planned with ${planned} and simulated with ${simulated}.`);
  expect(textOf('docs/schedules/alpa.md')).toContain(
    `For \`alpa\` in the example they are ${s(plannedOf(planners, 'alpa'))} and ${s(iterationOf(planners, 'alpa'))}.`,
  );
  const dapple = 'systems/dapple.pipe';
  expect(ms(plannedOf(dapple, 'planned'))).toBe(ms(iterationOf(dapple, 'planned')));
  expect(textOf('docs/schedules/dapple.md')).toContain(
    `For the example's \`planned\` both are ${ms(iterationOf(dapple, 'planned'))}.`,
  );
});

test('pages of communication: by how much a rule is faster', () => {
  const said = (page: string): string => textOf(`docs/communication/${page}.md`);
  const pace = faster('systems/pace.pipe', 'ddp', 'pace');
  expect(said('pace')).toContain(`here \`pace\` is ${pace} faster than \`ddp\`.`);

  const byteps = ['vgg_eight', 'vgg_eight_free'].map((name) => faster('systems/byteps.pipe', 'vgg_ring', name));
  expect(said('byteps')).toContain(`: ${byteps[0]} here for servers alone, and ${byteps[1]} with the order`);

  const tuned = ['vgg_layers', 'vgg_end'].map((name) => faster('systems/bytescheduler.pipe', name, 'vgg_best'));
  expect(said('bytescheduler')).toContain(
    `the best pieces are ${tuned[0]} faster than layer by layer and ${tuned[1]} faster than all at the end.`,
  );

  const dear = ['eight', 'ethernet', 'infiniband'].map((name) =>
    faster('systems/dear.pipe', `${name}_ddp`, `${name}_dear`),
  );
  for (const share of dear) expect(said('dear')).toMatch(new RegExp(` ms \\| ${share}(?: \\(.*\\))? \\|$`, 'm'));
  const unfused = (iterationOf('systems/dear.pipe', 'eight_layers') * 1e3).toFixed(1);
  expect(said('dear')).toContain(`each of the 107 tensors: ${unfused} ms on 8 ranks.`);

  const p3 = ['resnet', 'vgg'].map((name) => faster('systems/p3.pipe', `${name}_layers`, `${name}_p3`));
  for (const share of p3) expect(said('p3')).toContain(` ms | ${share} (`);

  const trees = ['slow', 'triangle', 'dgx'].map(
    (name) => iterationOf('systems/trees.pipe', `${name}_ring`) / iterationOf('systems/trees.pipe', `${name}_trees`),
  );
  for (const times of trees)
    expect(said('trees')).toContain(` ms | ${Number(times.toPrecision(times < 2 ? 3 : 2))} times |`);
});
