/** What a certificate is for, as Node writes its alternative names in one line. */
export interface AltNames {
  /** DNS names, in lower case. */
  readonly names: readonly string[]
  readonly uris: readonly string[]
}

/**
 * Reads `DNS:a.example, URI:spiffe://…, IP Address:10.0.0.1`. What could be misread, commas among it, stands there as text of
 * JSON, in quotes and with every comma escaped: a DNS name of that kind is none of ours, a URI is read.
 */
export function altNamesIn(line = ''): AltNames {
  const all = line.split(', ')
  return {
    names: all.flatMap((each) => (/^DNS:[^"]/.test(each) ? [each.slice(4).toLowerCase()] : [])),
    uris: all.flatMap((each) => (each.startsWith('URI:') ? uriIn(each.slice(4)) : [])),
  }
}

function uriIn(text: string): readonly string[] {
  if (!text.startsWith('"')) return [text]
  if (!/^"([^"\\]|\\u[0-9a-f]{4}|\\["\\/bfnrt])*"$/i.test(text)) return []
  const uri: unknown = JSON.parse(text)
  return typeof uri === 'string' ? [uri] : []
}
