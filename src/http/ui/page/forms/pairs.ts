/** Metadata as an operator writes it, `key=value` in each line; undefined: a line is not so. */
export function pairsOf(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => /^\s*([^=\s]+)\s*=(.*)$/.exec(line))
  if (pairs.includes(null)) return undefined
  return Object.fromEntries(pairs.map((found) => [found?.[1] ?? '', (found?.[2] ?? '').trim()]))
}

export function pairsText(pairs: Readonly<Record<string, string>> | null | undefined): string {
  return Object.entries(pairs ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')
}
