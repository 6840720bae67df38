export type TokenKind =
  | 'EOF'
  | 'IDENT'
  | 'NUMBER'
  | 'FLOAT'
  | 'BOOL'
  | 'STRING'
  | 'HEREDOC'
  | 'ASSIGN'
  | 'COMMA'
  | 'LBRACE'
  | 'RBRACE'
  | 'LBRACK'
  | 'RBRACK'
  | 'PERIOD'
  | 'ADD'
  | 'SUB'

export interface Token {
  readonly kind: TokenKind
  /** Where it begins, in UTF-16 units. */
  readonly offset: number
  /** As it stands in the text. */
  readonly text: string
  /** What it stands for: of names, texts, numbers and truth values. */
  readonly value: string | number | boolean | undefined
}
