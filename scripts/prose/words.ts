/** Words that make a reader stop, each with the plain words to write instead. */
export interface AvoidedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

const avoid = (pattern: string, instead: string): AvoidedWord => ({ pattern: new RegExp(pattern, 'giu'), instead });

export const avoidedWords: readonly AvoidedWord[] = [
  avoid(String.raw`\bmend(s|ed|ing)?\b`, 'fix'),
  avoid(String.raw`\bon end\b`, 'back to back, consecutive'),
  avoid(String.raw`\bgravest\b`, 'most severe'),
  avoid(String.raw`\btold\b`, 'reported'),
  avoid(String.raw`\blet in\b`, 'admitted; or say what is held back'),
  avoid(String.raw`\bnothing of\b`, 'no, none of'),
  avoid(String.raw`\bhangs? on\b`, 'depends on'),
  avoid(String.raw`\bas (it|they) (is|are|was|were) said\b`, 'as written'),
  avoid(String.raw`\bby (itself|themselves) alone\b`, 'alone'),
  avoid(String.raw`\b(that|those) of\b`, 'repeat the noun'),
  avoid(String.raw`\bwhat of (it|them)\b`, 'repeat the noun'),
  avoid(String.raw`\bunless (said|it says|they say|the file says)\b`, '"Default: X"'),
  avoid(String.raw`\bbesides?\b`, 'alongside, next to, in addition'),
  avoid(String.raw`\bunlike\b`, 'different'),
  avoid(
    String.raw`(?<!\b(this|same|either|both|one|two|three|no|only|such a|in a|a|like) )\bways?\b(?! (to|in which|that|of)\b)`,
    'route, path, method, direction',
  ),
  avoid(String.raw`\bways? (over|between|from)\b`, 'route'),
  avoid(String.raw`\bso many\b`, 'at least, that number of'),
  avoid(String.raw`\bcounts (for|only|where|there|between)\b`, 'is used, applies'),
  avoid(String.raw`\bcounts(?=[.;:,)]|$)`, 'is used, applies'),
  avoid(String.raw`\bst(ands?|anding|ood)\b(?! for\b)(?!-)`, 'is, comes; name the verb'),
  avoid(String.raw`\bof (its|their|his|her|one['’]s) own\b|\bof your own\b(?! \p{L})`, '"its", "their", "your own"'),
  avoid(String.raw`\b(a|a person|some)body\b|\bone['’]s\b`, '"you", or name the reader'),
  avoid(String.raw`(^|[.:;,] |\bor )else\b(?! if\b)`, 'otherwise'),
  avoid(String.raw`\bwould do\b`, 'say what to do'),
  avoid(String.raw`\bkey strokes?\b`, 'keystroke'),
  avoid(
    String.raw`\b(bytes|samples|tokens|FLOPs|T?FLOP/s|GiB|MiB|GB|updates|microbatches) an? (second|device|stage|rank|parameter|token|layer|step)\b`,
    '"per"',
  ),
  avoid(String.raw`\b(inside|outside) of\b`, '"inside", "outside"'),
  avoid(String.raw`\b(one|each) another\b`, 'each other'),
  avoid(String.raw`\b(whence|thence|lest|hither|thither|ere|withal)\b`, 'a word of today'),
  avoid(String.raw`\bwhat (holds|must hold)\b`, 'say what is true, checked or kept'),
  avoid(String.raw`\bhow (it|they) comes?\b`, 'why'),
  avoid(String.raw`\bspeaks? of\b`, 'is about, applies to'),
  avoid(String.raw`\bmade again\b`, 'recomputed'),
  avoid(String.raw`\bis at rest\b`, 'is idle'),
  avoid(String.raw`\bthe like\b`, 'name them'),
  avoid(String.raw`\bin the mean\b`, 'on average'),
  avoid(String.raw`\bcounts? like\b`, 'takes as much as, is treated as'),
];
