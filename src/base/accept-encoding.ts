/** Whether an `Accept-Encoding` names gzip with a weight above zero. RFC 9110, section 12.5.3. */
export function gzipAccepted(acceptEncoding: string): boolean {
  for (const item of acceptEncoding.split(',')) {
    const [coding, ...parameters] = item.split(';')
    const name = coding?.trim().toLowerCase()
    if (name !== 'gzip' && name !== 'x-gzip') continue
    const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('q='))
    return weight === undefined || Number(weight.slice(2)) > 0
  }
  return false
}
