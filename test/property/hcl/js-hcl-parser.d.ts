declare module 'js-hcl-parser' {
  const parser: { parse(text: string): string }
  export = parser
}
