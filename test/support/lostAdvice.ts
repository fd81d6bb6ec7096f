/** Runs before each test file: advice that throws is a failure here, where a host would leave it out and go on. */
import { onLostAdvice } from '../../engine/basics/advice.ts';

onLostAdvice((name, error) => {
  throw new Error(`Lost advice: ${name}`, { cause: error });
});
