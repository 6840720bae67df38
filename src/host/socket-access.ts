import { chmod, chown, readFile } from 'node:fs/promises'
import type { SocketAccess } from '../env/http.ts'
import { messageOf } from './system-error.ts'

/** An unnamed owner or group is not changed. */
const unchanged = -1

/** Sets owner, group and permissions of a socket. Returns why that failed, if it did. */
export async function giveSocket(path: string, { user, group, mode }: SocketAccess): Promise<string | undefined> {
  try {
    const uid = user === undefined ? unchanged : await userId(user)
    if (uid === undefined) return `failed to look up user ${user}: unknown user ${user}`
    if (uid !== unchanged || group !== undefined) await chown(path, uid, group ?? unchanged)
    if (mode !== undefined) await chmod(path, mode)
    return undefined
  } catch (cause) {
    return `Failed setting up socket: ${messageOf(cause)}`
  }
}

/** Looked up in the machine's own list of users; Node reads no other. */
async function userId(user: string): Promise<number | undefined> {
  if (/^\d+$/.test(user)) return Number(user)
  const list = await readFile('/etc/passwd', 'utf8')
  const line = list.split('\n').find((each) => each.startsWith(`${user}:`))
  const id = line?.split(':')[2] ?? ''
  return /^\d+$/.test(id) ? Number(id) : undefined
}

/** Precedes the path of a Unix socket. */
const socketScheme = 'unix://'

/** The path, if a host is `unix://` and a path rather than an address. */
export function socketPathOf(host: string): string | undefined {
  return host.startsWith(socketScheme) ? host.slice(socketScheme.length) : undefined
}
