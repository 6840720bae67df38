/** The path of a key, or of a prefix. Slashes in a key stay slashes in the path. */
export function keyPath(key: string): string {
  return `/v1/kv/${key.split('/').map(encodeURIComponent).join('/')}`
}
