/** What a timeline without a model says of its times, wherever it is shown. */
export const unitTimesText =
  'Unit times: a forward of a stage takes 1 s, a backward 2 s (I = W = 1 s), and transfers are free. 1 B is the activation of one stage for one microbatch.';
