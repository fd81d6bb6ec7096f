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

/** The kind of a value, for `found …` in messages, which never repeat the value. */
export const describeJson = (value: JsonValue): string => {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return 'true or false';
    case 'number':
      return 'a number';
    case 'string':
      return 'a text';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
  }
};
