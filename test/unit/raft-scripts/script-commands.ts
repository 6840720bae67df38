import type { ConfigurationChange, ServerId } from '../../../src/raft/core/types.ts'
import type { ScriptWorld } from './script-world.ts'

type Command = (world: ScriptWorld, words: readonly string[]) => void

/** Plays one command; returns the lines to print about it. */
export function play(world: ScriptWorld, line: string): readonly string[] {
  const [name = '', ...words] = line.trim().split(/\s+/)
  const command = commands.get(name)
  if (command === undefined) throw new Error(`no such command: ${line}`)
  if (name !== 'cluster' && name !== 'log') world.begin()
  try {
    command(world, words)
  } catch (cause) {
    throw new Error(`${line}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  return world.takeLines()
}

function millisecondsOf(text: string | undefined): number {
  const ms = Number(/^(\d+)ms$/.exec(text ?? '')?.[1])
  if (!Number.isInteger(ms)) throw new Error('a time such as 200ms')
  return ms
}

const changes: ReadonlyMap<string, (id: ServerId) => ConfigurationChange> = new Map([
  ['add', (id: ServerId): ConfigurationChange => ({ kind: 'add-voter', id, address: `${id}:8300` })],
  ['add-nonvoter', (id: ServerId): ConfigurationChange => ({ kind: 'add-nonvoter', id, address: `${id}:8300` })],
  ['demote', (id: ServerId): ConfigurationChange => ({ kind: 'demote', id })],
  ['remove', (id: ServerId): ConfigurationChange => ({ kind: 'remove', id })],
])

/** `keeps-log`: what a received snapshot replaces is still there after the next crash. */
const diskSpeeds: ReadonlySet<string> = new Set(['slow', 'fast', 'keeps-log'])

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'cluster',
    (world, [count, ...options]) => {
      const pairs = new Map<string, number>()
      for (let i = 0; i < options.length; i += 2) pairs.set(options[i] as string, Number(options[i + 1]))
      world.found(Number(count), pairs)
    },
  ],
  ['log', (world, [id = '', ...words]) => world.past(id, words)],
  ['elect', (world, [id = '']) => world.elect(id)],
  ['win', (world, [id = '']) => world.win(id)],
  [
    'tick',
    (world, words) => {
      const ms = millisecondsOf(words.at(-1))
      world.tick(words[0] === 'all' ? [...world.servers.keys()] : words.slice(0, -1), ms)
    },
  ],
  [
    'later',
    (world, [time]) => {
      for (const server of world.servers.values()) server.jump(millisecondsOf(time))
    },
  ],
  [
    'pause',
    (world, [id, time]) => {
      world.server(id).clockMs += millisecondsOf(time)
    },
  ],
  [
    'beats',
    (world, [id = '', count]) => {
      for (let i = 0; i < Number(count); i++) {
        world.tick([id], 100)
        world.settle()
      }
    },
  ],
  ['deliver', (world, words) => world.deliver(words)],
  ['settle', (world) => world.settle()],
  ['drop', (world, words) => world.drop(words)],
  ['duplicate', (world, words) => world.duplicate(words)],
  ['wire', (world) => world.wire()],
  ['cut', (world, words) => words.forEach((what) => void world.cut(what))],
  ['heal', (world) => world.heal()],
  [
    'propose',
    (world, [id, ...texts]) => {
      for (const text of texts) {
        const payload = new TextEncoder().encode(text)
        world.server(id).request(text, (requestId) => ({ kind: 'proposed', requests: [{ requestId, payload }] }))
      }
    },
  ],
  [
    'read',
    (world, [id, mode, name = 'the read']) => {
      if (mode !== 'quorum' && mode !== 'lease') throw new Error('quorum or lease')
      world.server(id).request(name, (requestId) => ({ kind: 'read-requested', requestId, mode }))
    },
  ],
  [
    'change',
    (world, [id, kind = '', whom = '']) => {
      const change = changes.get(kind)?.(whom)
      if (change === undefined) throw new Error('add, add-nonvoter, demote or remove')
      world.server(id).request(`${kind} ${whom}`, (requestId) => ({ kind: 'change-requested', requestId, change }))
    },
  ],
  [
    'transfer',
    (world, [id, to]) =>
      world.server(id).request(`transfer to ${to}`, (requestId) => ({ kind: 'transfer-requested', requestId, to })),
  ],
  [
    'disk',
    (world, [id, speed]) => {
      if (!diskSpeeds.has(speed ?? '')) throw new Error([...diskSpeeds].join(', '))
      world.server(id).disk.isSlow = speed === 'slow'
      world.server(id).disk.keepsLog = speed === 'keeps-log'
      if (speed === 'fast') world.server(id).sync()
    },
  ],
  ['sync', (world, [id]) => world.server(id).sync()],
  ['snapshot', (world, [id]) => world.server(id).snapshot()],
  ['crash', (world, ids) => ids.forEach((id) => void world.server(id).crash())],
  ['restart', (world, ids) => ids.forEach((id) => void world.server(id).start())],
  ['gone', (world, [id, leader = '']) => world.server(id).step({ kind: 'leader-gone', leader })],
  ['status', (world, ids) => world.status(ids)],
])
