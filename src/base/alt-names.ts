/** The alternative names of a certificate, as Node writes them in one line. */
export interface AltNames {
  /** DNS names, in lower case. */
  readonly names: readonly string[]
  readonly uris: readonly string[]
}

/**
 * Parses `DNS:a.example, URI:spiffe://…, IP Address:10.0.0.1`. Node writes ambiguous names, for example with commas, as
 * JSON text in quotes with escaped commas: such a DNS name is ignored, a URI is decoded.
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
