/** Messages that take long are made in steps, and say the same. */
import { expect, test } from 'vitest';
import { messageSteps } from '../../../engine/findings/finding.ts';
import { analyse } from '../../support/analyse.ts';
import { exampleText, exampleUri } from '../../support/example.ts';
import { diskHost } from '../../support/host.ts';

test('the message of a bubble pauses while its bound is found, and says what it says at once', () => {
  const name = 'vision-language.pipe';
  const bubbles = () =>
    analyse(exampleText(name), { uri: exampleUri(name), host: diskHost }).findings.filter(
      ({ code }) => code === 'schedule/bubble',
    );
  const [inSteps, atOnce] = [bubbles(), bubbles()];
  expect(inSteps).toHaveLength(3);
  for (const [index, found] of inSteps.entries()) {
    let pauses = 0;
    const steps = messageSteps(found);
    for (let step = steps.next(); ; step = steps.next(), pauses += 1) {
      if (step.done !== true) continue;
      expect(step.value).toBe(atOnce[index].message);
      break;
    }
    expect(pauses).toBeGreaterThan(3);
  }
});
