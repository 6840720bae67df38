import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Ports and addresses for tests, so that no test meets what another one, another run of the tests or another program
 * does.
 *
 * Where the system chooses the port (port 0), a test that only listens needs no more. A test that closes a port and
 * expects it to stay free, without a listener, needs an address that no other test uses: `ownLoopback`. A test that
 * starts another process needs a port before that process listens: `freePort`.
 */

/**
 * An address of the loopback that this worker alone uses. A port there is taken by others only if they listen on every
 * address, and a dial to a closed one never meets itself, as it does on 127.0.0.1 when the system gives the dialler
 * that very port. Only Linux has the whole network 127.0.0.0/8; elsewhere it is 127.0.0.1.
 */
export const ownLoopback =
  process.platform === 'linux' ? `127.${drawn(16, 250)}.${drawn(0, 255)}.${drawn(1, 254)}` : '127.0.0.1'

/**
 * Ports that are handed out. Systems choose from 32,768 on for outgoing connections, which would take a port between
 * its choice and its use; agents give proxies ports from 20,000 and 21,000 on.
 */
const ranges = [
  { first: 10_000, blocks: 78 },
  { first: 22_000, blocks: 84 },
]
const blockSize = 128
const blocks = ranges.flatMap(({ first, blocks: count }) =>
  Array.from({ length: count }, (_, at) => first + at * blockSize),
)

interface Block {
  readonly first: number
  /** How many ports of it were handed out. */
  given: number
}

let block: Promise<Block> | undefined

/**
 * A port that is free on every address, for TCP and UDP, and that no other test on this machine is given meanwhile.
 *
 * 1. Each worker has a block of ports. It holds the block by listening on the first port of it, which the system grants
 *    to one process alone, and lets go of it when it ends, however that comes. So two runs of the tests, of one clone
 *    or several, share no port.
 * 2. The ports of a block are handed out in turn: one comes again only after all others of the block, by when its test
 *    is over.
 * 3. Programs that know nothing of this may have taken one: each is tried before it is handed out.
 */
export async function freePort(): Promise<number> {
  block ??= heldBlock()
  const own = await block
  for (let tries = 1; tries < blockSize; tries++) {
    const port = own.first + 1 + (own.given++ % (blockSize - 1))
    if ((await freeForTcp(port)) && (await freeForUdp(port))) return port
  }
  throw new Error(`no port is free from ${own.first} on`)
}

/**
 * The first of a range of ports of which these, counted from it, are free as those of `freePort`: a block of its own,
 * held until this worker ends.
 */
export async function freeBase(behind: readonly number[]): Promise<number> {
  for (let tries = 0; tries < blocks.length; tries++) {
    const base = (await heldBlock()).first + 1
    const free = await Promise.all(
      behind.map(async (at) => (await freeForTcp(base + at)) && (await freeForUdp(base + at))),
    )
    if (free.every((each) => each)) return base
  }
  throw new Error('no block of ports is free')
}

/** A port that a test listens on, that others know of it. */
export interface HeldPort {
  close(): Promise<void>
}

const aloneWithinMs = 60_000
/** For `heldAlone`: stands for the default ports of an agent. */
export const defaultPortsLock = 9_987

/**
 * For tests of one thing that a machine has once, such as the default ports: waits until no other run of the tests
 * holds this port.
 */
export async function heldAlone(port: number): Promise<HeldPort> {
  for (const endMs = performance.now() + aloneWithinMs; performance.now() < endMs; await pause(100)) {
    const lock = await held(port)
    if (lock !== undefined) return lock
  }
  throw new Error(`port ${port} was held by others for ${aloneWithinMs} ms`)
}

async function heldBlock(): Promise<Block> {
  const begin = drawn(0, blocks.length - 1)
  for (const at of blocks.keys()) {
    const first = blocks[(begin + at) % blocks.length] as number
    if ((await held(first)) !== undefined) return { first, given: 0 }
  }
  throw new Error(`all ${blocks.length} blocks of ports are held by other workers`)
}

/** Listens there until it is closed, or this worker ends. Undefined: another process does. */
function held(port: number): Promise<HeldPort | undefined> {
  const server = createServer((socket) => socket.destroy())
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '0.0.0.0', () => {
      server.unref()
      resolve({ close })
    })
  })
}

function freeForTcp(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.on('error', () => resolve(false))
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)))
  })
}

function freeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.on('error', () => resolve(false))
    socket.bind(port, '0.0.0.0', () => socket.close(() => resolve(true)))
  })
}

/** Both included. Other runs must not draw the same: so it is not of a seed. */
function drawn(least: number, most: number): number {
  return least + Math.floor(Math.random() * (most - least + 1))
}
