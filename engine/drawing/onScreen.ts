/** A figure on a page that may be dark. Blocks keep their colours, and the numbers on them theirs. */
export const darkRules = `@media (prefers-color-scheme:dark){
svg>rect{fill:#1b1f24}svg>g,svg>g>text[fill="#000000"]{fill:#e6e6e6}
.head{fill:#e6e6e6}.head,.axis path,.period,.memory [stroke="#000000"]{stroke:#e6e6e6}
.blocks,.next,.piece[stroke]{stroke:#1b1f24}.memory [fill-opacity]{fill-opacity:.6}
.memory [stroke="#b00020"]{stroke:#ff7b72}svg>g>text[fill="#b00020"]{fill:#ff7b72}
.legend [fill="#000000"]{stroke:#e6e6e6;stroke-width:.5}
}
`;
