/** A JSON value and its place. */
export type JsonValue = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonValue[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, JsonMember> }
);

export interface JsonMember {
  readonly key: { readonly start: number; readonly end: number };
  readonly value: JsonValue;
}

/** What a value is, for `found …` in messages. */
export const describeJson = (value: JsonValue): string => {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
    case 'number':
      return String(value.value);
    case 'string':
      return value.value.length > 40 ? `"${value.value.slice(0, 39)}…"` : `"${value.value}"`;
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
  }
};
