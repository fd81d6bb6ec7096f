/** Runs once for several calls: `later` says when. */
export function batched(run: () => void, later: (act: () => void) => void): () => void {
  let queued = false;
  return () => {
    if (queued) return;
    queued = true;
    later(() => {
      queued = false;
      run();
    });
  };
}
