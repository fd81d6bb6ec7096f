/** The rank in the name of a file: `rank3.json`, `traces/rank_3.csv`. */
export const rankInName = (file: string): number | undefined => {
  const digits = /rank[_-]?(\d{1,7})(?!.*rank[_-]?\d)/i.exec(file)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
