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
  /** Its start, in UTF-16 units. */
  readonly offset: number
  /** Its text, unchanged. */
  readonly text: string
  /** Its value: of names, texts, numbers and booleans. */
  readonly value: string | number | boolean | undefined
}
