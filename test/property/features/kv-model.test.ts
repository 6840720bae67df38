import { describe, expect, it } from 'vitest'
import { byteStringOf, utf8 } from '../../../src/base/bytes.ts'
import { kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { getEndpoint, keysEndpoint, listEndpoint } from '../../../src/features/kv/endpoint.ts'
import { valueBytes } from '../../../src/features/kv/model.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  putCasEndpoint,
  putEndpoint,
} from '../../../src/features/kv/write-endpoints.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 5_000 : 100

const keys = ['a', 'a/', 'a/b', 'a/b/c', 'a/bc', 'ab', 'b', '\xc3\xbc'] as const
const prefixes = ['', 'a', 'a/', 'a/b', 'a/b/', 'b', 'zz'] as const
const key = fc.constantFrom(...keys)
const value = fc.string({ maxLength: 3 })

/** `cas`: the index to name, counted back from the key's own; 0 is the right one. */
type Operation =
  | { readonly kind: 'put' | 'put-cas'; readonly key: string; readonly value: string; readonly cas: number }
  | { readonly kind: 'delete' | 'delete-cas'; readonly key: string; readonly cas: number }
  | { readonly kind: 'delete-tree'; readonly prefix: string }
  | { readonly kind: 'reap'; readonly back: number }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('put' as const, 'put-cas' as const), key, value, cas: fc.nat(2) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'delete-cas' as const), key, cas: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete-tree' as const), prefix: fc.constantFrom(...prefixes) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reap' as const), back: fc.nat(4) }) },
)

interface Entry {
  readonly value: string
  readonly createIndex: number
  readonly modifyIndex: number
}

/** What the keys must be: a plain map, with the rules of HTTP API 5 written out once more. */
class Model {
  readonly entries = new Map<string, Entry>()

  /** Returns what the caller must be told. */
  run(op: Operation, index: number): boolean | undefined {
    switch (op.kind) {
      case 'put':
        return this.#put(op.key, op.value, index)
      case 'put-cas':
        return this.casOf(op) === (this.entries.get(op.key)?.modifyIndex ?? 0) && this.#put(op.key, op.value, index)
      case 'delete':
        this.entries.delete(op.key)
        return true
      case 'delete-cas':
        if (this.entries.has(op.key) && this.casOf(op) !== this.entries.get(op.key)?.modifyIndex) return false
        this.entries.delete(op.key)
        return true
      case 'delete-tree':
        for (const name of [...this.entries.keys()]) if (name.startsWith(op.prefix)) this.entries.delete(name)
        return true
      case 'reap':
        return undefined
    }
  }

  casOf(op: { readonly key: string; readonly cas: number }): number {
    return Math.max(0, (this.entries.get(op.key)?.modifyIndex ?? 0) - op.cas)
  }

  under(prefix: string): string[] {
    return [...this.entries.keys()].filter((name) => name.startsWith(prefix)).sort((a, b) => (a < b ? -1 : 1))
  }

  #put(name: string, text: string, index: number): boolean {
    const createIndex = this.entries.get(name)?.createIndex ?? index
    this.entries.set(name, { value: byteStringOf(utf8(text)), createIndex, modifyIndex: index })
    return true
  }
}

async function runOnServer(server: LoneServer, model: Model, op: Operation): Promise<boolean | undefined> {
  const { agent } = server
  const written = async (result: Promise<{ ok: boolean; value?: boolean }>): Promise<boolean | undefined> =>
    (await result).value
  switch (op.kind) {
    case 'put':
      return written(agent.write(putEndpoint, { key: op.key, value: utf8(op.value), flags: 0n }, {}))
    case 'put-cas': {
      const index = BigInt(model.casOf(op))
      return written(agent.write(putCasEndpoint, { key: op.key, value: utf8(op.value), flags: 0n, index }, {}))
    }
    case 'delete':
      return written(agent.write(deleteEndpoint, { key: op.key }, {}))
    case 'delete-cas':
      return written(agent.write(deleteCasEndpoint, { key: op.key, index: BigInt(model.casOf(op)) }, {}))
    case 'delete-tree':
      return written(agent.write(deleteTreeEndpoint, { prefix: op.prefix }, {}))
    case 'reap': {
      const through = Math.max(0, server.index - op.back)
      await server.context.propose(kvReapTombstones, { through, limit: 3 })
      return undefined
    }
  }
}

/** Every read that the test follows, as text, with its index. */
function readAll(server: LoneServer): Map<string, { readonly index: number; readonly value: string }> {
  const tx = server.read()
  const results = new Map<string, { readonly index: number; readonly value: string }>()
  const note = (name: string, { index, value: found }: { readonly index: number; readonly value: unknown }): void => {
    const text = JSON.stringify(found, (_, part) => (typeof part === 'bigint' ? String(part) : part))
    results.set(name, { index: Math.max(1, index), value: text })
  }
  for (const name of keys) note(`get ${name}`, getEndpoint.query(tx, { key: name }))
  for (const prefix of prefixes) {
    note(`list ${prefix}`, listEndpoint.query(tx, { prefix }))
    note(`keys ${prefix}`, keysEndpoint.query(tx, { prefix, separator: '' }))
    note(`cut ${prefix}`, keysEndpoint.query(tx, { prefix, separator: '/' }))
  }
  return results
}

function expectModel(server: LoneServer, model: Model): void {
  const tx = server.read()
  for (const name of keys) {
    const { index, value: found } = getEndpoint.query(tx, { key: name })
    const wanted = model.entries.get(name)
    if (wanted === undefined) {
      expect(found).toBeNull()
      continue
    }
    expect(index).toBe(wanted.modifyIndex)
    expect({ ...found, value: byteStringOf(found === null ? utf8('?') : valueBytes(found.value)) }).toMatchObject(
      wanted,
    )
  }
  for (const prefix of prefixes) {
    expect(listEndpoint.query(tx, { prefix }).value.map((entry) => entry.key)).toEqual(model.under(prefix))
    expect(keysEndpoint.query(tx, { prefix, separator: '' }).value).toEqual(model.under(prefix))
  }
}

describe('keys against a plain map', () => {
  it('every answer is that of the map, and the index of a result rises when it changes and never falls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const [server, model] = [new LoneServer(), new Model()]
        // As in every cluster, entries of Raft's own come before the first command: index 1 stands for "nothing yet".
        server.state.store.apply(modifyIndexOf(4), () => undefined)
        let before = readAll(server)
        for (const op of operations) {
          const told = await runOnServer(server, model, op)
          expect(told).toBe(model.run(op, server.index))
          expectModel(server, model)
          const after = readAll(server)
          for (const [name, { index, value: text }] of after) {
            const last = before.get(name)
            if (last === undefined) continue
            expect(index, `${name} fell`).toBeGreaterThanOrEqual(last.index)
            if (text !== last.value) expect(index, `${name} changed`).toBeGreaterThan(last.index)
          }
          before = after
        }
      }),
      { numRuns: runs },
    )
  })

  it('a parked read is woken whenever its result has changed, and reads of rows that were left alone are not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const [server, model] = [new LoneServer(), new Model()]
        const { store } = server.state
        for (const op of operations) {
          const before = readAll(server)
          const woken = new Set<string>()
          for (const name of keys) {
            const { touched } = store.query((tx) => getEndpoint.query(tx, { key: name }))
            store.park(touched, () => woken.add(`get ${name}`))
          }
          for (const prefix of prefixes) {
            const { touched } = store.query((tx) => listEndpoint.query(tx, { prefix }))
            store.park(touched, () => woken.add(`list ${prefix}`))
          }
          await runOnServer(server, model, op)
          model.run(op, server.index)
          const after = readAll(server)
          for (const name of [...keys.map((it) => `get ${it}`), ...prefixes.map((it) => `list ${it}`)]) {
            expect(woken.has(name), name).toBe(after.get(name)?.value !== before.get(name)?.value)
          }
        }
      }),
      { numRuns: Math.ceil(runs / 2) },
    )
  })
})
