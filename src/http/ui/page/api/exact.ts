/** Flags of keys have 64 bits: those that a number would round become texts, so that a write gives them back as they were. */
export function exact(json: string): string {
  // Within a text of JSON a quotation mark has a backslash before it, so this is the name of a member.
  return json.replace(/("Flags":\s*)(\d{16,})(?=[,\s}])/g, '$1"$2"')
}

/** JSON of a body in which such texts are numbers again. */
export function exactJson(body: unknown): string {
  return JSON.stringify(body).replace(/("Flags":)"(\d{16,})"/g, '$1$2')
}
