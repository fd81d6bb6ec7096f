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
