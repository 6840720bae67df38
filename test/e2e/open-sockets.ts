import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** TCP_LISTEN of the Linux kernel, as its tables of sockets have it. */
const listening = '0A'
/** The same word stands for a UDP socket that is bound, and has no peer. */
const bound = '07'

/** Where a process listens, as the kernel has it: `tcp 127.0.0.1:8500`, in order. Sockets of IPv4. */
export function openSockets(pid: number): readonly string[] {
  const own = socketsOf(pid)
  const of = (kind: 'tcp' | 'udp', state: string): readonly string[] =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === state && own.has(fields[9] ?? ''))
      .map((fields) => `${kind} ${addressOf(fields[1] ?? '')}`)
  return [...of('tcp', listening), ...of('udp', bound)].sort((a, b) => (a < b ? -1 : 1))
}

function socketsOf(pid: number): ReadonlySet<string> {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // Closed in between.
      return []
    }
  })
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

/** `0100007F:2134`: the bytes of the address in the machine's own order, little-endian here. */
function addressOf(text: string): string {
  const [address = '', port = ''] = text.split(':')
  const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? []
  return `${bytes.reverse().join('.')}:${Number.parseInt(port, 16)}`
}
