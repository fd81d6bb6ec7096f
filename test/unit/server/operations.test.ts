import { expect, it } from 'vitest';
import { labelsAt, hoverAt } from '../../support/asked.ts';
import { edited } from '../../support/goodFile.ts';

const schedule = (row: string): string =>
  edited('1f1b', 'mine').replace(
    /^/,
    `schedule mine {
  /// The loss of a microbatch.
  operation loss { time = 3ms  after(j) = F[j] }
  row(d) = ${row}
}
`,
  );

it('completion in a row offers operations of the schedule', async () => {
  expect(await labelsAt(schedule('F[0..<microbatches], lo$0'))).toContain('loss');
});
it('hover of an operation says what its text says', async () => {
  expect(JSON.stringify(await hoverAt(schedule('F[0], lo$0ss[0], B[0]')))).toContain('The loss of a microbatch.');
});

const ruled = (body: string): string =>
  edited('1f1b', 'mine').replace(
    /^/,
    `schedule mine {
  /// The loss of a microbatch.
  operation loss { time = 3ms  on(j) = devices - 1  after(j) = F[j]  before(j) = B[j] }
  ${body}
}
`,
  );
it.each([
  'order = greedy(prefer = [B, lo$0ss, F])',
  'order = greedy(prefer = [B, loss, F])  prefer(0) = [lo$0ss, B, F]',
  'order = greedy(prefer = [B, loss, F])  allow(lo$0ss, s) = done(F) > 1',
  'order = greedy(prefer = [B, loss, F])  allow(F, s) = done(lo$0ss) < 2',
  'order = greedy(prefer = [B, loss, F])  allow(F, s) = next(lo$0ss, s) > 2ms or pending(loss) > 0',
  'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - s  slot(lo$0ss, j) = 2 * j + devices',
])('hover of an operation in a rule or a clock table says what its text says: %s', async (body) => {
  expect(JSON.stringify(await hoverAt(ruled(body)))).toContain('The loss of a microbatch.');
});
it.each([
  'order = greedy(prefer = [B, loss, F])  prefer(0) = [$0]',
  'order = greedy(prefer = [B, loss, F])  prefer(d) = [B, lo$0]',
  'slot($0',
  'slot(F, s, j) = 2 * j + s  slot(lo$0, j) = 2 * j',
])('completion in a rule or a clock table offers operations of the schedule: %s', async (body) => {
  expect(await labelsAt(ruled(body))).toContain('loss');
});
it('completion does not offer operations of the schedule where another word belongs', async () => {
  expect(await labelsAt(ruled('order = greedy(prefer = [B, loss, F])  ties = $0'))).not.toContain('loss');
  expect(await labelsAt(ruled('order = greedy(prefer = [B, loss, F])  in_flight($0'))).not.toContain('loss');
});
