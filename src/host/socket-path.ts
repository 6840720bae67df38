/** Before the path of a socket of the file system. */
const socketScheme = 'unix://'

/** The path, where a host is not an address but `unix://` and one. */
export function socketPathOf(host: string): string | undefined {
  return host.startsWith(socketScheme) ? host.slice(socketScheme.length) : undefined
}
